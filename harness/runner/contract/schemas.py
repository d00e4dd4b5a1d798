"""The contract's JSON Schemas, and one sentence for what breaks them.

Each schema ships beside this module as `<name>.schema.json`, and is the only place that says what a
document of that kind may hold: code that reads a document validates it first and trusts it then.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from jsonschema_rs import Draft202012Validator, ValidationError

NAMES = ("job", "status", "event", "ddl", "dead-letter", "tables", "record", "decoded")
CLIP = 200


@cache
def text(name: str) -> str:
    """Return the text of the schema of that name (one of `NAMES`)."""
    file = resources.files("harness.runner.contract") / f"{name}.schema.json"
    return file.read_text(encoding="utf-8")


@cache
def validator(name: str) -> Draft202012Validator:
    """Return the compiled validator of the schema of that name (one of `NAMES`)."""
    return Draft202012Validator(json.loads(text(name)))


def problem(name: str, document: Any) -> str:  # noqa: ANN401 - any JSON may be asked about
    """Say in one sentence why `document` breaks the schema `name`; the empty text when it fits."""
    error = next(iter(validator(name).iter_errors(document)), None)
    return "" if error is None else _sentence(error)


def _sentence(error: ValidationError) -> str:
    """Lead with the place as a JSON pointer; the message may quote the document, so clip it."""
    place = "".join(f"/{step}" for step in error.instance_path)
    message = clip(error.message)
    return f"{place}: {message}" if place else message


def clip(words: str, length: int = CLIP) -> str:
    """Cut long text in its middle, where it matters least, and say how much is gone."""
    if len(words) <= length:
        return words
    half = length // 2
    return f"{words[:half]} […{len(words) - 2 * half} characters…] {words[-half:]}"

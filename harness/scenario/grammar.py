"""The grammar (`grammar.json`) and what breaks it, in plain words.

One mistake, one problem, at the place where the person made it. The JSON Schema is the only
statement of what is allowed; the nouns in the messages are its `title`s.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path as FilePath
from typing import Any

import jsonschema_rs

from harness.documents.explain import explain
from harness.documents.yaml_file import Path, YamlFile
from harness.errors import Problem

GRAMMAR_FILE = FilePath(__file__).with_name("grammar.json")


@cache
def grammar() -> dict[str, Any]:
    """Return the JSON Schema of a scenario file."""
    loaded: dict[str, Any] = json.loads(GRAMMAR_FILE.read_bytes())
    return loaded


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(grammar())


def violations(source: YamlFile) -> Iterator[tuple[Path, Problem]]:
    """Yield what breaks the grammar, each with the path of keys that it makes unusable."""
    validator = _validator()
    if not validator.is_valid(source.data):
        yield from explain(source, grammar(), list(validator.iter_errors(source.data)))

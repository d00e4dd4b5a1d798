"""One sentence for what breaks a document's schema."""

from __future__ import annotations

from typing import Any

from jsonschema_rs import ValidationError

from harness.documents.typed import validator

CLIP = 200


def problem(kind: Any, document: object) -> str:  # noqa: ANN401 - a type
    """Return in one sentence why data is not of a type; the empty text when it is."""
    error = next(iter(validator(kind).iter_errors(document)), None)
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

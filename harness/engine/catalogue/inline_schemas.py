"""Schemas that every message of a stream repeats, shown once at the end of a golden file.

Kafka Connect's JSON carries `{"schema": ..., "payload": ...}`; a reviewer wants the payload, and to
see when a schema changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

_HEAD, _MIDDLE, _TAIL = '{"schema":', ',"payload":', "}"
_JSON = json.JSONDecoder()


class InlineSchemas:
    """The schemas of one file, numbered from 1 in order of appearance."""

    def __init__(self) -> None:
        """Start without any."""
        self._numbers: dict[str, int] = {}

    def short(self, text: str) -> str:
        """Return a message's text with its schema, if it has one, as a number: `[s1] payload`."""
        if not text.startswith(_HEAD):
            return text
        _, end = _JSON.raw_decode(text, len(_HEAD))
        if not text.startswith(_MIDDLE, end):
            return text
        number = self._numbers.setdefault(text[len(_HEAD) : end], len(self._numbers) + 1)
        return f"[s{number}] {text[end + len(_MIDDLE) : -len(_TAIL)]}"

    def lines(self) -> Iterator[str]:
        """Yield what the numbers stand for."""
        for schema, number in self._numbers.items():
            yield from ("", f"schema s{number}", f"  {schema}")

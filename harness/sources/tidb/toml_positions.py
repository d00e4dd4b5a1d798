"""Where each key and value of a TOML text stands, which `tomllib` does not report.

The text is one that `tomllib` has read: only its shape is followed here, no value is understood.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from harness.sources.tidb.refusal import ConfigPath

# Line and column, both from 1.
Place = tuple[int, int]

_SKIP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACES = re.compile(r"[ \t]*")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^\s,\]}#][^,\]}#\n]*")
_ESCAPED = re.compile(r"\\(.)")


def places(text: str) -> Mapping[ConfigPath, Place]:
    """Return line and column of every key, table and list item of a sound TOML text, by path."""
    return _Walk(text).run()


class _Walk:
    """One pass over the text, remembering where it met what."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._found: dict[ConfigPath, Place] = {}
        self._lengths: dict[ConfigPath, int] = {}

    def run(self) -> Mapping[ConfigPath, Place]:
        table: ConfigPath = ()
        self._skip()
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip()
        return self._found

    def _skip(self, pattern: re.Pattern[str] = _SKIP) -> None:
        found = pattern.match(self._text, self._at)
        assert found is not None
        self._at = found.end()

    def _note(self, path: ConfigPath, at: int) -> None:
        before = self._text[:at]
        place = before.count("\n") + 1, at - before.rfind("\n")
        self._found.setdefault(path, place)

    def _header(self) -> ConfigPath:
        start = self._at
        many = self._text.startswith("[[", start)
        self._at += 2 if many else 1
        self._skip(_SPACES)
        path = self._resolved(self._key())
        self._at = self._text.index("]", self._at) + (2 if many else 1)
        self._note(path, start)
        if not many:
            return path
        number = self._lengths.get(path, 0)
        self._lengths[path] = number + 1
        self._note((*path, number), start)
        return (*path, number)

    def _resolved(self, keys: tuple[str, ...]) -> ConfigPath:
        """Return a header's path: through a list of tables it leads to the last of them."""
        path: ConfigPath = ()
        for key in keys[:-1]:
            path = (*path, key)
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
        return (*path, keys[-1])

    def _key(self) -> tuple[str, ...]:
        parts: list[str] = []
        while True:
            found = _STRING.match(self._text, self._at) or _BARE.match(self._text, self._at)
            assert found is not None
            self._at = found.end()
            word = found[0]
            parts.append(_ESCAPED.sub(r"\1", word[1:-1]) if word[0] in "\"'" else word)
            self._skip(_SPACES)
            if not self._text.startswith(".", self._at):
                return tuple(parts)
            self._at += 1
            self._skip(_SPACES)

    def _pair(self, table: ConfigPath) -> None:
        start = self._at
        path: ConfigPath = table
        for key in self._key():
            path = (*path, key)
            self._note(path, start)
        self._at = self._text.index("=", self._at) + 1
        self._skip(_SPACES)
        self._value(path)

    def _value(self, path: ConfigPath) -> None:
        opening = self._text[self._at]
        if opening == "[":
            self._items(path)
        elif opening == "{":
            self._inline(path)
        else:
            string = _STRING.match(self._text, self._at)
            self._skip(_STRING if string else _SCALAR)

    def _items(self, path: ConfigPath) -> None:
        self._at += 1
        number = 0
        self._skip()
        while self._text[self._at] != "]":
            self._note((*path, number), self._at)
            self._value((*path, number))
            self._skip()
            if self._text[self._at] == ",":
                self._at += 1
                self._skip()
            number += 1
        self._at += 1

    def _inline(self, path: ConfigPath) -> None:
        self._at += 1
        self._skip()
        while self._text[self._at] != "}":
            self._pair(path)
            self._skip()
            if self._text[self._at] == ",":
                self._at += 1
                self._skip()
        self._at += 1

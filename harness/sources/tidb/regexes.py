r"""Regular expressions as Go's `regexp` reads them, which is RE2.

Python's own `re` accepts what Go refuses (lookaround, backreferences) and means other things by
`$`, `\d` and `(?i)`; a filter that passes here must pass there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, cast

import re2  # pyright: ignore[reportMissingTypeStubs] - it ships none

# The library ships no types; past this line it has those that we use.
_RE2 = cast("Any", re2)


class _Compiled(Protocol):
    def search(self, text: str) -> object | None: ...


# RE2 needs the square of a pattern's nesting, and Go nests to 1,000 (regexp/syntax, maxHeight).
PATTERN_MAX = 4096


class RegexError(ValueError):
    """A pattern that RE2 refuses; the text says why."""


@dataclass(frozen=True, slots=True)
class GoRegex:
    """A pattern that RE2 accepts; `go_regex` makes it."""

    pattern: str

    def found_in(self, text: str) -> bool:
        """Return whether any part of the text matches."""
        return _compiled(self.pattern).search(text) is not None


def go_regex(pattern: str) -> GoRegex:
    """Return the pattern, proved to compile; RegexError otherwise."""
    _compiled(pattern)
    return GoRegex(pattern)


@cache
def _compiled(pattern: str) -> _Compiled:
    if len(pattern) > PATTERN_MAX:
        raise RegexError(f"{len(pattern)} characters, of which {PATTERN_MAX} are compiled here")
    if not pattern.isprintable() and any("\ud800" <= one <= "\udfff" for one in pattern):
        raise RegexError("half of a surrogate pair, which is no character")
    options = _RE2.Options()
    options.log_errors = False
    try:
        return cast("_Compiled", _RE2.compile(pattern, options))
    except _RE2.error as error:
        raise RegexError(b" ".join(cast("tuple[bytes, ...]", error.args)).decode()) from error

"""The word that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known word that is closest to `word`, or None when none is close.

    `cutoff` is the least likeness, from 0 to 1; long words with common parts need more of it.
    """
    by_lower = {candidate.lower(): candidate for candidate in known}
    plain = word.lower()
    for close in (plain, plain.replace("_", "-"), plain.replace("-", "_")):
        if close in by_lower:
            return by_lower[close]
    found = get_close_matches(plain, by_lower, n=1, cutoff=cutoff)
    return by_lower[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return "did you mean `x`?", or nothing when no known word is close."""
    close = nearest(word, known, cutoff)
    return f"did you mean `{close}`?" if close else ""


def one_of(known: Iterable[str]) -> str:
    """Return "one of `a`, `b`", or "`a`" when there is only one."""
    words = [f"`{word}`" for word in known]
    return words[0] if len(words) == 1 else "one of " + ", ".join(words)

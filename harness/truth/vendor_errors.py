"""What a vendor's error text says: the codes in it, outermost first.

TiCDC writes `[CDC:ErrName]words: [CDC:ErrCause]words`; the words hold ids and times of one run.
"""

from __future__ import annotations

import re

_CODE = re.compile(r"\[CDC:(\w+)\]")


def codes_of(text: str) -> tuple[str, ...]:
    """Return all codes of an error text; none when the error has no code."""
    return tuple(_CODE.findall(text))


def code_of(text: str) -> str:
    """Return the outermost code of an error text, the empty string when it has none."""
    return next(iter(codes_of(text)), "")

"""Regular expressions as Java writes them, where Python writes them otherwise.

Source: JDK 17 `java.util.regex.Pattern`. Intersections of character classes have no like here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_ENTRY: Final = re.compile(r"(?:\\.|[^\\,])+", re.DOTALL)
_QUOTED: Final = re.compile(r"\\Q(.*?)(?:\\E|\Z)", re.DOTALL)
_JAVA: Final = re.compile(
    r"\\([pP])(?:\{(?:Is)?(\w+)\}|(\w))|\\([zZhR])|\(\?<(?=[A-Za-z])|\\.", re.DOTALL
)
# What a class holds, as it stands between brackets, of ASCII alone as Java has it without flags.
_CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "Lower": "a-z",
        "Upper": "A-Z",
        "ASCII": r"\x00-\x7f",
        "Alpha": "a-zA-Z",
        "Digit": "0-9",
        "Alnum": "a-zA-Z0-9",
        "Punct": r"!-/:-@\[-`{-~",
        "Graph": "!-~",
        "Print": " -~",
        "Blank": r" \t",
        "Cntrl": r"\x00-\x1f\x7f",
        "XDigit": "0-9a-fA-F",
        "Space": r" \t\n\x0b\f\r",
    }
)
_LETTERS: Final = r"[^\W\d_]"
_WORDS: Mapping[str, str] = MappingProxyType(
    {"z": r"\Z", "Z": r"(?=\n?\Z)", "h": r"[ \t\xa0]", "R": r"(?:\r\n|[\n-\r\x85])"}
)


def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Compile an expression as Java would; `re.error` for what neither of the two takes."""
    plain = _QUOTED.sub(lambda quoted: re.escape(quoted[1]), pattern)
    return re.compile(_JAVA.sub(lambda found: _python(found, plain), plain), flags)


def expressions(text: str) -> tuple[re.Pattern[str], ...]:
    """Compile a comma-separated list as a connector's include and exclude lists are.

    A comma behind a backslash is part of its entry. `re.error` for what is no expression.
    """
    parts = (part.strip().replace("\\,", ",") for part in _ENTRY.findall(text))
    return tuple(compiled(part, re.IGNORECASE | re.ASCII) for part in parts if part)


def _python(found: re.Match[str], pattern: str) -> str:
    if found[0] == "(?<":
        return "(?P<"
    if found[4]:
        return _WORDS[found[4]]
    if not found[1]:
        return found[0]
    name = found[2] or found[3]
    if name in _CLASSES:
        held = _CLASSES[name]
        inside = _in_class(pattern, found.start())
        return held if inside and found[1] == "p" else f"[{'^' if found[1] == 'P' else ''}{held}]"
    if name in ("L", "Alphabetic", "IsAlphabetic"):
        return f"(?u:{_LETTERS})" if found[1] == "p" else r"(?u:[\W\d_])"
    return found[0]


def _in_class(pattern: str, at: int) -> bool:
    """Return whether a bracket is open at a place."""
    return pattern.rfind("[", 0, at) > pattern.rfind("]", 0, at)

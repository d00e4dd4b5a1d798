"""Names of schemas and fields, adjusted for Avro or left alone.

Source: C:schema/SchemaNameAdjuster.java validFullname, C:schema/UnicodeReplacementFunction.java;
vectors 05_config adjust.*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from harness.codecs.connect.java import code_units

Adjuster = Callable[[str], str]

_FIRST: Final = re.compile(r"[A-Za-z_]")
_FIRST_ESCAPED: Final = re.compile(r"[A-Za-z]")
_REST: Final = re.compile(r"[A-Za-z0-9_.]")
_REST_ESCAPED: Final = re.compile(r"[A-Za-z0-9.]")
_FIELD_REST: Final = re.compile(r"[A-Za-z0-9_]")
_FIELD_REST_ESCAPED: Final = re.compile(r"[A-Za-z0-9]")


def unchanged(name: str) -> str:
    """Leave a name as it is: mode `none`."""
    return name


def units(name: str) -> list[str]:
    """Return a name's UTF-16 units as strings of one character."""
    return [*map(chr, code_units(name))]


def escaped(unit: str) -> str:
    """Return `_u` and the hexadecimal digits: padded by two zeros up to two digits, else not."""
    digits = f"{ord(unit):x}"
    return f"_u00{digits}" if len(digits) <= 2 else f"_u{digits}"


def _underscores(rest: re.Pattern[str]) -> Adjuster:
    def adjust(name: str) -> str:
        if not name:
            return name
        first, *others = units(name)
        start = first
        if not _FIRST.match(first):
            # Two fields that differ in their leading digit only must stay apart.
            start = f"_{first}" if first.isdecimal() else "_"
        return start + "".join(unit if rest.match(unit) else "_" for unit in others)

    return adjust


def _unicode(rest: re.Pattern[str]) -> Adjuster:
    def adjust(name: str) -> str:
        if not name:
            return name
        first, *others = units(name)
        start = first if _FIRST_ESCAPED.match(first) else escaped(first)
        return start + "".join(unit if rest.match(unit) else escaped(unit) for unit in others)

    return adjust


SCHEMA_NAMES: Mapping[str, Adjuster] = MappingProxyType(
    {"none": unchanged, "avro": _underscores(_REST), "avro_unicode": _unicode(_REST_ESCAPED)}
)
FIELD_NAMES: Mapping[str, Adjuster] = MappingProxyType(
    {
        "none": unchanged,
        "avro": _underscores(_FIELD_REST),
        "avro_unicode": _unicode(_FIELD_REST_ESCAPED),
    }
)

"""Raw Avro values back to canonical ones, by the `tidb_type` that the schema gives each field.

| tidb_type | Avro | value |
| --- | --- | --- |
| INT, INT UNSIGNED, BIGINT, YEAR | int, long | the number |
| BIGINT UNSIGNED | long, string | the number, unwrapped |
| FLOAT, DOUBLE | float, double | the number |
| DECIMAL | bytes, string | text with the scale's digits |
| BIT | bytes | the bits as a number |
| ENUM, SET | string | index and mask, by the order of `allowed` |
| TEXT, BLOB | string, bytes | themselves |
| JSON, temporals, TiDBVECTORFloat32 | string | themselves |

`allowed` loses backslashes, so names may be alike in it: a name that is not there exactly once, or
whose place is unsure, is given as text, for a caller that knows the column.

Source: TiCDC codec notes §3.3; TiCDC Avro Protocol, §Column data format.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal

from harness.codecs.avro.decode_body import AvroFieldShape, Raw
from harness.errors import DecodingError
from harness.model.values import Value

_COMMA = re.compile(r"(?<!\\),")
_DECIMAL = re.compile(r"-?\d{1,65}(\.\d{1,30})?\Z", re.ASCII)
_DECLARED = re.compile(r"[+-]?\d{1,65}(\.\d{1,30})?(e[+-]?\d{1,2})?\Z", re.ASCII | re.IGNORECASE)
_UNSIGNED = re.compile(r"\d{1,20}\Z", re.ASCII)
_WRAP = 2**64
Reader = Callable[[AvroFieldShape, Raw], Value]


def value_of(form: AvroFieldShape, raw: Raw) -> Value:
    """Return a field's value; DecodingError where the bytes are none of its type."""
    if raw is None:
        return None
    kind = form.parameters.get("tidb_type", "")
    if kind not in _READERS:
        raise DecodingError(f"field {form.name!r} has the tidb_type {kind[:60]!r}")
    types, read = _READERS[kind]
    if form.type not in types:
        raise DecodingError(
            f"field {form.name!r} of tidb_type {kind} is of the Avro type {form.type}",
            expected=" or ".join(sorted(types)),
        )
    return read(form, raw)


def default_of(form: AvroFieldShape) -> Value:
    """Return a field's default as a value: a DECIMAL's is written as the table was declared."""
    raw = form.default
    if form.parameters.get("tidb_type") == "DECIMAL" and isinstance(raw, str):
        raw = f"{Decimal(raw):f}" if _DECLARED.match(raw) else raw
    return value_of(form, raw)


def _same(form: AvroFieldShape, raw: Raw) -> Value:
    del form
    return raw


def _unsigned(form: AvroFieldShape, raw: Raw) -> Value:
    if isinstance(raw, int):
        return raw % _WRAP
    assert isinstance(raw, str)
    if not _UNSIGNED.match(raw) or int(raw) >= _WRAP:
        raise DecodingError(f"field {form.name!r} has {raw[:60]!r} for an unsigned number")
    return int(raw)


def _float(form: AvroFieldShape, raw: Raw) -> Value:
    assert isinstance(raw, float)
    if not math.isfinite(raw):
        raise DecodingError(f"field {form.name!r} has {raw}, which MySQL cannot store")
    return raw


def _decimal(form: AvroFieldShape, raw: Raw) -> Value:
    if isinstance(raw, str):
        if not _DECIMAL.match(raw):
            raise DecodingError(f"field {form.name!r} has {raw[:60]!r} for a decimal")
        return raw
    assert isinstance(raw, bytes)
    if form.scale is None or not 1 <= len(raw) <= 32:
        raise DecodingError(f"field {form.name!r} has {len(raw)} bytes for a decimal")
    number = int.from_bytes(raw, "big", signed=True)
    digits = str(abs(number)).rjust(form.scale + 1, "0")
    sign = "-" if number < 0 else ""
    cut = len(digits) - form.scale
    return f"{sign}{digits[:cut]}.{digits[cut:]}" if form.scale else f"{sign}{digits}"


def _bits(form: AvroFieldShape, raw: Raw) -> Value:
    assert isinstance(raw, bytes)
    if not 1 <= len(raw) <= 8:
        raise DecodingError(f"field {form.name!r} has {len(raw)} bytes for bits")
    return int.from_bytes(raw, "big")


def _enum(form: AvroFieldShape, raw: Raw) -> Value:
    assert isinstance(raw, str)
    members = _COMMA.split(form.parameters.get("allowed", ""))
    place = _place(members, raw)
    # A backslash before a comma is TiCDC's, or the end of a member: the count behind it is unsure.
    unsure = place is None or any("\\," in member for member in members[:place])
    return raw if unsure or place is None else place + 1


def _set(form: AvroFieldShape, raw: Raw) -> Value:
    assert isinstance(raw, str)
    # No member of a SET has a comma, so none is escaped.
    members = form.parameters.get("allowed", "").split(",")
    places = [_place(members, name) for name in raw.split(",")] if raw else []
    known = {place for place in places if place is not None}
    return raw if len(known) < len(places) else sum(1 << place for place in known)


def _place(members: list[str], name: str) -> int | None:
    escaped = name.replace(",", "\\,").replace("\\'", "'").replace("''", "'")
    return members.index(escaped) if members.count(escaped) == 1 else None


_INTEGER = frozenset({"int", "long"})
_TEXT = frozenset({"string"})
_BYTES = frozenset({"bytes"})
_READERS: Mapping[str, tuple[frozenset[str], Reader]] = {
    **dict.fromkeys(("INT", "INT UNSIGNED", "BIGINT", "YEAR"), (_INTEGER, _same)),
    "BIGINT UNSIGNED": (frozenset({"long", "string"}), _unsigned),
    "FLOAT": (frozenset({"float", "double"}), _float),
    "DOUBLE": (frozenset({"double"}), _float),
    "DECIMAL": (frozenset({"bytes", "string"}), _decimal),
    "BIT": (_BYTES, _bits),
    "BLOB": (_BYTES, _same),
    "ENUM": (_TEXT, _enum),
    "SET": (_TEXT, _set),
    **dict.fromkeys(
        ("TEXT", "JSON", "DATE", "TIME", "DATETIME", "TIMESTAMP", "TiDBVECTORFloat32"),
        (_TEXT, _same),
    ),
}

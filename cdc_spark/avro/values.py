"""Avro values of TiDB's types in contract JSON, and the defaults that schemas have.

Source: TiCDC Avro Protocol, §Column data format; for the spelling of defaults tiflow c7b2588
pkg/sink/codec/avro/avro.go:552 (bytes as base64, functions as their text, no default for a DECIMAL
that travels as bytes).
"""

from __future__ import annotations

import math
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Reader = Callable[[Any], int | float | str]
Maker = Callable[[int], Reader]
Default = int | float | str | None

_WRAP = 2**64
_DIGITS = re.compile(r"\d{1,20}\Z", re.ASCII)
_DECIMAL = re.compile(r"-?\d{1,65}(\.\d{1,30})?\Z", re.ASCII)
_TIMES = re.compile(r"-?[\d:. -]+\Z", re.ASCII)
_BITS_BYTES = 8
_FUNCTIONS = frozenset({"uuid()"})


def unscaled(raw: bytes, scale: int) -> str:
    """Return the decimal number of a two's complement, big-endian."""
    number = int.from_bytes(raw, "big", signed=True)
    digits = str(abs(number)).rjust(scale + 1, "0")
    sign = "-" if number < 0 else ""
    return f"{sign}{digits[:-scale]}.{digits[-scale:]}" if scale else f"{sign}{digits}"


def _decimal(scale: int) -> Reader:
    return lambda raw: unscaled(raw, scale)


def _decimal_text(_: int) -> Reader:
    def read(raw: str) -> str:
        if not _DECIMAL.match(raw):
            raise ValueError(f"{raw[:60]!r} is not a decimal")
        return raw

    return read


def _unwrapped(_: int) -> Reader:
    return lambda raw: raw % _WRAP


def _unsigned_text(_: int) -> Reader:
    def read(raw: str) -> int:
        if not _DIGITS.match(raw) or int(raw) >= _WRAP:
            raise ValueError(f"{raw[:60]!r} is not an unsigned number")
        return int(raw)

    return read


def _finite(_: int) -> Reader:
    def read(raw: float) -> float:
        if not math.isfinite(raw):
            raise ValueError(f"{raw} is not a number that a database stores")
        return raw

    return read


def _bits(_: int) -> Reader:
    def read(raw: bytes) -> int:
        if not 1 <= len(raw) <= _BITS_BYTES:
            raise ValueError(f"{len(raw)} bytes of bits")
        return int.from_bytes(raw, "big")

    return read


def _hex(_: int) -> Reader:
    return bytes.hex


@dataclass(frozen=True, slots=True)
class Type:
    """A TiDB type: what kind of values it has, and a reader for each Avro type that it may have.

    No reader: the value is as the contract wants it.
    """

    family: str
    readers: Mapping[str, Maker | None]


_WHOLE: Mapping[str, Maker | None] = {"int": None, "long": None}
_TEXT: Mapping[str, Maker | None] = {"string": None}
TYPES: Mapping[str, Type] = {
    **dict.fromkeys(("INT", "INT UNSIGNED", "BIGINT"), Type("integer", _WHOLE)),
    "BIGINT UNSIGNED": Type("integer", {"long": _unwrapped, "string": _unsigned_text}),
    "YEAR": Type("year", _WHOLE),
    "FLOAT": Type("float", {"float": _finite, "double": _finite}),
    "DOUBLE": Type("double", {"double": _finite}),
    "DECIMAL": Type("decimal", {"bytes": _decimal, "string": _decimal_text}),
    "BIT": Type("bit", {"bytes": _bits}),
    "BLOB": Type("blob", {"bytes": _hex}),
    "TEXT": Type("text", _TEXT),
    "ENUM": Type("enum", _TEXT),
    "SET": Type("set", _TEXT),
    "JSON": Type("json", _TEXT),
    "DATE": Type("date", _TEXT),
    "TIME": Type("time", _TEXT),
    "DATETIME": Type("datetime", _TEXT),
    "TIMESTAMP": Type("timestamp", _TEXT),
    "TiDBVECTORFloat32": Type("vector", _TEXT),
}
_TEMPORAL = frozenset({"DATE", "TIME", "DATETIME", "TIMESTAMP"})


def default_of(kind: str, avro_type: str, default: object) -> Default:
    """Return the value that a schema's default gives to older rows; None when it gives none.

    A function is known to the database only.
    """
    if default is None or isinstance(default, bool) or not isinstance(default, int | float | str):
        return None
    try:
        return _default(kind, avro_type, default)
    except ValueError:
        return None


def _default(kind: str, avro_type: str, default: float | str) -> Default:
    if kind == "BIGINT UNSIGNED":
        return int(default) % _WRAP
    if isinstance(default, str):
        if default in _FUNCTIONS or (kind in _TEMPORAL and not _TIMES.match(default)):
            return None
        return _FROM_TEXT[avro_type](kind, default)
    # A number without a point is one of JSON's integers, of any size.
    return float(default) if avro_type in ("float", "double") else default


def _of_bytes(kind: str, default: str) -> Default:
    if kind == "DECIMAL":
        return None
    raw = b64decode(default, validate=True)
    return raw.hex() if kind == "BLOB" else int.from_bytes(raw, "big")


def _as_it_is(_: str, default: str) -> Default:
    return default


_FROM_TEXT: Mapping[str, Callable[[str, str], Default]] = {
    **dict.fromkeys(("string", "int", "long", "float", "double"), _as_it_is),
    "bytes": _of_bytes,
}

"""The value of one column, by its type code: wire JSON -> contract JSON, nothing lost.

A table for each dialect, one line a type code. What comes out is what the consumer contract
asks for: integers and indexes as numbers, decimals and temporals as text, bytes as lower-case
hexadecimal, NULL as null.

Dialect 4.0.4 sends strings as base64 and no flags, so that text and bytes look alike; such a value
comes out as `[hex]`, and whoever knows the table's definition settles it (`apply.values`).

Sources: TiCDC Open Protocol (2020), §Column type codes and §Column flags; where current TiCDC
differs from that page, tiflow c7b2588 pkg/sink/codec/open and cdc/model/schema_storage.go:237.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cdc_spark.errors import DecodingError
from cdc_spark.events import Plain
from cdc_spark.open.go_quote import unquote

BINARY_FLAG = 1
HANDLE_KEY_FLAG = 2
_EXPECTED = '{"t": a type code of the protocol, "f": flags, "v": value}'

Reader = Callable[[object, int], Plain]


def _integer(value: object, _flag: int) -> Plain:
    if type(value) is int:  # bool is an int in Python, not in JSON
        return value
    raise DecodingError(f"{value!r} is not an integer")


def _number(value: object, _flag: int) -> Plain:
    if type(value) is float:
        return value
    if type(value) is int:
        return float(value)
    raise DecodingError(f"{value!r} is not a number")


def _text(value: object, _flag: int) -> Plain:
    if type(value) is str:
        return value
    raise DecodingError(f"{value!r} is not a string")


def _null(value: object, _flag: int) -> Plain:
    raise DecodingError(f"type code 6 is NULL but the value is {value!r}")


def _quoted(value: object, flag: int) -> Plain:
    """Plain text, or bytes in Go's quotation when the column's character set is binary."""
    if type(value) is not str:
        raise DecodingError(f"{value!r} is not a string")
    return unquote(value).hex() if flag & BINARY_FLAG else value


def _base64(value: object, flag: int) -> Plain:
    raw = _bytes(value)
    if flag & BINARY_FLAG:
        return raw.hex()
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise DecodingError(f"text that is not UTF-8: {raw[:20].hex()}") from error


def _unknown_bytes(value: object, _flag: int) -> Plain:
    return [_bytes(value).hex()]


def _bytes(value: object) -> bytes:
    if type(value) is not str:
        raise DecodingError(f"{value!r} is not a string of base64")
    try:
        return base64.b64decode(value, validate=True)
    except ValueError as error:
        raise DecodingError(f"{value[:40]!r} is not base64: {error}") from error


_NUMBERS_AND_TIMES: Mapping[int, Reader] = {
    1: _integer,  # TINYINT, BOOL
    2: _integer,  # SMALLINT
    3: _integer,  # INT
    4: _number,  # FLOAT
    5: _number,  # DOUBLE
    6: _null,  # NULL
    7: _text,  # TIMESTAMP
    8: _integer,  # BIGINT
    9: _integer,  # MEDIUMINT
    10: _text,  # DATE
    11: _text,  # TIME
    12: _text,  # DATETIME
    13: _integer,  # YEAR
    14: _text,  # DATE, in the 2020 document
    16: _integer,  # BIT
    225: _text,  # VECTOR
    245: _text,  # JSON
    246: _text,  # DECIMAL
    247: _integer,  # ENUM, the member's index
    248: _integer,  # SET, a mask of members
}
_TIMESTAMP = 7
_STRINGS = (15, 253, 254)  # VARCHAR and VARBINARY; the same, in the 2020 document; CHAR and BINARY
_LOBS = (249, 250, 251, 252)  # TINY-, MEDIUM-, LONG-, plain TEXT and BLOB


# Type codes whose values come out as they went in, when JSON has them as this type of Python's.
_AS_THEY_ARE: Mapping[int, type] = {
    **dict.fromkeys((1, 2, 3, 8, 9, 13, 16, 247, 248), int),
    **dict.fromkeys((4, 5), float),
    **dict.fromkeys((7, 10, 11, 12, 14, 225, 245, 246), str),
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one version writes columns; `flags`: each column has its `f`.

    `plain` are the type codes whose values need no reader, without and with the binary flag: most
    columns are such, and asking the table is quicker than calling a reader that changes nothing.
    """

    readers: Mapping[int, Reader]
    flags: bool
    plain: tuple[Mapping[int, Any], Mapping[int, Any]] = ({}, {})


_CURRENT = Dialect(
    readers={
        **_NUMBERS_AND_TIMES,
        **dict.fromkeys(_STRINGS, _quoted),
        **dict.fromkeys(_LOBS, _base64),
    },
    flags=True,
    plain=({**_AS_THEY_ARE, **dict.fromkeys(_STRINGS, str)}, _AS_THEY_ARE),
)
DIALECTS: Mapping[str, Dialect] = {
    "current": _CURRENT,
    # Other orders and escapes, which JSON does not mind.
    "newarch": _CURRENT,
    "4.0.4": Dialect(
        readers={
            **_NUMBERS_AND_TIMES,
            **dict.fromkeys((*_STRINGS, *_LOBS), _unknown_bytes),
        },
        flags=False,
    ),
}


def in_zone(dialect: Dialect, in_utc: Callable[[str], str] | None) -> Dialect:
    """Return a dialect with TIMESTAMPs of a server's clock; None is UTC."""
    if in_utc is None:
        return dialect

    def moment(value: object, flag: int) -> Plain:
        return in_utc(str(_text(value, flag)))

    plain = tuple(
        {code: kind for code, kind in kinds.items() if code != _TIMESTAMP}
        for kinds in dialect.plain
    )
    return replace(
        dialect, readers={**dialect.readers, _TIMESTAMP: moment}, plain=(plain[0], plain[1])
    )


def read(dialect: Dialect, name: str, parts: Mapping[str, Any]) -> Plain:
    """Return the value of a wire column `{"t", "h", "f", "v"}`; raises DecodingError naming it."""
    flag = parts.get("f") if dialect.flags else 0
    reader = dialect.readers.get(parts.get("t", 0))
    if reader is None or type(flag) is not int or "v" not in parts:
        raise DecodingError(f"column {name!r} is {_clip(parts)}", expected=_EXPECTED)
    try:
        return None if parts["v"] is None else reader(parts["v"], flag)
    except DecodingError as error:
        raise named(error, name) from error


def named(error: DecodingError, name: str) -> DecodingError:
    """Return what is wrong with a value, with the name of its column."""
    return DecodingError(f"column {name!r}: {error.what}", expected=error.expected)


def image(dialect: Dialect, columns: Mapping[str, Any]) -> tuple[dict[str, Plain], list[str]]:
    """Return a row, and the names of its handle key's columns: they say `h`, or their flags do.

    Raises DecodingError naming the column that cannot be read.
    """
    row: dict[str, Plain] = {}
    handle: list[str] = []
    plain = dialect.plain
    for name, column in columns.items():
        if not isinstance(column, dict):
            raise DecodingError(f"column {name!r} is {_clip(column)}", expected=_EXPECTED)
        parts: Any = column  # pyright: ignore[reportUnknownVariableType] - a cast costs a call
        flag: Any = parts.get("f")
        value: Any = parts.get("v")
        flagged = type(flag) is int
        if flagged and plain[flag & BINARY_FLAG].get(parts.get("t", 0)) is type(value):
            row[name] = value
        else:
            row[name] = read(dialect, name, parts)
        if parts.get("h") is True or (flagged and flag & HANDLE_KEY_FLAG):
            handle.append(name)
    handle.sort()
    return row, handle


def _clip(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."

"""One canonical value for each column, whatever spelling it arrived in.

A golden, a YAML expectation, a column default and a consumer's answer all name values; this module
is the only place that decides when two of them are the same. It raises `ValueError` with a sentence
when a spelling does not fit the column: the caller knows whose fault that is.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Callable, Mapping
from decimal import Decimal, localcontext
from typing import cast

from harness.model.columns import Column, ColumnKind
from harness.model.values import Value

INTEGER_BITS: Mapping[ColumnKind, int] = {
    ColumnKind.TINYINT: 8,
    ColumnKind.SMALLINT: 16,
    ColumnKind.MEDIUMINT: 24,
    ColumnKind.INT: 32,
    ColumnKind.BIGINT: 64,
}
YEARS = range(1901, 2156)
# MySQL, §Fixed-Point Types: at most 65 digits, of which at most 30 follow the point.
DECIMAL_DIGITS_MAX = 65
# Far more digits than any column type has: what is longer is refused before it is converted.
DIGITS_MAX = 400
# What JSON numbers are stored as integers: int64, then uint64.
JSON_INTEGERS = range(-(2**63), 2**64)
# Doubles are written without an exponent from here up to, and without, there.
JSON_FIXED_MIN, JSON_FIXED_MAX = 1e-15, 1e15
_LONE = re.compile("[\ud800-\udfff]")
_FLOAT32 = struct.Struct("<f")
# ASCII: Python's own parsers read every script's digits, underscores and spaces besides.
_INTEGER = re.compile(r"[+-]?\d+\Z", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,6})?\Z", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
_DATETIME = re.compile(r"(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.(\d+))?\Z", re.ASCII)
_TIME = re.compile(r"(-?\d{2,3}:\d{2}:\d{2})(?:\.(\d+))?\Z", re.ASCII)


def canonical(column: Column, raw: object) -> Value:
    """Return the canonical value of `raw` for `column`; raise ValueError when it does not fit.

    `raw` is JSON or YAML data (numbers with a point as Decimal), or already canonical.
    """
    if raw is None:
        return None
    return _READERS[column.kind](column, raw)


def selected_float(column: Column, value: float) -> Value:
    """Return a FLOAT as a SELECT shows it: six digits, or as many behind the point as it declares.

    Source: MySQL sql/field.cc, `Field_float::val_str`.
    """
    digits = ".6g" if column.scale is None else f".{column.scale}f"
    return canonical(column, float(f"{value:{digits}}"))


def _integer(column: Column, raw: object) -> int:
    value = _exact_integer(raw)
    bits = INTEGER_BITS[column.kind]
    low, high = (0, 2**bits - 1) if column.unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if not low <= value <= high:
        sign = " unsigned" if column.unsigned else ""
        raise ValueError(f"{value} is out of the range of {column.kind.value}{sign}")
    return value


def _exact_integer(raw: object) -> int:
    if isinstance(raw, bool):
        return int(raw)
    if isinstance(raw, int):
        return raw
    if isinstance(raw, Decimal | float):
        number = Decimal(raw)
        bounded = number.is_finite() and number.adjusted() < DIGITS_MAX
        if bounded and number == number.to_integral_value():
            return int(number)
    if isinstance(raw, str) and len(raw) < DIGITS_MAX and _INTEGER.match(raw):
        return int(raw)
    raise ValueError(f"{_shown(raw)} is not an integer")


def _year(column: Column, raw: object) -> int:
    del column
    value = _exact_integer(raw)
    if value and value not in YEARS:
        raise ValueError(f"{value} is not a year (0, or {YEARS.start} to {YEARS.stop - 1})")
    return value


def _shown(raw: object) -> str:
    text = repr(raw)
    return text if len(text) <= DIGITS_MAX else f"{text[:DIGITS_MAX]}…"


def _float32(column: Column, raw: object) -> float:
    value = _float64(column, raw)
    try:
        narrowed: float = _FLOAT32.unpack(_FLOAT32.pack(value))[0]
    except OverflowError as error:
        raise ValueError(f"{raw!r} is out of the range of float") from error
    return narrowed or 0.0


def _float64(column: Column, raw: object) -> float:
    del column
    try:
        value = float(_number(raw))
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ValueError(f"{_shown(raw)} is not a finite number")
    # MySQL compares the two zeros as one.
    return value or 0.0


def _number(raw: object) -> int | float | Decimal | str:
    """Return what may be read as a number; texts of another shape Python would read too."""
    if isinstance(raw, str) and not (len(raw) <= DIGITS_MAX and _NUMBER.match(raw)):
        raise ValueError(f"{_shown(raw)} is not a number")
    if isinstance(raw, bool) or not isinstance(raw, int | float | Decimal | str):
        raise ValueError(f"{_shown(raw)} is not a number")
    return raw


def _decimal(column: Column, raw: object) -> str:
    number = _number(raw)
    # A float stands for the shortest decimal that reads back as it.
    value = Decimal(repr(number) if isinstance(number, float) else number)
    if not value.is_finite():
        raise ValueError(f"{raw!r} is not a finite number")
    if value.adjusted() >= DECIMAL_DIGITS_MAX:
        raise ValueError(f"{_shown(raw)} has more digits than any decimal column")
    scale = column.scale or 0
    with localcontext() as context:
        context.prec = 2 * DECIMAL_DIGITS_MAX
        scaled = value.quantize(Decimal(1).scaleb(-scale))
        if scaled != value:
            raise ValueError(f"{_shown(raw)} has more than {scale} digits after the point")
        return f"{scaled:f}" if scaled else f"{abs(scaled):f}"


def _bits(column: Column, raw: object) -> int:
    value = _exact_integer(raw)
    if not 0 <= value < 2 ** (column.length or 1):
        raise ValueError(f"{value} does not fit into {column.length or 1} bits")
    return value


def _enum(column: Column, raw: object) -> int:
    if isinstance(raw, str) and raw in column.members:
        return column.members.index(raw) + 1
    if raw == "":
        return 0
    if isinstance(raw, str) and not _INTEGER.match(raw):
        raise ValueError(f"{raw!r} is not a member of {list(column.members)}")
    value = _exact_integer(raw)
    if not 0 <= value <= len(column.members):
        raise ValueError(f"{value} is not an index into {list(column.members)}")
    return value


def _set(column: Column, raw: object) -> int:
    if isinstance(raw, str):
        members = raw.split(",") if raw else []
        unknown = [member for member in members if member not in column.members]
        if not unknown:
            return sum(1 << column.members.index(member) for member in set(members))
        if not _INTEGER.match(raw):
            raise ValueError(f"{unknown[0]!r} is not a member of {list(column.members)}")
    value = _exact_integer(raw)
    if not 0 <= value < 2 ** len(column.members):
        raise ValueError(f"{value} is not a mask over {list(column.members)}")
    return value


def _fraction(digits: str | None, fsp: int, raw: str) -> str:
    kept = (digits or "").ljust(fsp, "0")
    if kept[fsp:].strip("0"):
        raise ValueError(f"{raw!r} has more than {fsp} fractional digits")
    return f".{kept[:fsp]}" if fsp else ""


def _date(column: Column, raw: object) -> str:
    del column
    if isinstance(raw, str) and _DATE.match(raw):
        return raw
    raise ValueError(f"{raw!r} is not a date (YYYY-MM-DD)")


def _datetime(column: Column, raw: object) -> str:
    match = _DATETIME.match(raw) if isinstance(raw, str) else None
    if match is None:
        raise ValueError(f"{raw!r} is not a date and time (YYYY-MM-DD HH:MM:SS[.fraction])")
    return f"{match[1]} {match[2]}{_fraction(match[3], column.fsp, match[0])}"


def _time(column: Column, raw: object) -> str:
    match = _TIME.match(raw) if isinstance(raw, str) else None
    if match is None:
        raise ValueError(f"{raw!r} is not a time ([-]HH:MM:SS[.fraction])")
    return f"{match[1]}{_fraction(match[2], column.fsp, match[0])}"


def _text(column: Column, raw: object) -> str:
    if not isinstance(raw, str):
        raise ValueError(f"{raw!r} is not text")
    return raw.rstrip(" ") if column.kind is ColumnKind.CHAR else raw


def _bytes(column: Column, raw: object) -> bytes:
    if isinstance(raw, str):
        try:
            raw = bytes.fromhex(raw)
        except ValueError as error:
            raise ValueError(f"{raw!r} is not hexadecimal") from error
    if not isinstance(raw, bytes):
        raise ValueError(f"{raw!r} is not binary (hexadecimal text)")
    if column.kind is ColumnKind.BINARY:
        return raw.ljust(column.length or 1, b"\0")
    return raw


def _json(column: Column, raw: object) -> str:
    """Return a document as TiDB prints it: keys by their bytes, numbers as they are stored.

    TiDB and MySQL store an integer of 64 bits as it is and any other number as a double, so
    `1E+5` is 100000.0, and `1`, `1.0` and 10^20 stay apart.

    Source: TiDB pkg/types/json_binary.go `appendBinaryNumber`, `marshalFloat64To`,
    `jsonMarshalStringTo`.
    """
    del column
    if not isinstance(raw, str):
        raise ValueError(f"{raw!r} is not JSON text")
    try:
        return _json_text(
            json.loads(raw, parse_float=_double, parse_int=_stored, parse_constant=_no_json)
        )
    except RecursionError:
        raise ValueError(f"{_shown(raw)} is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{_shown(raw)} is not JSON: {error}") from error


def _stored(text: str) -> _Number:
    """Return an integer as it is stored; one beyond 64 bits is a double."""
    number = int(text) if len(text) <= len(str(JSON_INTEGERS.start)) else None
    return _Number(number) if number is not None and number in JSON_INTEGERS else _double(text)


def _double(text: str) -> _Number:
    """Return the shortest digits of a double, with a point or an exponent."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{_shown(text)} is out of the range of a double")
    digits = Decimal(repr(number)).normalize()
    if number and not JSON_FIXED_MIN <= abs(number) < JSON_FIXED_MAX:
        mantissa, _, exponent = f"{digits:e}".partition("e")
        return _Number(f"{mantissa}e{int(exponent)}")
    fixed = f"{digits:f}"
    return _Number(fixed if "." in fixed else f"{fixed}.0")


def _no_json(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON value")


def _vector(column: Column, raw: object) -> str:
    """Return the numbers as TiDB prints them: the fewest digits of 32 bits, and no exponent.

    Source: TiDB pkg/types/vector.go, `VectorFloat32.String`.
    """
    inner = raw.strip()[1:-1].strip() if isinstance(raw, str) else ""
    numbers = [number.strip() for number in inner.split(",")] if inner else []
    bracketed = isinstance(raw, str) and raw.strip().startswith("[") and raw.strip().endswith("]")
    if not bracketed or not all(_NUMBER.match(number) for number in numbers):
        raise ValueError(f"{_shown(raw)} is not a vector ([number,...])")
    return f"[{','.join(_fixed32(_float32(column, number)) for number in numbers)}]"


def _fixed32(value: float) -> str:
    """Return a 32-bit float in fixed notation, with the fewest digits that read back."""
    packed = _FLOAT32.pack(value)
    texts = (f"{value:.{precision}g}" for precision in range(1, 9))
    # Nine digits separate every 32-bit float from its neighbours.
    found = next((text for text in texts if _reads_back(text, packed)), f"{value:.9g}")
    return f"{Decimal(found):f}"


def _reads_back(text: str, packed: bytes) -> bool:
    try:
        return _FLOAT32.pack(float(text)) == packed
    except OverflowError:
        # Rounding the greatest floats up leaves the 32-bit range.
        return False


class _Number(str):
    __slots__ = ()


def _json_text(node: object) -> str:
    if isinstance(node, _Number):
        return str(node)
    if isinstance(node, dict):
        fields = cast("dict[str, object]", node)
        # TiDB sorts keys by their bytes.
        names = sorted(fields, key=lambda name: name.encode("utf-8", "surrogatepass"))
        texts = (f"{_json_string(n)}: {_json_text(fields[n])}" for n in names)
        return "{" + ", ".join(texts) + "}"
    if isinstance(node, list):
        return "[" + ", ".join(_json_text(item) for item in cast("list[object]", node)) + "]"
    return _json_string(node) if isinstance(node, str) else json.dumps(node)


def _json_string(text: str) -> str:
    """Return a text between quotes; the two line separators are escaped, as Go does."""
    if _LONE.search(text):
        text = _LONE.sub("\ufffd", text)
    written = json.dumps(text, ensure_ascii=False)
    return written.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


_READERS: Mapping[ColumnKind, Callable[[Column, object], Value]] = {
    **dict.fromkeys(INTEGER_BITS, _integer),
    ColumnKind.YEAR: _year,
    ColumnKind.FLOAT: _float32,
    ColumnKind.DOUBLE: _float64,
    ColumnKind.DECIMAL: _decimal,
    ColumnKind.BIT: _bits,
    ColumnKind.ENUM: _enum,
    ColumnKind.SET: _set,
    ColumnKind.DATE: _date,
    ColumnKind.TIME: _time,
    ColumnKind.DATETIME: _datetime,
    ColumnKind.TIMESTAMP: _datetime,
    ColumnKind.CHAR: _text,
    ColumnKind.VARCHAR: _text,
    ColumnKind.TINYTEXT: _text,
    ColumnKind.TEXT: _text,
    ColumnKind.MEDIUMTEXT: _text,
    ColumnKind.LONGTEXT: _text,
    ColumnKind.BINARY: _bytes,
    ColumnKind.VARBINARY: _bytes,
    ColumnKind.TINYBLOB: _bytes,
    ColumnKind.BLOB: _bytes,
    ColumnKind.MEDIUMBLOB: _bytes,
    ColumnKind.LONGBLOB: _bytes,
    ColumnKind.JSON: _json,
    ColumnKind.VECTOR: _vector,
}

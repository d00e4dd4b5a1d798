"""The type table, the other way: what `v` of each type code may be, and what it means.

Source: TiCDC Open Protocol, 2020, §Type codes; tiflow c7b2588 internal/column.go:67, 100.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from math import isfinite
from types import MappingProxyType
from typing import assert_never

from harness.errors import DecodingError
from harness.model.columns import ColumnKind
from harness.model.values import Value
from harness.wire.go_json import go_unquote

BINARY_FLAG, UNSIGNED_FLAG = 1, 128
# Raw value, flag (None in dialects without flags), whether short text is Base64. ValueError for
# what the code cannot carry.
Reader = Callable[[object, int | None, bool], Value]


def _integer(bits: int, *, unsigned: bool = False) -> Reader:
    def read(raw: object, flag: int | None, text_base64: bool) -> Value:  # noqa: FBT001
        del text_base64
        if not isinstance(raw, int) or isinstance(raw, bool):
            raise ValueError("not an integer")
        # Without flags the range of a column is not known.
        low = 0 if unsigned or (flag is not None and flag & UNSIGNED_FLAG) else -(2 ** (bits - 1))
        high = 2**bits if low == 0 or flag is None else 2 ** (bits - 1)
        if not low <= raw < high:
            raise ValueError(f"beyond {bits} bits")
        return raw

    return read


def _float(raw: object, flag: int | None, text_base64: bool) -> Value:  # noqa: FBT001
    del flag, text_base64
    if not isinstance(raw, int | float) or isinstance(raw, bool) or not isfinite(raw):
        raise ValueError("not a number")
    return float(raw)


def _string(raw: object, flag: int | None, text_base64: bool) -> Value:  # noqa: FBT001
    del flag, text_base64
    if not isinstance(raw, str):
        raise ValueError("not text")
    return raw


def _short(raw: object, flag: int | None, text_base64: bool) -> Value:  # noqa: FBT001
    if text_base64:
        return _long(raw, flag, text_base64)
    if not isinstance(raw, str):
        raise ValueError("not text")
    return go_unquote(raw) if flag is not None and flag & BINARY_FLAG else raw


def _long(raw: object, flag: int | None, text_base64: bool) -> Value:  # noqa: FBT001
    del text_base64
    if not isinstance(raw, str):
        raise ValueError("not Base64 text")
    content = b64decode(raw, validate=True)
    if flag is None:
        return _text_if_any(content)
    return content if flag & BINARY_FLAG else content.decode()


def _text_if_any(content: bytes) -> str | bytes:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


def _codes(kind: ColumnKind) -> tuple[tuple[int, ...], Reader]:  # noqa: C901, PLR0911, PLR0912
    """Return a column kind's type codes, and how their values are read."""
    match kind:
        case ColumnKind.TINYINT:
            return (1,), _integer(8)
        case ColumnKind.SMALLINT:
            return (2,), _integer(16)
        case ColumnKind.MEDIUMINT:
            return (9,), _integer(24)
        case ColumnKind.INT:
            return (3,), _integer(32)
        case ColumnKind.BIGINT:
            return (8,), _integer(64)
        case ColumnKind.YEAR:
            return (13,), _integer(16, unsigned=True)
        case ColumnKind.BIT:
            return (16,), _integer(64, unsigned=True)
        case ColumnKind.ENUM:
            return (247,), _integer(16, unsigned=True)
        case ColumnKind.SET:
            return (248,), _integer(64, unsigned=True)
        case ColumnKind.FLOAT:
            return (4,), _float
        case ColumnKind.DOUBLE:
            return (5,), _float
        case ColumnKind.DECIMAL:
            return (246,), _string
        case ColumnKind.DATE:
            return (10, 14), _string
        case ColumnKind.TIME:
            return (11,), _string
        case ColumnKind.DATETIME:
            return (12,), _string
        case ColumnKind.TIMESTAMP:
            return (7,), _string
        case ColumnKind.JSON:
            return (245,), _string
        case ColumnKind.VECTOR:
            return (225,), _string
        case ColumnKind.CHAR | ColumnKind.BINARY:
            return (254,), _short
        case ColumnKind.VARCHAR | ColumnKind.VARBINARY:
            return (15, 253), _short
        case ColumnKind.TINYTEXT | ColumnKind.TINYBLOB:
            return (249,), _long
        case ColumnKind.MEDIUMTEXT | ColumnKind.MEDIUMBLOB:
            return (250,), _long
        case ColumnKind.LONGTEXT | ColumnKind.LONGBLOB:
            return (251,), _long
        case ColumnKind.TEXT | ColumnKind.BLOB:
            return (252,), _long
        case _:
            assert_never(kind)


READERS: Mapping[int, Reader] = MappingProxyType(
    {code: reader for codes, reader in map(_codes, ColumnKind) for code in codes}
)


def read_value(code: int, flag: int | None, raw: object, *, text_base64: bool) -> Value:
    """Return the value that the wire carries for a type code; DecodingError when it does not fit.

    `flag` is None in dialects without flags. Nothing then distinguishes text from bytes: what is
    UTF-8 is given as text, and `harness.model.decoded.settled` corrects it where the column is
    known.
    """
    if raw is None:
        return None
    reader = READERS.get(code)
    if reader is None:
        raise DecodingError(f"type code {code} with the value {shown(raw)}, and there is none such")
    try:
        return reader(raw, flag, text_base64)
    except ValueError as error:
        raise DecodingError(f"type code {code} with the value {shown(raw)}: {error}") from error


def shown(raw: object) -> str:
    """Return a JSON value for a message: short, and by name only when it could be deep."""
    if raw is None or isinstance(raw, bool | int | float | str):
        return repr(raw)[:60]
    return "a JSON object" if isinstance(raw, dict) else "a JSON list"

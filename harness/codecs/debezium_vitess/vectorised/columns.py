"""How a column of cells is written as JSON, many rows at once.

Most cells are their own JSON already: whole numbers, and texts that need no escape. A column is
looked at once, joined, and only when something in it is out of the ordinary is each cell read and
printed by itself. What fails there is left to structs and converters, which know the error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, Final

from orjson import dumps, loads

from harness.codecs.connect.errors import JavaError
from harness.codecs.connect.java import text
from harness.codecs.connect.java_double import is_plain
from harness.codecs.connect.json_text import JsonFormat, json_string, json_value
from harness.codecs.connect.schema import Schema, SchemaType
from harness.codecs.debezium.columns import ColumnType
from harness.codecs.debezium.rows import FieldReader, Read
from harness.codecs.debezium_vitess.values import FLOAT64, WHOLE
from harness.codecs.debezium_vitess.vectorised.moments import moments
from harness.errors import SourceStopped

# A writer takes cells none of which is NULL.
Write = Callable[[Sequence[bytes]], Sequence[bytes]]
_INTEGERS: Final = frozenset(
    {SchemaType.INT8, SchemaType.INT16, SchemaType.INT32, SchemaType.INT64}
)
_SPECIAL: Final = re.compile(rb'["\\\x00-\x1f\xf0-\xff]')
_DIGITS: Final = b"0123456789-,"
_FLOAT: Final = b"0123456789.-+E,"
# The positive floats that every library prints as Java does.
_FROM, _BELOW = 1e-3, 1e7
_DAYS_KEPT: Final = 4096


@dataclass(frozen=True, slots=True)
class PrintStyle:
    """What decides a value's text: the converter's form, and whether the JVM's zone is UTC."""

    form: JsonFormat
    utc: bool


class NeedsStructs(Exception):  # noqa: N818 - no error: structs are made instead
    """A row that only structs and converters print, or refuse."""


@dataclass(frozen=True, slots=True)
class CellPrinter:
    """How one field's cells are written, and what NULL becomes.

    `null` is None where NULL has no place. Quotes around `quoted` texts are the template's.
    """

    write: Write
    null: bytes | None
    quoted: bool = False

    def with_nulls(self, cells: Sequence[bytes | None]) -> Sequence[bytes]:
        """Return the texts of cells some of which are NULL, with quotes of their own."""
        if self.null is None:
            raise NeedsStructs
        present = [cell for cell in cells if cell is not None]
        quote = b'"' if self.quoted else b""
        written = iter(self.write(present) if present else ())
        null = self.null
        return [null if cell is None else quote + next(written) + quote for cell in cells]


def printed(
    slot: FieldReader, schema: Schema, column: ColumnType, style: PrintStyle
) -> CellPrinter:
    """Return how a field is printed whose cells a slot reads."""
    _, _, read, null = slot
    write = _writer(read, schema, column, style)
    return CellPrinter(write, _null(schema, null, style.form), read is bytes.decode)


def _null(schema: Schema, null: object, form: JsonFormat) -> bytes | None:
    if null is None and not schema.optional:
        return None
    return json_value(schema, null, form).encode()


def _writer(read: Read, schema: Schema, column: ColumnType, style: PrintStyle) -> Write:
    if read in _DIRECT:
        return _DIRECT[read]
    if schema.kind not in _INTEGERS:
        return partial(_others, read, schema, style.form)
    if column.type == "DATE":
        return _days(read)
    numbers = partial(_numbers, read)
    return moments(read, schema, numbers) if style.utc else numbers


def _texts(cells: Sequence[bytes]) -> Sequence[bytes]:
    joined = b",".join(cells)
    if joined.isascii():
        # ASCII text grows in its JSON only by escapes, and this library looks for them quickest.
        if len(dumps(joined.decode("ascii"))) == len(joined) + 2:
            return cells
    elif _SPECIAL.search(joined) is None and _is_utf8(joined):
        return cells
    return [json_string(text(cell))[1:-1].encode() for cell in cells]


def _is_utf8(joined: bytes) -> bool:
    try:
        joined.decode()
    except UnicodeDecodeError:
        return False
    return True


def _whole(read: Read, limit: int, cells: Sequence[bytes]) -> Sequence[bytes]:
    joined = b",".join(cells)
    if not joined.translate(None, _DIGITS) and b"-0" not in joined:
        # JSON has no zeros in front either. What is beyond 64 bits is read as a float, which may
        # be rounded to the lower limit: that one is read by itself.
        try:
            numbers = loads(b"[%b]" % joined)
        except ValueError:
            return _numbers(read, cells)
        if len(numbers) == len(cells) and max(numbers) < limit and min(numbers) > -limit:
            return cells
    return _numbers(read, cells)


def _days(read: Read) -> Write:
    @lru_cache(_DAYS_KEPT)
    def day(cell: bytes) -> bytes:
        return _numbers(read, (cell,))[0]

    return lambda cells: [*map(day, cells)]


def _numbers(read: Read, cells: Sequence[bytes]) -> Sequence[bytes]:
    numbers = dumps(_values(read, cells))
    if b"n" in numbers:
        raise NeedsStructs
    return numbers[1:-1].split(b",")


def _floats(read: Read, cells: Sequence[bytes]) -> Sequence[bytes]:
    joined = b",".join(cells)
    # A negative zero without a fraction would be read as a whole number, which has no sign then.
    if joined.translate(None, _FLOAT) or joined.startswith(b"-0") or b",-0" in joined:
        values = _values(read, cells)
    else:
        try:
            values = [*map(float, loads(b"[%b]" % joined))]
        except ValueError:
            values = _values(read, cells)
    if len(values) != len(cells):
        raise NeedsStructs
    if min(values) >= _FROM and max(values) < _BELOW:
        return dumps(values)[1:-1].split(b",")
    return [_float(value) for value in values]


def _float(value: float) -> bytes:
    if is_plain(value):
        return repr(value).encode()
    return json_value(Schema(SchemaType.FLOAT64), value, JsonFormat()).encode()


def _others(
    read: Read, schema: Schema, form: JsonFormat, cells: Sequence[bytes]
) -> Sequence[bytes]:
    values = _values(read, cells)
    if not schema.optional and None in values:
        raise NeedsStructs
    try:
        return [json_value(schema, value, form).encode() for value in values]
    except SourceStopped as error:
        raise NeedsStructs from error


def _values(read: Read, cells: Sequence[bytes]) -> list[Any]:
    try:
        return [read(cell) for cell in cells]
    except (JavaError, ValueError, OverflowError) as error:
        raise NeedsStructs from error


# Writers whose texts follow from the cells alone; a key's field is written as the value's.
_DIRECT: Final[Mapping[Read, Write]] = MappingProxyType(
    {
        bytes.decode: _texts,
        FLOAT64: partial(_floats, FLOAT64),
        **{read: partial(_whole, read, 1 << bits - 1) for read, bits in WHOLE.items()},
    }
)

"""DATETIME cells as numbers, the minute read once and the seconds added.

Within one minute of UTC a moment's number grows evenly, so that only minutes need the calendar.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, Final

from orjson import dumps, loads

from harness.codecs.connect.errors import JavaError
from harness.codecs.connect.schema import Schema
from harness.codecs.debezium import temporal

Write = Callable[[Sequence[bytes]], Sequence[bytes]]
# The digits of a second's fraction that a form keeps; nanoseconds may wrap around and stay slow.
_KEPT: Final[Mapping[str | None, int]] = MappingProxyType(
    {
        temporal.TIMESTAMP.schema.name: 3,
        temporal.CONNECT_TIMESTAMP.schema.name: 3,
        temporal.MICRO_TIMESTAMP.schema.name: 6,
    }
)
_POINT: Final = b"0000-00-00 00:00:00."
_NO_DAY: Final = b"00-00"
_MINUTE, _SECONDS = 16, 60
# With a point there is a digit behind it, and nine at most.
_SIZES: Final = frozenset({len(_POINT) - 1, *range(len(_POINT) + 1, len(_POINT) + 10)})
_ZEROS: Final = bytes.maketrans(b"123456789", b"000000000")
_MINUTES_KEPT: Final = 4096
_SHAPES_KEPT: Final = 64


def moments(read: Callable[[bytes], Any], schema: Schema, exact: Write) -> Write:
    """Return what writes the cells of a DATETIME in UTC, `exact` for any other column.

    `read` reads one cell; `exact` also writes what is not quite ordinary.
    """
    kept = _KEPT.get(schema.name)
    if kept is None:
        return exact

    @lru_cache(_MINUTES_KEPT)
    def minute(start: bytes) -> Any:  # noqa: ANN401 None for a day that is none
        return None if start[5:10] == _NO_DAY else read(start + b":00")

    return partial(_written, kept, minute, exact)


def _written(
    kept: int, minute: Callable[[bytes], Any], exact: Write, cells: Sequence[bytes]
) -> Sequence[bytes]:
    size = len(cells[0])
    digits = max(size - len(_POINT), 0)
    joined = b",".join(cells)
    if size not in _SIZES or digits > kept or joined.translate(_ZEROS) != _shape(size, len(cells)):
        return exact(cells)
    first, unit = cells[0][:_MINUTE], 10 ** (kept - digits)
    try:
        if joined.count(first) == len(cells):
            return _within(minute(first), first, joined, digits, unit)
        numbers = [_number(minute, cell, unit) for cell in cells]
    except (TypeError, ValueError, JavaError):
        return exact(cells)
    return dumps(numbers)[1:-1].split(b",")


@lru_cache(_SHAPES_KEPT)
def _shape(size: int, count: int) -> bytes:
    """Return what so many joined cells of a size look like when every digit is a zero."""
    return b",".join([_POINT.ljust(size, b"0")[:size]] * count)


def _within(begin: int, minute: bytes, joined: bytes, digits: int, unit: int) -> Sequence[bytes]:
    """Return the texts of moments of one minute; TypeError where that has no number."""
    # Each gets a leading one, since no number of JSON begins with zero.
    rest = loads(b"[%b]" % joined.replace(minute + b":", b"1").replace(b".", b""))
    leading = 100 * 10**digits
    if max(rest) >= leading + _SECONDS * 10**digits:
        raise ValueError
    begin -= leading * unit
    return dumps([begin + seconds * unit for seconds in rest])[1:-1].split(b",")


def _number(minute: Callable[[bytes], Any], cell: bytes, unit: int) -> int:
    """Return one moment's number; TypeError where it has none, ValueError for a second too many."""
    if cell[_MINUTE + 1 : _MINUTE + 2] >= b"6":
        raise ValueError
    number: int = minute(cell[:_MINUTE]) + int(cell[17:19] + cell[20:]) * unit
    return number

"""Rows of the Open Protocol laid out like one that was read before, a batch at a time.

`events.decode` says what a message means. Here rows of a table whose columns, types and flags were
met already are read by columns: to the same events, or the message is left to the decoder.
Templates are learnt from messages, and each is tried on its own message before it is kept.

A value's type and flags stand before it in every message, so they are literals of the skeleton;
that is what spares the walk over the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import orjson

from cdc_spark.errors import DecodingError
from cdc_spark.events import Kind, json_text
from cdc_spark.open import values
from cdc_spark.open.events import ROW
from cdc_spark.open.frame_columns import cut
from cdc_spark.open.values import BINARY_FLAG, Dialect
from cdc_spark.untyped import Column, pc
from cdc_spark.vectorised.images import Columns, RowColumns, RowWriter, TextPart, times
from cdc_spark.vectorised.reader import Side, Sides, VectorisedReader
from cdc_spark.vectorised.skeleton import Cell, CellKind, Skeleton, each, floats, indices

_VALUE = '"v":'
_KEYS = (("ts", "scm", "tbl", "t"), ("ts", "scm", "tbl", "rid", "t"))
# Which of a value's images are the rows before and after, by the value's members.
_IMAGES: Mapping[tuple[str, ...], tuple[int | None, int | None]] = {
    ("u",): (None, 0),
    ("u", "p"): (1, 0),
    ("d",): (0, None),
}
_COPIED: Mapping[Any, CellKind] = {int: CellKind.WHOLE, str: CellKind.TEXT}


@dataclass(frozen=True, slots=True)
class RowTemplate:
    """The rows of one table in one form; frames of keys and values are texts."""

    key: Skeleton
    value: Skeleton
    writer: RowWriter
    before: int | None
    after: int | None

    def read(self, keys: Column, values: Column) -> Sides:
        """Return which frames are such rows, and their events."""
        places, cells = self.value.read(values)
        named, key_cells = self.key.read(keys.take(places))
        if len(named) < len(places):
            places = places.take(named)
            cells = [one.take(named) for one in cells]
        width = len(self.writer.names)
        images = [
            None if number is None else cells[number * width : (number + 1) * width]
            for number in (self.before, self.after)
        ]
        return places, tuple(self._sides(key_cells, images)) if len(places) else ()

    def _sides(
        self, key_cells: Sequence[Column], images: Sequence[Sequence[Column] | None]
    ) -> Iterator[Side]:
        """Yield all rows as they are, or those that keep their key and the two halves of others."""
        before, after = images
        if before is None or after is None:
            yield self._side(key_cells, before, after)
            return
        moved = self.writer.moved(before, after)
        if not pc.any(moved).as_py():
            yield self._side(key_cells, before, after)
            return
        stayed = indices(pc.invert(moved))
        which = indices(moved)
        stayed_keys, moved_keys = (_taken(key_cells, one) for one in (stayed, which))
        if len(stayed):
            yield self._side(stayed_keys, _taken(before, stayed), _taken(after, stayed), stayed)
        yield self._side(moved_keys, _taken(before, which), None, which)
        yield self._side(moved_keys, None, _taken(after, which), which, 1)

    def _side(
        self,
        key_cells: Sequence[Column],
        before: Sequence[Column] | None,
        after: Sequence[Column] | None,
        which: Column | None = None,
        place: int = 0,
    ) -> Side:
        ts, *rid = key_cells
        row = before if after is None else after
        assert row is not None
        number: TextPart = rid[0] if rid else "null"
        found: Columns = self.writer.event(
            Kind.DELETE if after is None else Kind.UPSERT,
            RowColumns(
                times(ts),
                self.writer.identity(row, rid[0] if rid else None),
                None if before is None else self.writer.image(before),
                None if after is None else self.writer.image(after),
            ),
            ('"rid":', number),
        )
        return Side(which, place, found)


def _taken(cells: Sequence[Column], which: Column) -> Sequence[Column]:
    return [one.take(which) for one in cells]


def template(dialect: Dialect, key: bytes, value: bytes, *, payloads: bool) -> RowTemplate | None:
    """Return the template of a row's frames; None for what is left to the decoder.

    An update is left when it has changed columns only, or in another order than the row after.
    """
    named, row = _object(key), _object(value)
    if named is None or row is None or tuple(named) not in _KEYS or named["t"] != ROW:
        return None
    schema, table, sides = named["scm"], named["tbl"], tuple(row)
    if type(schema) is not str or type(table) is not str or not table or sides not in _IMAGES:
        return None
    described: list[Any] = [row[side] for side in sides]
    if not all(type(one) is dict and len(cast("Any", one)) for one in described):
        return None
    try:
        handle = values.image(dialect, described[0])[1]
    except DecodingError:
        return None
    before, after = _IMAGES[sides]
    writer = RowWriter(schema, table, tuple(described[0]), handle, payloads)
    return RowTemplate(_key(named), _value(dialect, sides, described[0]), writer, before, after)


def _object(frame: bytes) -> dict[str, Any] | None:
    try:
        found: object = orjson.loads(frame)
    except ValueError:
        return None
    return cast("dict[str, Any]", found) if type(found) is dict else None


def _key(named: Mapping[str, Any]) -> Skeleton:
    cells = {"ts": Cell(CellKind.COUNT), "rid": Cell(CellKind.COUNT)}
    return Skeleton.of({name: cells.get(name, json_text(one)) for name, one in named.items()})


def _value(dialect: Dialect, sides: Sequence[str], row: Mapping[str, Any]) -> Skeleton:
    image = {name: _column(dialect, name, parts) for name, parts in row.items()}
    return Skeleton.of(dict.fromkeys(sides, image), _VALUE)


def _column(dialect: Dialect, name: str, parts: Mapping[str, Any]) -> Mapping[str, str | Cell]:
    """Return a column: its value is copied where it comes out as it went in."""
    flag = parts.get("f")
    plain: Any = None
    if type(flag) is int:
        plain = dialect.plain[flag & BINARY_FLAG].get(parts.get("t", 0))
    if plain in _COPIED:
        cell = Cell(_COPIED[plain])
    elif plain is float:
        cell = Cell(CellKind.NUMBER, floats)
    else:
        cell = Cell(CellKind.VALUE, each(_writer(dialect, name, parts)))
    # A value that is no JSON scalar is a member like the others, and its column is left alone.
    return {member: cell if member == "v" else json_text(one) for member, one in parts.items()}


def _writer(dialect: Dialect, name: str, parts: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return what reads a column's value and writes it as contract JSON."""

    def written(text: str) -> str:
        return json_text(values.read(dialect, name, {**parts, "v": orjson.loads(text)}))

    return written


def reader(dialect: Dialect, *, payloads: bool) -> VectorisedReader:
    """Return what reads one dialect by columns."""
    return VectorisedReader(
        cut, lambda key, value: template(dialect, key.encode(), value.encode(), payloads=payloads)
    )

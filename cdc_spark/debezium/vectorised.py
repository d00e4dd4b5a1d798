"""Changes of a Debezium connector laid out like one that was read before, a batch at a time.

`events.Decoder` says what a record means. Here JSON, with schemas or without, of a table whose rows
were met already is read by columns: to the same event, or the record is left to the decoder. Avro,
tombstones, DDL and transactions' boundaries always are.

| of a value | is |
| --- | --- |
| the schema; names; what is null; `op`; schema, table and the connector's names | literal |
| the rows | columns, with a skeleton of their own |
| all other members | read over; they must be JSON |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import orjson

from cdc_spark.debezium.connectors import Connector
from cdc_spark.debezium.events import change_of, kind_of
from cdc_spark.debezium.parts import Part, Parts, exactly
from cdc_spark.debezium.rows import Rows
from cdc_spark.debezium.values import AS_IT_IS, InexactError, Reader
from cdc_spark.errors import DecodingError
from cdc_spark.events import Kind, json_text
from cdc_spark.untyped import Column, np, pa, pc
from cdc_spark.vectorised import blocks
from cdc_spark.vectorised.images import RowColumns, RowWriter, TextPart, joined, times, untimed
from cdc_spark.vectorised.reader import Frames, Side, Sides, VectorisedReader
from cdc_spark.vectorised.skeleton import (
    Cell,
    CellKind,
    Members,
    Skeleton,
    each,
    floats,
    indices,
    paths,
)

_SIDES = ("before", "after")
_ENVELOPE = ('{"schema":', '},"payload":', "}")
_CELLS: Mapping[frozenset[type], Cell] = {
    frozenset({int, float, str}): Cell(CellKind.VALUE),
    frozenset({str}): Cell(CellKind.TEXT),
    frozenset({float}): Cell(CellKind.NUMBER, floats),
    frozenset({int}): Cell(CellKind.WHOLE),
}
_SOURCE: Mapping[str, CellKind] = {
    "ts_ms": CellKind.COUNT,
    "shard": CellKind.STRING,
    "gtid": CellKind.TEXT,
    "file": CellKind.TEXT,
    "pos": CellKind.WHOLE,
    "row": CellKind.WHOLE,
}
_BLOCK: Mapping[str, CellKind] = {
    "id": CellKind.STRING,
    "total_order": CellKind.COUNT,
    "data_collection_order": CellKind.COUNT,
    "transaction_epoch": CellKind.COUNT,
    "transaction_rank": CellKind.COUNT,
}


class _UnfitError(Exception):
    """A record that is left to the decoder."""


@dataclass(frozen=True, slots=True)
class RowTemplate:
    """The changes of one kind of one table; `key` is None for a table without one.

    `cells` are the names of the value's cells, `rows` the skeletons of its images, `position` what
    says where in the log a row stands: texts, and names of cells.
    """

    key: Skeleton | None
    value: Skeleton
    cells: Sequence[str]
    rows: Mapping[str, Skeleton]
    kind: Kind
    change: str
    writer: RowWriter
    rest: str
    position: Sequence[tuple[str, str]] = ()

    def read(self, keys: Column, values: Column) -> Sides:
        """Return which records are such changes, and their events."""
        places, found = self.value.read(values)
        cells: dict[str, Column] = dict(zip(self.cells, found, strict=True))
        named = keys.take(places)
        read = indices(pc.is_null(named)) if self.key is None else self.key.read(named)[0]
        images: dict[str, Sequence[Column]] = {}
        for side in ("", *self.rows):
            if side:
                read, image = self.rows[side].read(cells[side])
                images[side] = image
            if len(read) < len(places):
                places = places.take(read)
                cells = {name: one.take(read) for name, one in cells.items()}
                others = [name for name in images if name != side]
                images |= {name: [one.take(read) for one in images[name]] for name in others}
        return places, (Side(None, 0, self._event(cells, images)),) if len(places) else ()

    def _event(
        self, cells: Mapping[str, Column], images: Mapping[str, Sequence[Column]]
    ) -> Mapping[str, Column]:
        newest = images["after" if self.kind is Kind.UPSERT else "before"]
        before, after = (
            self.writer.image(images[side]) if side in images else None for side in _SIDES
        )
        ts = cells.get("source.ts_ms")
        size = len(newest[0])
        rows = RowColumns(
            untimed(size) if ts is None else times(ts),
            self.writer.identity(newest),
            before,
            after if self.kind is Kind.UPSERT else None,
            _transaction(cells),
            blocks.same(self.change, size) if self.change else None,
            joined(*self._position(cells), "}") if self.position else None,
        )
        return self.writer.event(self.kind, rows, (self.rest,))

    def _position(self, cells: Mapping[str, Column]) -> Iterator[TextPart]:
        for text, cell in self.position:
            yield text
            if cell:
                yield cells[cell]


def _transaction(cells: Mapping[str, Column]) -> Column | None:
    """Return the transactions' blocks as `events` writes them; None where there is none."""
    if "transaction.id" not in cells:
        return None
    rank = cells.get("transaction.transaction_rank")
    members: Mapping[str, Sequence[TextPart]] = {
        "id": (cells["transaction.id"],),
        "n": (cells.get("transaction.total_order", "0"),),
        "shard": (cells.get("source.shard", '""'),),
        "epoch": (cells.get("transaction.transaction_epoch", "null"),),
        "rank": ("null",) if rank is None else ('"', rank, '"'),
    }
    parts: list[TextPart] = []
    for name, texts in members.items():
        parts += ("," if parts else "{", f'"{name}":', *texts)
    return joined(*parts, "}")


@dataclass(frozen=True, slots=True)
class Learner:
    """Learns layouts from records, by what reads them one by one."""

    parts: Parts
    rows: Rows
    connector: Connector
    payloads: bool

    def template(self, key: str | None, value: str) -> RowTemplate | None:
        """Return the template of a change; None for what is left to the decoder."""
        try:
            return self._layout(key, value)
        except (_UnfitError, DecodingError):
            return None

    def _layout(self, key: str | None, value: str) -> RowTemplate:
        part = self._part(value)
        document = part.document
        source: Any = document.get("source")
        if type(source) is not dict:
            raise _UnfitError
        fields = cast("dict[str, Any]", source)
        schema, table = fields.get(self.connector.schema), fields.get("table")
        if type(schema) is not str or type(table) is not str:
            raise _UnfitError
        kind = kind_of(document)
        images = self._images(part, (schema, table))
        newest = document["after" if kind is Kind.UPSERT else "before"]
        if any(tuple(document[side]) != tuple(newest) for side in images):
            raise _UnfitError
        named = None if key is None else self._part(key)
        names: Mapping[str, Any] = {} if named is None else named.document
        handle = sorted(name for name in names if name in newest)
        members = self._members(document)
        return RowTemplate(
            None if key is None else _enveloped(key, Skeleton.of(_plain(names))),
            _enveloped(value, Skeleton.of(members)),
            tuple(paths(members)),
            images,
            kind,
            "" if kind is Kind.DELETE else change_of(document),
            RowWriter(schema, table, tuple(newest), handle, self.payloads),
            self.rows.rest(part, newest),
            tuple(self._position(fields, members["source"])),
        )

    def _position(
        self, source: Mapping[str, Any], cells: str | Cell | Members
    ) -> Iterator[tuple[str, str]]:
        """Yield what says where a row stands: text, and the name of the cell behind it or ""."""
        for number, name in enumerate(self.connector.position):
            text = f"{',' if number else '{'}{json_text(name)}:"
            known = cells.get(name) if isinstance(cells, Mapping) else None
            if isinstance(known, Cell):
                yield text, f"source.{name}"
            else:
                yield text + json_text(source.get(name)), ""

    def _members(self, document: Mapping[str, Any]) -> Members:
        """Return a change's members: what is read, what is read over, and what all share."""
        members: dict[str, Any] = {}
        for name, one in document.items():
            if name in _SIDES and one is not None:
                members[name] = Cell(CellKind.ANY)
            elif name == "source" and one is not None:
                members[name] = {of: self._of_source(of, value) for of, value in one.items()}
            elif name == "transaction" and one is not None:
                members[name] = _block(one)
            else:
                members[name] = json_text(one) if one is None or name == "op" else _scalar(one)
        return members

    def _of_source(self, name: str, value: object) -> str | Cell:
        if value is None or name in self.connector.constant:
            return json_text(value)
        kind = _SOURCE.get(name)
        return _scalar(value) if kind is None else Cell(kind)

    def _part(self, text: str) -> Part:
        found = self.parts.read(text.encode(), "record")
        if found is None or not text.startswith("{"):
            raise _UnfitError
        return found

    def _images(self, part: Part, table: tuple[str, str]) -> Mapping[str, Skeleton]:
        found: dict[str, Skeleton] = {}
        for side in _SIDES:
            image: Any = part.document.get(side)
            if image:
                readers = self.rows.readers(part.schema, side, table, image)
                cells = {name: _cell(readers[name]) for name in image}
                found[side] = Skeleton.of(cells, '":')
        if not found:
            raise _UnfitError
        return found


def _cell(reader: Reader) -> Cell:
    copied = _CELLS.get(AS_IT_IS.get(reader, frozenset()))
    if copied is not None:
        return copied
    return Cell(CellKind.SCALAR, each(lambda text: json_text(_exactly(reader, text))))


def _exactly(reader: Reader, text: str) -> object:
    try:
        return reader(orjson.loads(text))
    except InexactError:
        return reader(exactly(text))


def _block(block: object) -> Members:
    if type(block) is not dict:
        raise _UnfitError
    members = cast("dict[str, Any]", block)
    if not members.keys() <= _BLOCK.keys() or "id" not in members:
        raise _UnfitError
    return {name: Cell(_BLOCK[name]) for name in members}


def _plain(names: Mapping[str, Any]) -> Members:
    return {name: _scalar(one) for name, one in names.items()}


def _scalar(value: object) -> Cell:
    if isinstance(value, dict | list):
        raise _UnfitError
    return Cell(CellKind.SCALAR)


def _enveloped(text: str, inner: Skeleton) -> Skeleton:
    """Return the skeleton of a payload as part of the text that it is from."""
    opening, cut, closing = _ENVELOPE
    if not text.startswith(opening):
        return inner
    schema, found, _ = text.partition(cut)
    if not found:
        raise _UnfitError
    first, *others, last = inner.literals
    return inner._replace(literals=(f"{schema}{cut}{first}", *others, f"{last}{closing}"))


def cut(keys: Column, values: Column) -> Frames | None:
    """Return records of JSON as they are, one change each; None where texts are not UTF-8."""
    which = indices(pc.fill_null(pc.starts_with(values, b"{"), fill_value=False))
    try:
        texts = keys.take(which).cast(pa.string()), values.take(which).cast(pa.string())
    except pa.ArrowInvalid:
        return None
    return Frames(which.to_numpy(), np.zeros(len(which), np.int64), *texts)


def reader(parts: Parts, rows: Rows, connector: Connector, *, payloads: bool) -> VectorisedReader:
    """Return what reads one connector's records by columns."""
    return VectorisedReader(cut, Learner(parts, rows, connector, payloads).template)

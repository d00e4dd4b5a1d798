"""Changes of Debezium's Vitess connector laid out like one that was read before, a batch at a time.

Law: `events.Decoder` says what a record means. Here is only its quick way for JSON, with schemas or
without, of a table whose rows were met already: it gives the same event, or leaves the record
alone. Avro, tombstones and transactions' boundaries are left alone always.

| of a value | is |
| --- | --- |
| the schema; names; what is null; `op`; keyspace, table and the connector's names | literal |
| the rows | columns, with a skeleton of their own |
| all other members | read over; they must be JSON |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import orjson

from cdc_spark.debezium_vitess.events import change_of, kind_of
from cdc_spark.debezium_vitess.parts import Part, Parts
from cdc_spark.debezium_vitess.rows import Rows
from cdc_spark.debezium_vitess.values import AS_IT_IS, Reader
from cdc_spark.errors import DecodingError
from cdc_spark.events import Kind, json_text
from cdc_spark.untyped import Column, np, pa, pc
from cdc_spark.vectorised import blocks
from cdc_spark.vectorised.images import Part as Text
from cdc_spark.vectorised.images import Rows as TheRows
from cdc_spark.vectorised.images import Telling, joined, times, untimed
from cdc_spark.vectorised.reader import Frames, Quick, Side, Sides
from cdc_spark.vectorised.skeleton import (
    Cell,
    Form,
    Members,
    Skeleton,
    each,
    floats,
    indices,
    paths,
)

_SIDES = ("before", "after")
_CONSTANT = frozenset({"version", "connector", "name", "db", "keyspace", "table"})
_ENVELOPE = ('{"schema":', '},"payload":', "}")
_FORMS: Mapping[frozenset[type], Cell] = {
    frozenset({int, float, str}): Cell(Form.VALUE),
    frozenset({str}): Cell(Form.TEXT),
    frozenset({float}): Cell(Form.NUMBER, floats),
    frozenset({int}): Cell(Form.WHOLE),
}
_BLOCK: Mapping[str, Form] = {
    "id": Form.STRING,
    "total_order": Form.COUNT,
    "data_collection_order": Form.COUNT,
    "transaction_epoch": Form.COUNT,
    "transaction_rank": Form.COUNT,
}


class _AloneError(Exception):
    """A record that is left to the long way."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The changes of one kind of one table; `key` is None for a table without one.

    `cells` are the names of the value's cells, `rows` the skeletons of its images.
    """

    key: Skeleton | None
    value: Skeleton
    cells: Sequence[str]
    rows: Mapping[str, Skeleton]
    kind: Kind
    change: str
    telling: Telling
    rest: str

    def read(self, keys: Column, values: Column) -> Sides:
        """Return which records are such changes, and the events that these tell."""
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
            self.telling.image(images[side]) if side in images else None for side in _SIDES
        )
        ts = cells.get("source.ts_ms")
        size = len(newest[0])
        rows = TheRows(
            untimed(size) if ts is None else times(ts),
            self.telling.identity(newest),
            before,
            after if self.kind is Kind.UPSERT else None,
            _transaction(cells),
            blocks.same(self.change, size) if self.change else None,
        )
        return self.telling.event(self.kind, rows, (self.rest,))


def _transaction(cells: Mapping[str, Column]) -> Column | None:
    """Return the transactions' blocks as `events` writes them; None where none is told."""
    if "transaction.id" not in cells:
        return None
    rank = cells.get("transaction.transaction_rank")
    told: Mapping[str, Sequence[Text]] = {
        "id": (cells["transaction.id"],),
        "n": (cells.get("transaction.total_order", "0"),),
        "shard": (cells.get("source.shard", '""'),),
        "epoch": (cells.get("transaction.transaction_epoch", "null"),),
        "rank": ("null",) if rank is None else ('"', rank, '"'),
    }
    parts: list[Text] = []
    for name, texts in told.items():
        parts += ("," if parts else "{", f'"{name}":', *texts)
    return joined(*parts, "}")


@dataclass(frozen=True, slots=True)
class Learner:
    """Learns layouts from records, by what reads them one by one."""

    parts: Parts
    rows: Rows
    payloads: bool

    def layout(self, key: str | None, value: str) -> Layout | None:
        """Return the layout of a change; None for what is left to the long way."""
        try:
            return self._layout(key, value)
        except (_AloneError, DecodingError):
            return None

    def _layout(self, key: str | None, value: str) -> Layout:
        part = self._part(value)
        document = part.document
        source: Any = document.get("source")
        if type(source) is not dict:
            raise _AloneError
        told = cast("dict[str, Any]", source)
        schema, table = told.get("keyspace"), told.get("table")
        if type(schema) is not str or type(table) is not str:
            raise _AloneError
        kind = kind_of(document)
        images = self._images(part, (schema, table))
        newest = document["after" if kind is Kind.UPSERT else "before"]
        if any(tuple(document[side]) != tuple(newest) for side in images):
            raise _AloneError
        named = None if key is None else self._part(key)
        names: Mapping[str, Any] = {} if named is None else named.document
        handle = sorted(name for name in names if name in newest)
        members = _members(document)
        return Layout(
            None if key is None else _enveloped(key, Skeleton.of(_plain(names))),
            _enveloped(value, Skeleton.of(members)),
            tuple(paths(members)),
            images,
            kind,
            "" if kind is Kind.DELETE else change_of(document),
            Telling(schema, table, tuple(newest), handle, self.payloads),
            self.rows.rest(part, newest),
        )

    def _part(self, text: str) -> Part:
        found = self.parts.read(text.encode(), "record")
        if found is None or not text.startswith("{"):
            raise _AloneError
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
            raise _AloneError
        return found


def _cell(reader: Reader) -> Cell:
    copied = _FORMS.get(AS_IT_IS.get(reader, frozenset()))
    if copied is not None:
        return copied
    return Cell(Form.VALUE, each(lambda text: json_text(reader(orjson.loads(text)))))


def _members(document: Mapping[str, Any]) -> Members:
    """Return a change's members: what is read, what is read over, and what is the same in all."""
    members: dict[str, Any] = {}
    for name, one in document.items():
        if name in _SIDES and one is not None:
            members[name] = Cell(Form.ANY)
        elif name == "source":
            members[name] = _source(document)
        elif name == "transaction" and one is not None:
            members[name] = _block(one)
        else:
            members[name] = json_text(one) if one is None or name == "op" else _scalar(one)
    return members


def _source(document: Mapping[str, Any]) -> Members:
    return {name: _of_source(name, one) for name, one in document["source"].items()}


def _of_source(name: str, value: object) -> str | Cell:
    if value is None or name in _CONSTANT:
        return json_text(value)
    if name == "ts_ms":
        return Cell(Form.COUNT)
    return Cell(Form.STRING) if name == "shard" else _scalar(value)


def _block(block: object) -> Members:
    if type(block) is not dict:
        raise _AloneError
    told = cast("dict[str, Any]", block)
    if not told.keys() <= _BLOCK.keys() or "id" not in told:
        raise _AloneError
    return {name: Cell(_BLOCK[name]) for name in told}


def _plain(names: Mapping[str, Any]) -> Members:
    return {name: _scalar(one) for name, one in names.items()}


def _scalar(value: object) -> Cell:
    if isinstance(value, dict | list):
        raise _AloneError
    return Cell(Form.SCALAR)


def _enveloped(text: str, inner: Skeleton) -> Skeleton:
    """Return the skeleton of a payload as part of the text that it is from."""
    opening, cut, closing = _ENVELOPE
    if not text.startswith(opening):
        return inner
    schema, found, _ = text.partition(cut)
    if not found:
        raise _AloneError
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


def quick(parts: Parts, rows: Rows, *, payloads: bool) -> Quick:
    """Return the quick way of one connector."""
    return Quick(cut, Learner(parts, rows, payloads).layout)

"""Between applied changes and rows of Delta, on the executors.

Rows of one table come to one task in the order of their seq, so the last change of a key is
known there, and one row a key goes to the MERGE. A table without a key is a multiset: which of
equal rows a change means does not matter, how many there are does.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson
import pyarrow as pa

from cdc_spark import rows
from cdc_spark.apply.schema import Column
from cdc_spark.apply.tables import Row, RowChange
from cdc_spark.apply.values import Value, normal, settle
from cdc_spark.delta.columns import DELETED, EXACT, HIDDEN, RID, SEQ, TS, loaded, stored
from cdc_spark.delta.plan import Write
from cdc_spark.delta.sketch import Effect, TableLayout, shape_of
from cdc_spark.untyped import ArrowBatch

OP, PUT, DROP = "__op", "put", "drop"
_ARROW: Mapping[str, Any] = {
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp_ntz": pa.timestamp("us"),
}
BLOCK = 4096
FOUND: rows.Shape = {
    "side": "int",
    "seq": "long",
    "rid": "long",
    "payload": "string",
    "ts": "string",
}
TOKEN: rows.Shape = {"token": "string", **FOUND}


class Stored(NamedTuple):
    """A stored row and its hidden columns: the change that wrote it, its row id, its commit ts."""

    seq: int
    rid: int | None
    row: Row
    ts: int | None = None
    deleted: bool = False


Operation = tuple[Stored, str]  # what is to be there, and how it comes there


def sql(layout: TableLayout, *, with_op: bool = False) -> str:
    """Return a layout and the hidden columns as Spark's DDL text."""
    more = {**HIDDEN, OP: "string"} if with_op else HIDDEN
    columns = [(one.name, one.type) for one in layout] + list(more.items())
    return ", ".join(f"{quoted(name)} {kind}" for name, kind in columns)


def quoted(name: str) -> str:
    """Return a name as Spark's SQL has it."""
    return f"`{name.replace('`', '``')}`"


@dataclass(frozen=True, slots=True)
class Change:
    """A row's change, settled by the table's definitions and in its shape; `ts` is its commit's."""

    seq: int
    row: RowChange
    ts: int | None = None


@dataclass(frozen=True, slots=True)
class Typed:
    """Applied changes of one table -> rows of its Delta table, each with what to do with it."""

    write: Write

    def keyed(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Yield one row a key: what its last change made of it."""
        yield from self._blocks(self.last_of_keys(batches))

    def last_of_keys(self, batches: Iterator[ArrowBatch]) -> Iterator[Operation]:
        """Yield what the last change of each key does."""
        last: dict[tuple[Any, ...], Change] = {}
        for change in self.changes(batches):
            last[self.key_of(change.row.after or change.row.before or {})] = change
        for one in last.values():
            yield _operation(one.seq, None, one.row.after, one.row.before or {}, one.ts)

    def key_of(self, image: Row) -> tuple[Any, ...]:
        """Return what is equal for rows of one key."""
        definitions = self.definitions
        return tuple(normal(definitions.get(one.lower()), image.get(one)) for one in self.write.key)

    def keyless(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Yield the rows that come, change and go; first come those that may be meant."""
        bag = Bag(self.definitions)
        for batch in batches:
            for side, seq, rid, payload, ts in rows.tuples(batch):
                if side == 0:
                    bag.hold(seq, rid, orjson.loads(payload))
                else:
                    bag.apply(self._change(seq, ts, payload))
        yield from self._blocks(bag.operations())

    def wanted(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Yield tokens of the stored rows that changes may mean."""
        for change in self.changes(batches):
            row = change.row
            tokens = [] if row.rid is None else [f"r{row.rid}"]
            if row.before is not None:
                tokens.append(image(self.definitions, row.before))
            found = [(token, 0, 0, 0, "", None) for token in tokens]
            yield rows.batch_of(TOKEN, found)

    def held(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Yield the stored rows under their tokens."""
        for one in read(self.write.layout, batches):
            if one.deleted:
                continue
            text = orjson.dumps(one.row).decode()
            own = [] if one.rid is None else [f"r{one.rid}"]
            tokens = [image(self.definitions, one.row), *own]
            yield rows.batch_of(
                TOKEN, [(token, 0, one.seq, one.rid, text, None) for token in tokens]
            )

    def asked(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Yield changes in the shape in which they meet the rows that they may mean."""
        for batch in batches:
            found = [(1, row[1], None, row[6], row[3]) for row in rows.tuples(batch)]
            yield rows.batch_of(FOUND, found)

    def changes(self, batches: Iterator[ArrowBatch]) -> Iterator[Change]:
        """Yield the changes in rows of shape `APPLIED`."""
        for batch in batches:
            for row in rows.tuples(batch):
                yield self._change(row[1], row[3], row[6])

    def given(self) -> ArrowBatch:
        """Return the rows that the write itself brings."""
        found = [
            Stored(self.write.first + at, None, dict(row)) for at, row in enumerate(self.write.rows)
        ]
        return batch_of(self.write.layout, found)

    @property
    def definitions(self) -> Mapping[str, Column | None]:
        """Return the columns of the table, by lower-case name."""
        return {one.name.lower(): one.column for one in self.write.layout}

    def _change(self, seq: int, ts: str, payload: str) -> Change:
        event = orjson.loads(payload)
        images = [self._settled(event[side]) for side in ("before", "after")]
        own = event.get("shape")
        if own is not None and self.write.shape is not None:
            text, since = self.write.shape
            if orjson.dumps(own).decode() != text:
                shape = shape_of(orjson.loads(text), since)
                types = {one[0]: one[1] for one in own}
                images = [one and shape.fitted(one, types) for one in images]
        before, after = images
        row = RowChange(tuple(event["key"]), before, after, event["rid"])
        return Change(seq, row, int(ts) or None)

    def _settled(self, image: Mapping[str, Any] | None) -> Row | None:
        if image is None:
            return None
        definitions = self.definitions
        return {name: settle(definitions.get(name.lower()), one) for name, one in image.items()}

    def _blocks(self, ops: Iterable[Operation]) -> Iterator[ArrowBatch]:
        block: list[Operation] = []
        for one in ops:
            block.append(one)
            if len(block) == BLOCK:
                yield self._typed(block)
                block = []
        yield self._typed(block)

    def _typed(self, block: Sequence[Operation]) -> ArrowBatch:
        found = batch_of(self.write.layout, [one for one, _ in block])
        return found.append_column(OP, pa.array([op for _, op in block], pa.string()))


def _operation(
    seq: int, rid: int | None, after: Row | None, before: Row, ts: int | None
) -> Operation:
    """Return what makes a row be there, or go."""
    if after is None:
        return Stored(seq, rid, before, ts, deleted=True), DROP
    return Stored(seq, rid, after, ts), PUT


@dataclass(slots=True)
class Bag:
    """Rows of a table without a key, found by row id or by their whole image."""

    definitions: Mapping[str, Column | None]
    rows: dict[int, tuple[int | None, Row]] = field(
        default_factory=dict[int, tuple[int | None, Row]]
    )
    by_rid: dict[int, int] = field(default_factory=dict[int, int])
    by_image: dict[str, dict[int, None]] = field(default_factory=dict[str, dict[int, None]])
    touched: dict[int, int | None] = field(default_factory=dict[int, int | None])

    def hold(self, seq: int, rid: int | None, row: Row) -> None:
        """Take a row that is there."""
        self.rows[seq] = (rid, row)
        self.by_image.setdefault(image(self.definitions, row), {})[seq] = None
        if rid is not None:
            self.by_rid[rid] = seq

    def apply(self, change: Change) -> None:
        """Apply a change; a delete of a row that is not there does nothing."""
        row = change.row
        seq = None if row.rid is None else self.by_rid.get(row.rid)
        if seq is None and row.before is not None:
            seq = next(iter(self.by_image.get(image(self.definitions, row.before), ())), None)
        if seq is not None:
            self._take(seq)
        if row.after is not None:
            seq = change.seq if seq is None else seq
            self.hold(seq, row.rid, row.after)
        if seq is not None:
            self.touched[seq] = change.ts

    def operations(self) -> Iterator[Operation]:
        """Yield what has to be done to the stored rows."""
        for seq, ts in self.touched.items():
            rid, row = self.rows.get(seq, (None, None))
            yield _operation(seq, rid, row, {}, ts)

    def _take(self, seq: int) -> None:
        rid, row = self.rows.pop(seq)
        text = image(self.definitions, row)
        del self.by_image[text][seq]
        if not self.by_image[text]:
            del self.by_image[text]
        if rid is not None:
            self.by_rid.pop(rid, None)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A table's stored rows -> the same after a change of its columns.

    `soft`: a row that goes with its partition is kept as deleted by the statement at `ts`.
    """

    effect: Effect
    soft: bool = False
    ts: int | None = None

    def rows(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Yield the rows in their new form."""
        assert self.effect.after is not None
        for batch in batches:
            old = read(self.effect.before, iter((batch,)))
            yield batch_of(self.effect.after, list(self.stored(old)))

    def stored(self, old: Iterable[Stored]) -> Iterator[Stored]:
        """Yield stored rows in their new form."""
        assert self.effect.change is not None
        for one in old:
            new = self._new(one, self.effect.change(one.row))
            if new is not None:
                yield new

    def _new(self, old: Stored, row: Row | None) -> Stored | None:
        if row is not None:
            return old._replace(row=row)
        if old.deleted or not self.soft:
            return old if self.soft else None
        return old._replace(ts=self.ts, deleted=True)


@dataclass(frozen=True, slots=True)
class RowsAsJson:
    """A table's stored rows -> JSON in the contract's values, under a number of the table."""

    number: int
    layout: TableLayout

    def rows(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Yield the rows."""
        for batch in batches:
            stored_rows = read(self.layout, iter((batch,)))
            living = (one.row for one in stored_rows if not one.deleted)
            texts = [(self.number, orjson.dumps(row).decode()) for row in living]
            yield rows.batch_of(ROW_AS_JSON, texts)


ROW_AS_JSON: rows.Shape = {"number": "int", "row": "string"}


def read(layout: TableLayout, batches: Iterator[ArrowBatch]) -> Iterator[Stored]:
    """Yield rows of a Delta table, their columns in any order, in the contract's values."""
    for batch in batches:
        for stored_row in batch.to_pylist():
            exact: dict[str, Value] = orjson.loads(stored_row[EXACT] or "{}")
            row = {one.name: loaded(one, stored_row[one.name], exact) for one in layout}
            ts = stored_row[TS]
            yield Stored(
                stored_row[SEQ],
                stored_row[RID],
                row,
                None if ts is None else int(ts),
                bool(stored_row[DELETED]),
            )


def batch_of(layout: TableLayout, found: Sequence[Stored]) -> ArrowBatch:
    """Return rows as a batch of a Delta table's columns."""
    columns: list[list[Any]] = [[] for _ in layout]
    exacts: list[str | None] = []
    for one_row in found:
        exact: dict[str, Any] = {}
        by_name = {name.lower(): value for name, value in one_row.row.items()}
        for column, one in zip(columns, layout, strict=True):
            held, rest = stored(one, by_name.get(one.name.lower()))
            column.append(held)
            if rest is not None:
                exact[one.name] = rest
        exacts.append(orjson.dumps(exact).decode() if exact else None)
    hidden: list[Any] = [
        [one.seq for one in found],
        [one.rid for one in found],
        exacts,
        [one.ts for one in found],
        [one.deleted for one in found],
    ]
    types = [arrow(one.type) for one in layout] + [arrow(kind) for kind in HIDDEN.values()]
    arrays = [pa.array(held, kind) for held, kind in zip([*columns, *hidden], types, strict=True)]
    names = [*(one.name for one in layout), *HIDDEN]
    batch: ArrowBatch = pa.RecordBatch.from_arrays(arrays, names=names)
    return batch


def arrow(kind: str) -> Any:  # noqa: ANN401 - a type of PyArrow
    """Return Arrow's type for one of Delta's."""
    if not kind.startswith("decimal"):
        return _ARROW[kind]
    digits, scale = kind[len("decimal(") : -1].split(",")
    return pa.decimal128(int(digits), int(scale))


def image(definitions: Mapping[str, Column | None], row: Row) -> str:
    """Return text that is equal for equal rows."""
    exact = {
        name.lower(): normal(definitions.get(name.lower()), value)
        for name, value in row.items()
        if value is not None
    }
    return orjson.dumps(exact, option=orjson.OPT_SORT_KEYS).decode()

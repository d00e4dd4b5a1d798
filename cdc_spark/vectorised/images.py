"""Rows of one table as columns of a block, from their values in contract JSON.

The columns hold what `events.Event` and `events.payload_of` would hold of each row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cdc_spark.events import Kind, json_text
from cdc_spark.untyped import Column, pa, pc
from cdc_spark.vectorised import blocks

Columns = Mapping[str, Column]
TextPart = str | Column


class RowColumns(NamedTuple):
    """Rows of one kind: who they are, when, and their images as JSON.

    `change` is what their messages say of upserts, if they have a word for it, `position` where
    they stand in a log, if it is known.
    """

    ts: Column
    identity: Column
    before: Column | None
    after: Column | None
    transaction: Column | None = None
    change: Column | None = None
    position: Column | None = None


@dataclass(frozen=True, slots=True)
class RowWriter:
    """Writes rows of one table as columns: with their payloads, or with their images apart.

    `names` are all columns in the order of their values, `handle` those of the key in its order.
    """

    schema: str
    table: str
    names: Sequence[str]
    handle: Sequence[str]
    payloads: bool
    _template: Sequence[str] = field(init=False)
    _places: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        """Work out what is the same for all rows."""
        keys = [f"{json_text(name)}:" for name in self.names]
        template = [("," if number else "{") + key for number, key in enumerate(keys)]
        object.__setattr__(self, "_template", template)
        object.__setattr__(self, "_places", [self.names.index(name) for name in self.handle])

    def image(self, values: Sequence[Column]) -> Column:
        """Return rows as JSON."""
        parts: list[TextPart] = []
        for key, value in zip(self._template, values, strict=True):
            parts += (key, value)
        return joined(*parts, "}")

    def identity(self, values: Sequence[Column], rid: Column | None = None) -> Column:
        """Return the identities of rows: their keys, else their row ids if known, else ""."""
        head = json_text([self.schema, self.table])[:-1]
        if self._places:
            parts: list[TextPart] = [head]
            for place in self._places:
                parts += (",", values[place])
            return joined(*parts, "]")
        if rid is not None:
            return joined(head, ',{"rid":', rid, "}]")
        return blocks.same("", len(values[0]))

    def moved(self, before: Sequence[Column], after: Sequence[Column]) -> Column:
        """Return of which rows the keys differ."""
        differ = pa.repeat(pa.scalar(False), len(after[0]))  # noqa: FBT003 - a value
        for place in self._places:
            differ = pc.or_(differ, pc.not_equal(before[place], after[place]))
        return differ

    def event(self, kind: Kind, rows: RowColumns, rest: Sequence[TextPart]) -> Columns:
        """Return the columns of a block for rows; `rest` are the payloads' other members."""
        size = len(rows.identity)
        columns: dict[str, Column] = {
            "kind": pa.repeat(pa.scalar(int(kind), pa.int32()), size),
            "ts": rows.ts,
            "schema": blocks.same(self.schema, size),
            "table": blocks.same(self.table, size),
            "identity": rows.identity,
        }
        if rows.transaction is not None:
            columns["transaction"] = rows.transaction
        if rows.position is not None:
            columns["position"] = rows.position
        before, after = rows.before, rows.after
        if self.payloads:
            key = f',"key":{json_text(list(self.handle))},'
            columns["payload"] = joined(
                '{"before":', _or_null(before), ',"after":', _or_null(after), key, *rest, "}"
            )
            return columns
        if rows.change is not None:
            columns["change"] = rows.change
        elif before is not None and after is not None:
            columns["change"] = blocks.same("update", size)
        columns["key"] = blocks.same_names(self.handle, size)
        if before is not None:
            columns["before"] = before
        if after is not None:
            columns["after"] = after
        return columns


def _or_null(image: Column | None) -> TextPart:
    return "null" if image is None else image


def joined(*parts: TextPart) -> Column:
    """Return texts made of parts, one after the other."""
    return pc.binary_join_element_wise(*parts, "")


def times(texts: Column) -> Column:
    """Return numbers of at most 19 digits as a block has times."""
    return texts.cast(pa.uint64()).cast(blocks.COMMIT_TS)


def untimed(size: int) -> Column:
    """Return a column of commit ts that no message carries."""
    return pa.repeat(blocks.NO_TS, size)

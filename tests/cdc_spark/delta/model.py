"""Delta in lists: what the sink's operations do to tables, with Delta's rule for versions seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson
import pyarrow as pa

from cdc_spark import rows
from cdc_spark.delta import alter, born, convert
from cdc_spark.delta.born import Born
from cdc_spark.delta.columns import DELETED, EXACT, SEQ, TS
from cdc_spark.delta.convert import DROP, FOUND, OP, PUT, Rewritten, Typed, batch_of
from cdc_spark.delta.marks import Name
from cdc_spark.delta.plan import Operation, Plan, Reshape, Write
from cdc_spark.delta.scan import Scan
from cdc_spark.delta.sketch import TableLayout, load
from cdc_spark.events import Kind

Applied = tuple[Any, ...]  # a row of shape `APPLIED`
Stored = dict[str, Any]
ROWS = (Kind.DELETE, Kind.UPSERT)


@dataclass
class Model:
    """Tables by path, their newest versions and notes, and what the ledger has.

    `soft`: deleted rows stay, and say so. `one_by_one`: a table that is made has an operation for
    each that is planned, as those of the Delta that an earlier release wrote.
    """

    soft: bool = False
    one_by_one: bool = False
    tables: dict[str, list[Stored]] = field(default_factory=dict[str, list[Stored]])
    versions: dict[str, int] = field(default_factory=dict[str, int])
    notes: dict[str, int] = field(default_factory=dict[str, int])
    ledger: dict[str, str] = field(default_factory=dict[str, str])
    makers: dict[str, int] = field(default_factory=dict[str, int])

    def batch(self, applied: Sequence[Applied], crash_after: int | None = None) -> None:
        """Do a micro-batch; with `crash_after` that many operations of it, and no line is kept."""
        shaped: dict[Name, tuple[bytes, int]] = {}
        for sketch in map(load, self.ledger.values()):
            if sketch.shape is not None:
                name = (0, sketch.schema.lower(), sketch.name.lower())
                shaped[name] = (sketch.shape.text, sketch.shape.ts)
        found = Scan(shaped).marks(iter([rows.batch_of(rows.APPLIED, applied)]))
        marks = [mark for batch in found for mark in rows.tuples(batch)]
        plan = Plan(0)
        plan.know(self.ledger.values())
        plan.take(sorted(marks, key=lambda mark: (mark[1], mark[2])))
        assert not plan.error
        done = dict(self.notes)
        for number, one in enumerate(self._grouped(plan.operations)):
            if number == crash_after:
                return
            if isinstance(one, Born):
                self._born(one, applied)
            elif one.version >= done.get(one.path, 0):
                self._done(one, applied)
        if crash_after is not None:
            return
        for path, text, dropped in plan.changed():
            if dropped:
                del self.ledger[path]
            else:
                self.ledger[path] = text

    def _done(self, one: Operation, applied: Sequence[Applied]) -> None:
        if isinstance(one, Write):
            self._once(one.path, one.version, partial(self._written, one, applied))
        else:
            self._reshape(one)

    def state(self) -> dict[str, list[str]]:
        """Return the tables' rows as text, in order, by name."""
        found: dict[str, list[str]] = {}
        for sketch in map(load, self.ledger.values()):
            held = self.tables.get(sketch.path, [])
            read = convert.read(sketch.layout, iter([batch(sketch.layout, held)]))
            living = (text_of(one.row) for one in read if not one.deleted)
            found[f"{sketch.schema}.{sketch.name}"] = sorted(living)
        return found

    def kept(self) -> list[tuple[str, int, bool]]:
        """Return the first column, the commit ts and whether it is deleted, of all rows."""
        return sorted(
            (str(next(iter(one.values()))), int(one[TS]), one[DELETED])
            for held in self.tables.values()
            for one in held
        )

    def stored(self) -> dict[str, list[str]]:
        """Return all that is stored, rows in order, by path."""
        return {path: sorted(map(text_of, held)) for path, held in self.tables.items()}

    def _once(self, path: str, version: int, made: Callable[[], list[Stored]]) -> None:
        """Do what Delta does: a version that the table has seen is not even looked at."""
        if version > self.versions.get(path, -1):
            self.tables[path], self.versions[path] = made(), version

    def _grouped(self, operations: Sequence[Operation]) -> list[Operation | Born]:
        """Return the operations by table; of one that is made they are one, where they may be."""
        tables: dict[str, list[Operation]] = {}
        for one in operations:
            tables.setdefault(one.path, []).append(one)
        found: list[Operation | Born] = []
        for path, some in tables.items():
            whole = not self.one_by_one and born.writes(some)
            if not whole or (path in self.tables and path not in self.makers):
                found += some
            elif path not in self.makers or self.makers[path] == some[-1].version:
                found.append(Born(tuple(some), self.soft))
        return found

    def _born(self, born_table: Born, applied: Sequence[Applied]) -> None:
        path, version = born_table.operations[0].path, born_table.operations[-1].version
        self.makers[path] = version
        writes = [one for one in born_table.operations if isinstance(one, Write)]
        mine = [
            one for one in applied if one[2] in ROWS and any(_is_of(two, one) for two in writes)
        ]

        def made() -> list[Stored]:
            found = born_table.rows(iter([rows.batch_of(rows.APPLIED, mine)]))
            return [one for each in found for one in each.to_pylist()]

        self._once(path, version, made)

    def _written(self, write: Write, applied: Sequence[Applied]) -> list[Stored]:
        mine = [one for one in applied if one[2] in ROWS and _is_of(write, one)]
        typed = Typed(write)
        source = [rows.batch_of(rows.APPLIED, mine)]
        table = [] if write.new else self.tables[write.path]
        if write.key:
            changes = typed.keyed(iter(source))
        else:
            wanted = {one[0] for each in typed.wanted(iter(source)) for one in rows.tuples(each)}
            held = {
                one[2]: one[1:]
                for each in typed.held(iter([batch(write.layout, table)]))
                for one in rows.tuples(each)
                if one[0] in wanted
            }
            meant = rows.batch_of(FOUND, sorted(held.values()))
            changes = typed.keyless(iter([meant, *typed.asked(iter(source))]))
        for change in (one for each in changes for one in each.to_pylist()):
            op = change.pop(OP)
            hits = [one for one in table if _at(write, one) == _at(write, change)]
            assert op == DROP or len(hits) < 2
            table = [one for one in table if one not in hits]
            hidden = {name: change[name] for name in (SEQ, TS, DELETED)}
            gone = [one | hidden for one in hits] if self.soft else []
            table += [change] if op == PUT else gone
        return table

    def _reshape(self, reshape: Reshape) -> None:
        path, effect = reshape.path, reshape.effect
        if effect.after is None:
            self._once(path, reshape.version, partial(self._emptied, reshape))
            return
        self.notes[path] = reshape.version
        steps = alter.steps(effect)
        if steps is None:
            self._once(path, reshape.version, partial(self._rewritten, reshape))
        for step in steps or ():
            self.tables[path] = [_stepped(step, one) for one in self.tables[path]]

    def _emptied(self, reshape: Reshape) -> list[Stored]:
        table = self.tables[reshape.path] if self.soft else []
        gone = {TS: reshape.ts, DELETED: True}
        return [one if one[DELETED] else one | gone for one in table]

    def _rewritten(self, reshape: Reshape) -> list[Stored]:
        old = iter([batch(reshape.effect.before, self.tables[reshape.path])])
        made = Rewritten(reshape.effect, self.soft, reshape.ts)
        return [one for each in made.rows(old) for one in each.to_pylist()]


def _is_of(write: Write, applied: Applied) -> bool:
    names = (applied[4].lower(), applied[5].lower())
    within = write.first <= applied[1] <= write.last
    return within and names == (write.schema.lower(), write.table.lower())


def _at(write: Write, row: Stored) -> list[Any]:
    """Return what a MERGE compares."""
    if not write.key:
        return [row[SEQ]]
    names = {one.name.lower(): one.name for one in write.layout}
    exact = orjson.loads(row[EXACT] or "{}")
    return [part for key in write.key for part in (row[names[key]], exact.get(names[key]))]


def _stepped(step: alter.Step, row: Stored) -> Stored:
    if not step.due(list(row)):
        return row
    if not step.old:
        return {**row, step.new: None}
    return {
        step.new if name.lower() == step.old else name: value
        for name, value in row.items()
        if step.new or name.lower() != step.old
    }


def batch(layout: TableLayout, held: Sequence[Stored]) -> Any:
    """Return stored rows as Arrow has them; rows of another layout fail."""
    schema = batch_of(layout, []).schema
    assert all(set(one) == set(schema.names) for one in held)
    return pa.RecordBatch.from_pylist(list(held), schema=schema)


def text_of(row: dict[str, Any]) -> str:
    """Return a row as text, its columns in order, NULL and what is not there alike."""
    statements: Iterator[tuple[str, str]] = (
        (name, str(value)) for name, value in sorted(row.items()) if value is not None
    )
    return repr(list(statements))

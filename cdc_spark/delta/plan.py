"""From the marks of one changefeed's micro-batch to what is to be done, in order; pure.

Rows of a table are written at once as far as nothing comes between them that changes how. What
is done has a version that rises with the changefeed's timeline: two for each change, one before it
and one with it. So doing it again is known by the version, whatever had been done before a crash.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import orjson

from cdc_spark.apply.ddl import Tables
from cdc_spark.apply.fold import column_of
from cdc_spark.apply.repartition import UnknownEffect
from cdc_spark.delta.marks import FORM, LAST
from cdc_spark.delta.sketch import Effect, Sketch, TableLayout, load, shape_of
from cdc_spark.errors import DecodingError
from cdc_spark.events import Kind
from cdc_spark.set_aside import MessagePlace, Places

NAME_LENGTH = 60


def before(seq: int) -> int:
    """Return the version of what is done before a change."""
    return 2 * seq + 1


def after(seq: int) -> int:
    """Return the version of a change itself."""
    return 2 * seq + 2


@dataclass(frozen=True, slots=True)
class Write:
    """Rows of a changefeed's table from seq `first` to `last`; `new` makes the Delta table."""

    path: str
    version: int
    layout: TableLayout
    feed: int
    schema: str
    table: str
    key: tuple[str, ...]
    shape: tuple[str, int] | None
    first: int
    last: int
    new: bool
    rows: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Reshape:
    """A table's columns change, or (`effect.after` is None) all its rows go; at a commit ts."""

    path: str
    version: int
    effect: Effect
    ts: int = 0


Operation = Write | Reshape


@dataclass(slots=True)
class _Segment:
    sketch: Sketch
    schema: str
    table: str
    key: tuple[str, ...]
    first: int
    layout: TableLayout
    shape: tuple[str, int] | None


@dataclass(slots=True)
class Plan:
    """What is known of a changefeed's tables, and what a micro-batch asks for.

    `ddl` are the statements that were executed, as `ddl.jsonl` has them, `passed` those that were
    skipped by name. `error` and `needs` say why the changefeed stopped; then nothing more is taken.
    """

    feed: int
    lenient: bool = False
    skip: Places = frozenset()
    statements: Mapping[MessagePlace, str] = field(default_factory=dict[MessagePlace, str])
    error: str = ""
    needs: str = ""
    stopped_at: MessagePlace | None = None
    operations: list[Operation] = field(default_factory=list[Operation])
    ddl: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    passed: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    tables: Tables = field(default_factory=lambda: Tables(Sketch))
    _open: dict[tuple[str, str], _Segment] = field(default_factory=dict[tuple[str, str], _Segment])
    _saved: dict[str, str] = field(default_factory=dict[str, str])

    def know(self, dumped: Iterable[str]) -> None:
        """Take the tables that the ledger has."""
        for text in dumped:
            sketch = load(text)
            self._saved[sketch.path] = text
            self.tables.put(sketch)

    def start(self, described: Iterable[Mapping[str, Any]]) -> None:
        """Take tables that exist before the first change, as job.json describes them."""
        for number, table in enumerate(described):
            sketch = self._sketch(table["schema"], table["name"], f"s{number}")
            columns = [column_of(one) for one in table["columns"]]
            sketch.columns = {column.name.lower(): column for column in columns}
            given = tuple(table.get("rows", ()))
            if not given:
                continue
            sketch.learn(name for row in given for name in row)
            sketch.effects.clear()
            name = (sketch.schema, sketch.name)
            self._write(
                _segment(sketch, name, tuple(table.get("key") or ()), -len(given)), -1, given
            )

    def take(self, marks: Iterable[tuple[Any, ...]]) -> None:
        """Plan a micro-batch; marks are rows of shape `APPLIED`, in the order of their seq."""
        ends: list[tuple[Any, ...]] = []
        seq = -1
        for mark in marks:
            if mark[2] == LAST:
                ends.append(mark)
            elif not self.error:
                seq = mark[1]
                self._mark(mark)
        self._close_all(seq - 1 if self.error else max([seq, *(end[1] for end in ends)]))
        by_name = {(one.schema.lower(), one.name.lower()): one for one in self.sketches()}
        for _, _, _, ts, schema, table, *_ in ends:
            sketch = by_name.get((schema.lower(), table.lower()))
            if sketch is not None and sketch.shape is not None:
                sketch.shape.ts = max(sketch.shape.ts, int(ts))

    def changed(self) -> list[tuple[str, str, bool]]:
        """Return path, dump and whether it is dropped, of each table that is not as it was."""
        now = {one.path: one.dump() for one in self.sketches() if one.path}
        kept = [(path, text, False) for path, text in now.items() if self._saved.get(path) != text]
        dropped = [(path, text, True) for path, text in self._saved.items() if path not in now]
        return kept + dropped

    def sketches(self) -> list[Sketch]:
        """Return the tables as they are now."""
        return [table for table in self.tables if isinstance(table, Sketch)]

    def _sketch(self, schema: str, table: str, suffix: object = "") -> Sketch:
        sketch = self.tables.get(schema, table)
        assert isinstance(sketch, Sketch)
        if not sketch.path:
            parts = [quote(one, safe="")[:NAME_LENGTH].replace("%", "_") for one in (schema, table)]
            sketch.path = f"{parts[0]}/{parts[1]}-{suffix}"
        return sketch

    def _mark(self, mark: tuple[Any, ...]) -> None:
        _, seq, kind, ts, schema, table, payload, topic, partition, offset = mark
        place = MessagePlace(topic, partition, offset)
        if kind == Kind.ERROR and not self.lenient:
            self.error = f"{payload} ({place})"
        elif kind == FORM:
            self._form(seq, (schema, table), int(ts), orjson.loads(payload))
        elif kind == Kind.DDL:
            event = orjson.loads(payload)
            event["q"] = self.statements.get(place, event["q"])
            line = {"query": event["q"], "type": event["t"], "schema": schema, "table": table}
            line["commit_ts"] = ts
            if place in self.skip:
                self.passed.append({**line, **place._asdict()})
                return
            try:
                self._execute(seq, int(ts), (schema, table), event)
            except DecodingError as error:
                if isinstance(error, UnknownEffect):
                    self.needs = f"rows of DDL of unknown effect: {error.what}"
                self.error, self.stopped_at = f"{error.what} ({place})", place
                return
            self.ddl.append(line)

    def _form(self, seq: int, name: tuple[str, str], ts: int, form: Mapping[str, Any]) -> None:
        sketch = self._sketch(*name, seq)
        at = (name[0].lower(), name[1].lower())
        key = tuple(form["key"])
        if form["shape"] is not None:
            sketch.follow(shape_of(form["shape"], form.get("since", ts)))
        else:
            sketch.learn(form["names"])
        segment = self._open.get(at)
        if segment is not None and not sketch.effects and segment.key == key:
            return
        self._settle(sketch, seq - 1, before(seq), ts)
        self._open[at] = _segment(sketch, name, key, seq)

    def _execute(self, seq: int, ts: int, name: tuple[str, str], event: Mapping[str, Any]) -> None:
        names = {id(one): (one.schema, one.name) for one in self.sketches()}
        layouts = {id(one): one.layout for one in self.sketches()}
        self.tables.execute(*name, event)
        alive = {id(one) for one in self.sketches()}
        for at, segment in list(self._open.items()):
            if id(segment.sketch) not in alive:
                del self._open[at]  # its rows would be written to be dropped
        for one in self.sketches():
            if not one.path:
                self._sketch(one.schema, one.name, seq)
            was = layouts.get(id(one), one.layout)
            if not one.effects and one.layout != was:
                one.effects.append(Effect(was, one.layout))
            if one.effects or names.get(id(one)) != (one.schema, one.name):
                self._settle(one, seq - 1, after(seq), ts)

    def _settle(self, sketch: Sketch, last: int, version: int, ts: int) -> None:
        """Write what is open of a table under its old layout, then change it."""
        effects, sketch.effects = sketch.effects, []
        for at, segment in list(self._open.items()):
            if segment.sketch is sketch:
                del self._open[at]
                self._write(segment, last)
        if sketch.made:
            self.operations.extend(Reshape(sketch.path, version, one, ts) for one in effects)

    def _close_all(self, last: int) -> None:
        for segment in self._open.values():
            self._write(segment, last)
        self._open = {}

    def _write(
        self, segment: _Segment, last: int, given: tuple[Mapping[str, Any], ...] = ()
    ) -> None:
        sketch = segment.sketch
        self.operations.append(
            Write(
                path=sketch.path,
                version=after(last),
                layout=segment.layout,
                feed=self.feed,
                schema=segment.schema,
                table=segment.table,
                key=segment.key,
                shape=segment.shape,
                first=segment.first,
                last=last,
                new=not sketch.made,
                rows=given,
            )
        )
        sketch.made = True


def _segment(sketch: Sketch, name: tuple[str, str], key: tuple[str, ...], first: int) -> _Segment:
    shape = None if sketch.shape is None else (sketch.shape.text.decode(), sketch.shape.ts)
    return _Segment(sketch, *name, key, first, sketch.layout, shape)

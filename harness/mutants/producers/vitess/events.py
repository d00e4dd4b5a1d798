"""Which events there are: a row each, each once, copied rows first, none lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord, Schema
from harness.model.change import ChangeLog, Transaction
from harness.model.columns import Column, ColumnKind
from harness.model.table import Table
from harness.model.values import Row, Value
from harness.model.vstream import Cells
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, instead, patch, returns
from harness.mutants.producers.records import CHANGE, Records, Values, at, kind
from harness.mutants.producers.vitess.edits import each, stream, value_schema, values
from harness.sources.source import SourceConfig
from harness.sources.vitess.copy import filled
from harness.sources.vitess.fields import sent

Filling = Callable[[Column, bytes | None], bytes | None]
FINER: Final = {"ts_us": 1_000, "ts_ns": 1_000_000}


def copied(record: ConnectRecord) -> bool:
    """Tell whether a record is of a row that was there when the connector started."""
    return kind(record) == CHANGE and not record.origin.commit_ts


def _without(left_out: Callable[[ConnectRecord], bool]) -> Patch:
    return each(lambda record: () if left_out(record) else (record,))


def _lost(number: int, *, behind_copy: bool = False) -> Patch:
    """Return the patch that loses a transaction, by its number from 0."""

    def changed(given: Records) -> Iterator[ConnectRecord]:
        met: dict[str | None, int] = {}
        for record in given:
            name = record.origin.transaction
            if (
                name is None
                or (behind_copy and not record.origin.commit_ts)
                or met.setdefault(name, len(met)) != number
            ):
                yield record

    return stream(changed)


def _copied_again(given: Records) -> Iterator[ConnectRecord]:
    """Yield the last row of the copy once more before the first change behind it."""
    last: tuple[ConnectRecord, ...] = ()
    for record in given:
        if copied(record):
            last = (record,)
        elif kind(record) == CHANGE:
            yield from last
            last = ()
        yield record


def _twice(record: ConnectRecord) -> Records:
    return (record, record) if kind(record) == CHANGE else (record,)


def _one_row_a_statement(given: Records) -> Iterator[ConnectRecord]:
    """Leave out what has transaction, table and operation of the record before it."""
    last: tuple[object, ...] = ()
    for record in given:
        if kind(record) != CHANGE:
            yield record
            continue
        own = (record.origin.transaction, record.topic, record.value["op"])
        if own != last:
            yield record
        last = own


def _last_of_a_row(given: Records) -> Iterator[ConnectRecord]:
    """Leave out what the same transaction changes once more of the same row."""
    records = list(given)
    rows = [
        (record.origin.transaction, record.topic, str(record.key)) if kind(record) == CHANGE else ()
        for record in records
    ]
    last = {row: number for number, row in enumerate(rows)}
    yield from (r for n, r in enumerate(records) if not rows[n] or last[rows[n]] == n)


def _without_last_table(given: Records) -> Iterator[ConnectRecord]:
    """Leave out the copied rows of all tables but the first."""
    first = ""
    for record in given:
        if not copied(record):
            yield record
            continue
        first = first or record.topic
        if record.topic == first:
            yield record


def _filled_up(original: Callable[[Table], Callable[[Row], Cells]]) -> Callable[..., Any]:
    def made(table: Table) -> Callable[[Row], Cells]:
        write, columns = original(table), [table.columns[ordinal] for ordinal in sent(table)]
        return lambda row: tuple(map(filled, columns, write(row)))

    return made


def _unfilled(of: ColumnKind, original: Filling) -> Filling:
    return lambda column, text: text if column.kind is of else original(column, text)


def _six_whatever_is_declared(original: Callable[[Column, Value], Value]) -> Callable[..., Value]:
    return lambda column, value: original(replace(column, scale=None), value)


def _copied(change: Callable[[Values], object]) -> Patch:
    """Return the patch that changes, in place, the value of each copied row."""

    def changed(record: ConnectRecord) -> Records:
        if not copied(record):
            return (record,)
        value: dict[str, Any] = {**record.value, "source": {**record.value["source"]}}
        change(value)
        return (replace(record, value=value),)

    return each(changed)


def _six_digits(original: Callable[..., bytes | None]) -> Callable[..., bytes | None]:
    def cell(column: Column, value: Value) -> bytes | None:
        plain = column.kind is ColumnKind.FLOAT and column.scale is None
        if plain and isinstance(value, float):
            value = float(f"{value:.6g}")
        return original(column, value)

    return cell


def _sorted(schema: Schema) -> Schema:
    return replace(schema, fields=tuple(sorted(schema.fields, key=lambda field: field.name)))


def _sorted_rows(schema: Schema) -> Schema:
    for path in ("before", "after"):
        schema = at((path,), _sorted)(schema)
    return schema


def _source_time(value: Values) -> None:
    value.update({name: value["source"][name] for name in ("ts_ms", *FINER)})


def _read_anew(value: Values) -> None:
    value["ts_us"] += 1_000_000
    value["ts_ns"] += 2_000_000_000


def _coarse(value: Values) -> None:
    value.update({name: value["ts_ms"] * factor for name, factor in FINER.items()})


def _nanoseconds_of_microseconds(value: Values) -> None:
    value["ts_ns"] = value["ts_us"] * 1000


def _milliseconds_of_seconds(value: Values) -> None:
    value["ts_ms"] = value["ts_ms"] // 1000 * 1000


_COPIES: Final = (
    ("read", "It calls the operation of a copied row `r`.", {"op": "r"}),
    ("marked", "It says `snapshot` true of a copied row.", {"snapshot": "true"}),
)


def _marked(marks: dict[str, str]) -> Patch:
    def change(value: Values) -> None:
        for name, held in marks.items():
            (value if name in value else value["source"])[name] = held

    return _copied(change)


def _copying(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a source that copies behind the first transaction where it is to copy nothing."""

    def simulate(log: ChangeLog, config: SourceConfig) -> Any:  # noqa: ANN401 as the original
        names = [change.name for change in log.changes if isinstance(change, Transaction)]
        if config.settings.get("snapshot.mode") != "never" or not names:
            return original(log, config)
        left = {name: value for name, value in config.settings.items() if name != "snapshot.mode"}
        return original(log, replace(config, settings=left, copied_after=names[0]))

    return simulate


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "vitess-one-event-a-statement",
        "vitess.event.per-row",
        "It sends one event for all rows of a statement.",
        stream(_one_row_a_statement),
    ),
    WrongProducer(
        "vitess-one-event-a-row",
        "vitess.event.per-row",
        "It sends the last alone of a transaction's changes of a row.",
        stream(_last_of_a_row),
    ),
    WrongProducer(
        "vitess-event-time-of-source",
        "vitess.event.ts",
        "It says the source's time where it is to say its own.",
        values(CHANGE, _source_time),
    ),
    WrongProducer(
        "vitess-event-time-in-milliseconds",
        "vitess.event.ts",
        "It takes the finer times from the milliseconds.",
        values(CHANGE, _coarse),
    ),
    WrongProducer(
        "vitess-event-nanoseconds-of-microseconds",
        "vitess.event.ts",
        "It takes the nanoseconds of its time from the microseconds.",
        values(CHANGE, _nanoseconds_of_microseconds),
    ),
    WrongProducer(
        "vitess-event-milliseconds-of-seconds",
        "vitess.event.ts",
        "It takes the milliseconds of its time from the seconds.",
        values(CHANGE, _milliseconds_of_seconds),
    ),
    WrongProducer(
        "vitess-event-times-read-apart",
        "vitess.event.ts",
        "It reads its clock anew for each of the three times, a second later each.",
        values(CHANGE, _read_anew),
    ),
    WrongProducer(
        "vitess-columns-sorted",
        "vitess.event.column-order",
        "It writes columns in the order of their names.",
        value_schema(CHANGE, _sorted_rows),
    ),
    WrongProducer(
        "vitess-each-change-twice",
        "vitess.delivery.exactly-once",
        "It sends each change twice while nothing fails.",
        each(_twice),
    ),
    WrongProducer(
        "vitess-second-transaction-lost",
        "vitess.delivery.exactly-once",
        "It loses a transaction while nothing fails.",
        _lost(1),
    ),
    WrongProducer(
        "vitess-copies-nothing",
        "vitess.snapshot.initial",
        "It sends none of the rows that are there.",
        _without(copied),
    ),
    WrongProducer(
        "vitess-copies-one-table",
        "vitess.snapshot.initial",
        "It sends the rows of the first table alone.",
        stream(_without_last_table),
    ),
    WrongProducer(
        "vitess-copies-behind-changes",
        "vitess.snapshot.initial",
        "It sends the rows that are there behind the changes.",
        stream(lambda given: sorted(given, key=copied)),
    ),
    WrongProducer(
        "vitess-copied-floats-in-full",
        "vitess.snapshot.float-digits",
        "It copies a FLOAT with all the digits that its 32 bits need.",
        instead("harness.sources.vitess.copy:as_shown", lambda _, row: row),
    ),
    WrongProducer(
        "vitess-streamed-floats-as-copied",
        "vitess.snapshot.float-digits",
        "It sends a FLOAT with six digits in the stream too.",
        patch("harness.sources.vitess.cells:cell", _six_digits),
    ),
    WrongProducer(
        "vitess-copied-floats-with-decimals-in-six-digits",
        "vitess.snapshot.float-digits",
        "It copies a FLOAT with declared decimals with six digits too.",
        patch("harness.sources.vitess.copy:_shown", _six_whatever_is_declared),
    ),
    WrongProducer(
        "vitess-copied-without-zeros",
        "vitess.snapshot.zerofill",
        "It copies a number that is ZEROFILL without the zeros before its digits.",
        instead("harness.sources.vitess.copy:filled", lambda _, text: text),
    ),
    *(
        WrongProducer(
            f"vitess-copied-{of.value}-without-zeros",
            "vitess.snapshot.zerofill",
            f"It copies a {of.value.upper()} that is ZEROFILL without the zeros before its digits.",
            patch("harness.sources.vitess.copy:filled", partial(_unfilled, of)),
        )
        for of in (ColumnKind.DECIMAL, ColumnKind.BIGINT)
    ),
    WrongProducer(
        "vitess-streamed-with-zeros",
        "vitess.snapshot.zerofill",
        "It sends a number that is ZEROFILL with zeros in the stream too.",
        patch("harness.sources.vitess.cells:row_cells", _filled_up),
    ),
    WrongProducer(
        "vitess-change-behind-copy-lost",
        "vitess.snapshot.then-streams",
        "It loses the first transaction behind the copy.",
        _lost(0, behind_copy=True),
    ),
    WrongProducer(
        "vitess-streams-from-before-the-copys-end",
        "vitess.snapshot.then-streams",
        "It streams from before the copy's end, and so sends the last copied row once more.",
        stream(_copied_again),
    ),
    WrongProducer(
        "vitess-sends-what-was-before",
        "vitess.snapshot.never",
        "It sends changes from before its start.",
        returns("harness.sources.vitess.position:Position.passed", value=False),
    ),
    WrongProducer(
        "vitess-copies-although-never",
        "vitess.snapshot.never",
        "It copies the rows that are there although snapshot.mode is never, and then streams.",
        patch("harness.sources.vitess.source:simulate", _copying),
    ),
    *(
        WrongProducer(
            f"vitess-copied-row-{name}", "vitess.snapshot.as-create", says, _marked(marks)
        )
        for name, says, marks in _COPIES
    ),
    *(
        WrongProducer(
            f"vitess-documented-copied-row-{name}",
            "vitess.documented.read",
            f"{says[:-1]}, by the page's dialect, too.",
            _marked(marks),
        )
        for name, says, marks in _COPIES
    ),
)

"""Snapshots: what is read before the log, as which events, from where, in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord
from harness.model.binlog import LogCommit, LogCopy, LogEvent, LogSnapshot
from harness.model.columns import Column, ColumnKind
from harness.model.record import Origin
from harness.model.table import Table
from harness.model.values import Row, Value
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.mysql.edits import CONNECTOR, cells, log, of, row, stream, values
from harness.mutants.producers.patch import Patch, instead, patch
from harness.mutants.producers.records import CHANGE, Records, Values, op
from harness.sources.source import SourceConfig

_SOURCE: Final = "harness.sources.mysql.source:_read"
_MARKER: Final = "harness.codecs.debezium_mysql.connector:_marker"
_MARKED: Final = "harness.codecs.debezium_mysql.connector:marked"
Marked = tuple[LogCopy, Row, Origin, str]
_SIMULATOR: Final = "harness.sources.mysql.simulator"


def _as_mode(other: str, *asked: str | None) -> Patch:
    """Return the patch by which modes, None for one that is not given, are taken for another."""

    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        def read(changes: Any, config: SourceConfig) -> Any:  # noqa: ANN401 - as the original
            if config.settings.get("snapshot.mode") in asked:
                config = replace(config, settings={**config.settings, "snapshot.mode": other})
            return original(changes, config)

        return read

    return patch(_SOURCE, changed)


def _modes() -> Iterator[WrongProducer]:
    for asked, other, clause, says in (
        ("initial", "no_data", "initial", "reads no row"),
        ("initial", "initial_only", "initial", "follows no log"),
        ("always", "no_data", "first-start", "reads no row at a first start"),
        ("when_needed", "no_data", "first-start", "reads no row at a first start"),
        ("always", "initial_only", "first-start", "follows no log at a first start"),
        ("when_needed", "initial_only", "first-start", "follows no log at a first start"),
        ("initial_only", "initial", "initial-only", "follows the log"),
        ("no_data", "initial", "none", "reads rows"),
        ("no_data", "initial_only", "none", "reads rows and nothing else"),
    ):
        name = f"{asked}-as-{other}".replace("_", "-")
        modes = (asked, None) if asked == "initial" else (asked,)
        edit = _as_mode(other, *modes)
        yield row(name, f"snapshot.{clause}", f"It {says} with {asked}.", edit)


def _read(change: Callable[[Values], object]) -> Patch:
    """Return the patch that changes, in place, the value of each row that is read."""
    return values(CHANGE, lambda value: change(value) if value["op"] == "r" else None)


def _marks(old: str, new: str) -> Patch:
    """Return the patch that writes another marker for one of those of rows."""

    def change(value: Values) -> None:
        if value["source"]["snapshot"] == old:
            value["source"]["snapshot"] = new

    return _read(change)


def _markers() -> Iterator[WrongProducer]:
    for old, new in (
        ("first", "first_in_data_collection"),
        ("first_in_data_collection", "true"),
        ("last_in_data_collection", "last"),
        ("last", "last_in_data_collection"),
        ("true", "false"),
    ):
        name = f"marker-{new}-for-{old}".replace("_", "-")
        says = f"It writes `{new}` for `{old}` of a row that is read."
        yield row(name, "snapshot.marker", says, _marks(old, new))


def _only_row_first(original: Callable[[int, int, int], str]) -> Callable[[int, int, int], str]:
    """Mark the only row of a table as its first."""

    def marker(table: int, at: int, count: int) -> str:
        return "first_in_data_collection" if table and at == 1 else original(table, at, count)

    return marker


def _only_row_last(original: Callable[[int, int, int], str]) -> Callable[[int, int, int], str]:
    """Mark the only row of the first table as its last."""

    def marker(table: int, at: int, count: int) -> str:
        return "last_in_data_collection" if at == count else original(table, at, count)

    return marker


def _only_row_of_all(
    original: Callable[[Sequence[LogCopy]], Iterator[Marked]],
) -> Callable[[Sequence[LogCopy]], Iterator[Marked]]:
    """Mark the only row of a copy as its first."""

    def marked(copies: Sequence[LogCopy]) -> Iterator[Marked]:
        found = list(original(copies))
        yield from ((*one[:3], "first") for one in found) if len(found) == 1 else found

    return marked


def _further_on(value: Values) -> None:
    place = value["after"].get("id") or value["after"].get("a") or 1
    value["source"]["pos"] += place


def _all_captured(original: Callable[[Any, LogSnapshot], None]) -> Callable[..., None]:
    """Read the rows of tables that are left out."""

    def copied(self: Any, event: LogSnapshot) -> None:  # noqa: ANN401 - the connector's own
        captured, self._captured = self._captured, lambda *_: True
        original(self, event)
        self._captured = captured

    return copied


def _rows_skipped(original: Callable[[Any, LogSnapshot], None]) -> Callable[..., None]:
    """Read no row where r is skipped."""

    def copied(self: Any, event: LogSnapshot) -> None:  # noqa: ANN401 - the connector's own
        original(self, replace(event, tables=()) if "r" in self._skipped else event)

    return copied


def _spelled(original: Callable[..., LogSnapshot]) -> Callable[..., LogSnapshot]:
    """Remember how statements spelled the types of tables that were there."""

    def found(self: Any, *given: object) -> LogSnapshot:  # noqa: ANN401 - the simulator's own
        spelled = dict(self._known.spelled)
        snapshot = original(self, *given)
        self._known.spelled.update(spelled)
        tables = tuple(replace(t, table=self._table(t.table.table)) for t in snapshot.tables)
        return replace(snapshot, tables=tables)

    return found


def _as_logged(kind: ColumnKind) -> Patch:
    """Return the patch that reads values of a kind as they stand in the log."""

    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        def value(column: Column, given: Value) -> Any:  # noqa: ANN401 - as the original
            return given if column.kind is kind else original(column, given)

        return value

    return patch("harness.codecs.debezium_mysql.reads:_value", changed)


def _moments_as_logged(begin: str) -> Patch:
    """Return the patch that reads DATETIMEs that begin so as they stand in the log."""

    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        def value(column: Column, given: Value) -> Any:  # noqa: ANN401 - as the original
            as_logged = column.kind is ColumnKind.DATETIME and str(given).startswith(begin)
            return given if as_logged else original(column, given)

        return value

    return patch("harness.codecs.debezium_mysql.reads:_value", changed)


def _by_age(events: Iterable[LogEvent]) -> Iterator[LogEvent]:
    """Read tables from the last name to the first."""
    for event in events:
        if isinstance(event, LogSnapshot):
            yield replace(event, tables=event.tables[::-1])
        else:
            yield event


def _less_read(
    change: Callable[[tuple[LogCopy, ...]], tuple[LogCopy, ...]], events: Iterable[LogEvent]
) -> Iterator[LogEvent]:
    """Read less of what is there."""
    for event in events:
        if isinstance(event, LogSnapshot):
            yield replace(event, tables=change(event.tables))
        else:
            yield event


def _late(given: Records) -> Iterator[ConnectRecord]:
    records = list(given)
    yield from (record for record in records if op(record) != "r")
    yield from (record for record in records if op(record) == "r")


def _a_transaction_late(events: Iterable[LogEvent]) -> Iterator[LogEvent]:
    """Begin to follow the log behind the first transaction after what was read."""
    left = False
    for event in events:
        if not left:
            yield event
        left = isinstance(event, LogSnapshot) or (left and not isinstance(event, LogCommit))


def _block(value: Values) -> None:
    value["transaction"] = {"id": "0-1-1", "total_order": 1, "data_collection_order": 1}


def _later_without_default(original: Callable[[Column], Value]) -> Callable[[Column], Value]:
    def instead_of_zero(column: Column) -> Value:
        bare = not column.nullable and column.default is None
        return "1971-01-01 00:00:00" if bare else original(column)

    return instead_of_zero


def _json_kept(original: Callable[[Table], Table]) -> Callable[[Table], Table]:
    """Know of each column what is shown, but of JSON what was declared."""

    def known(table: Table) -> Table:
        pairs = zip(table.columns, original(table).columns, strict=True)
        kept = (old if old.kind is ColumnKind.JSON else new for old, new in pairs)
        return replace(table, columns=tuple(kept))

    return known


ROWS: Final = (
    *_modes(),
    *_markers(),
    row(
        "only-row-first",
        "snapshot.marker",
        "It writes `first_in_data_collection` for the only row of a table.",
        patch(_MARKER, _only_row_first),
    ),
    row(
        "only-row-of-the-first-table-last",
        "snapshot.marker",
        "It writes `last_in_data_collection` for the only row of the first table.",
        patch(_MARKER, _only_row_last),
    ),
    row(
        "only-row-of-all-first",
        "snapshot.marker",
        "It writes `first` for the only row that there is.",
        patch(_MARKED, _only_row_of_all),
    ),
    row(
        "read-from-place-to-place",
        "snapshot.position",
        "It counts the position on while it reads.",
        _read(_further_on),
    ),
    row(
        "read-from-the-first-place",
        "snapshot.position",
        "It writes the first position of the log for all that it reads.",
        _read(lambda value: value["source"].update(pos=1)),
    ),
    row(
        "read-of-no-file",
        "snapshot.position",
        "It leaves the log's name empty of what it reads.",
        _read(lambda value: value["source"].update(file="")),
    ),
    row(
        "listed-tables-by-name",
        "snapshot.tables-by-name",
        "It reads tables by their names, whatever the order of table.include.list.",
        instead(f"{CONNECTOR}._place_of", lambda *_: 0),
    ),
    *(
        row(
            f"no-row-where-{words}",
            "snapshot.initial",
            f"It reads no row where {says}.",
            _as_mode("no_data", asked),
        )
        for words, says, asked in (
            ("initial-is-asked-for", "`snapshot.mode` says initial", "initial"),
            ("nothing-is-asked-for", "`snapshot.mode` is not given", None),
        )
    ),
    row(
        "rows-of-the-first-table-read",
        "snapshot.initial",
        "It reads the rows of the first table alone.",
        log(partial(_less_read, lambda tables: tables[:1])),
    ),
    row(
        "first-row-of-each-table-read",
        "snapshot.initial",
        "It reads the first row alone of each table.",
        log(
            partial(
                _less_read, lambda tables: tuple(replace(one, rows=one.rows[:1]) for one in tables)
            )
        ),
    ),
    row(
        "log-followed-late",
        "snapshot.initial",
        "It begins to follow the log one transaction late.",
        log(_a_transaction_late),
    ),
    row("rows-read-late", "snapshot.initial", "It reads rows behind the log.", stream(_late)),
    row(
        "read-as-create",
        "snapshot.read",
        "It writes op c for a row that is read.",
        _read(lambda value: value.update(op="c")),
    ),
    row(
        "read-with-before",
        "snapshot.read",
        "It writes a row that is read into before as well.",
        _read(lambda value: value.update(before=value["after"])),
    ),
    row(
        "rows-of-all-tables-read",
        "snapshot.left-out",
        "It reads the rows of tables that are left out.",
        patch(f"{CONNECTOR}._copied", _all_captured),
    ),
    row(
        "tables-from-the-last",
        "snapshot.tables-by-name",
        "It reads tables from the last name to the first.",
        log(_by_age),
    ),
    row(
        "read-with-a-gtid",
        "snapshot.position",
        "It writes the log's last GTID for a row that is read.",
        _read(lambda value: value["source"].update(gtid=f"0-1-{value['source']['pos']}")),
    ),
    row(
        "read-with-a-server",
        "snapshot.position",
        "It writes the server's id for a row that is read.",
        _read(lambda value: value["source"].update(server_id=1)),
    ),
    row(
        "read-rows-counted",
        "snapshot.position",
        "It counts in `row` what it reads.",
        _read(lambda value: value["source"].update(row=1)),
    ),
    row(
        "read-in-a-transaction",
        "snapshot.no-transaction",
        "It gives a row that is read a transaction.",
        _read(_block),
    ),
    row(
        "read-skipped",
        "snapshot.never-skipped",
        "It reads no row where skipped.operations names r.",
        patch(f"{CONNECTOR}._copied", _rows_skipped),
    ),
    row(
        "spelled-types-remembered",
        "snapshot.shown-types",
        "It knows that a column was declared BOOL before it started.",
        patch(f"{_SIMULATOR}:Server._found", _spelled),
    ),
    row(
        "floats-as-logged",
        "snapshot.float-digits",
        "It writes each digit of a FLOAT that is read.",
        _as_logged(ColumnKind.FLOAT),
    ),
    row(
        "streamed-floats-as-read",
        "snapshot.float-digits",
        "It writes a FLOAT with six digits in the stream too.",
        cells(of(ColumnKind.FLOAT), lambda number: float(f"{number:.6g}")),
    ),
    row(
        "timestamps-as-logged",
        "snapshot.timestamp-digits",
        "It writes each zero of the fraction of a TIMESTAMP that is read.",
        _as_logged(ColumnKind.TIMESTAMP),
    ),
    row(
        "zero-timestamps-as-logged",
        "snapshot.zero-timestamp",
        "It reads a zero TIMESTAMP as the first moment of 1970, as the log has it.",
        instead("harness.codecs.debezium_mysql.reads:_instead", lambda _: "1970-01-01 00:00:00"),
    ),
    row(
        "zero-timestamps-of-1971",
        "snapshot.zero-timestamp",
        "It reads a zero TIMESTAMP of a column without a default as the first moment of 1971.",
        patch("harness.codecs.debezium_mysql.reads:_instead", _later_without_default),
    ),
    row(
        "zero-timestamps-without-default",
        "snapshot.zero-timestamp",
        "It reads a zero TIMESTAMP of a column that is never NULL as the first moment of 1970.",
        instead(
            "harness.codecs.debezium_mysql.reads:_instead",
            lambda column: None if column.nullable else "1970-01-01 00:00:00",
        ),
    ),
    row(
        "members-escaped",
        "snapshot.member-as-it-is",
        "It escapes a comma in a member of an ENUM that is read.",
        _as_logged(ColumnKind.ENUM),
    ),
    row(
        "dates-of-year-zero-as-logged",
        "snapshot.date-of-year-zero",
        "It reads a DATE of the year 0 as the log has it.",
        _as_logged(ColumnKind.DATE),
    ),
    row(
        "moments-of-year-zero-as-logged",
        "snapshot.date-of-year-zero",
        "It reads a DATETIME of the year 0 as the log has it.",
        _moments_as_logged("0000-"),
    ),
    row(
        "days-of-no-calendar-as-logged",
        "snapshot.days-that-java-has-not",
        "It reads a DATETIME of the days between two calendars as the log has it.",
        _moments_as_logged("1582-10-"),
    ),
    row(
        "json-remembered",
        "snapshot.shown-types",
        "It knows that a column was declared JSON before it started.",
        patch(f"{_SIMULATOR}:shown", _json_kept),
    ),
)

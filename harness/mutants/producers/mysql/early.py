"""Statements that are sent before rows are read: which, in which words, and how they are marked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord
from harness.ddl import parse
from harness.ddl.create_table import CreateTable
from harness.model.binlog import LogEvent, LogSnapshot
from harness.model.change import DdlRun
from harness.mutants.producers.mysql.edits import CONNECTOR, each, log, row, stream, values
from harness.mutants.producers.patch import Patch, patch
from harness.mutants.producers.records import SCHEMA_CHANGE, Records, Values, kind

# How such statements begin.
_BEGINS: Final = ("SET", "DROP TABLE", "DROP DATABASE", "CREATE DATABASE", "USE", "CREATE TABLE")
_SIMULATOR: Final = "harness.sources.mysql.simulator"
_SHOWN: Final = "harness.sources.mysql.show_create:show_create"
# By the names of tables, the statements that made them.
_TEXTS: dict[str, str] = {}


def _statements(change: Callable[[Values], object]) -> Patch:
    """Return the patch that changes, in place, each statement that is sent before rows are read."""
    return values(SCHEMA_CHANGE, lambda value: change(value) if _is_early(value) else None)


def _is_early(value: Values) -> bool:
    return value["source"]["gtid"] is None


def _without(*words: str) -> Patch:
    """Return the patch that leaves out early statements that begin so."""

    def kept(record: ConnectRecord) -> Records:
        early = kind(record) == SCHEMA_CHANGE and _is_early(record.value)
        return () if early and record.value["ddl"].startswith(words) else (record,)

    return each(kept)


def _empty_left_out(begin: str, events: Iterable[LogEvent]) -> Iterator[LogEvent]:
    """Leave out the early statements that begin so and are about a table without rows."""
    for event in events:
        if isinstance(event, LogSnapshot):
            empty = {copy.table.table.id for copy in event.tables if not copy.rows}
            kept = tuple(
                one
                for one in event.statements
                if not (one.sql.startswith(begin) and empty.issuperset(one.tables or {None}))
            )
            yield replace(event, statements=kept)
        else:
            yield event


def _of_one_database(words: str, given: Records) -> Iterator[ConnectRecord]:
    """Leave out the early statements that begin so of each database but the first."""
    first: str | None = None
    for record in given:
        early = kind(record) == SCHEMA_CHANGE and _is_early(record.value)
        if early and record.value["ddl"].startswith(words):
            name = record.value["databaseName"]
            first = name if first is None else first
            if name != first:
                continue
        yield record


def _written(original: Callable[..., Any]) -> Callable[..., Any]:
    """Remember the statements that make tables."""

    def ddl(self: Any, step: int, run: DdlRun) -> Any:  # noqa: ANN401 - the simulator's own
        statement = parse(run.sql)
        if isinstance(statement, CreateTable):
            _TEXTS[statement.table.name] = run.sql
        return original(self, step, run)

    return ddl


def _as_written(original: Callable[..., str]) -> Callable[..., str]:
    """Show tables by the statements that made them."""
    return lambda table, *more: _TEXTS.get(table.id.name) or original(table, *more)


def _captured_alone(original: Callable[[Any, LogSnapshot], None]) -> Callable[..., None]:
    """Send no statement about a table that is left out."""

    def copied(self: Any, event: LogSnapshot) -> None:  # noqa: ANN401 - the connector's own
        kept = tuple(
            one
            for one in event.statements
            if not one.tables or self._captured(one.tables[0].schema, one.tables[0].name)
        )
        original(self, replace(event, statements=kept))

    return copied


ROWS: Final = (
    row(
        "no-early-statements",
        "snapshot.statements",
        "It sends no statement before it reads rows.",
        _without(""),
    ),
    *(
        row(
            f"no-early-{words.lower().replace(' ', '-')}",
            "snapshot.statements",
            f"It leaves {words} out before it reads rows.",
            _without(words),
        )
        for words in _BEGINS
    ),
    *(
        row(
            f"no-early-{begin.lower().replace(' ', '-')}-of-an-empty-table",
            "snapshot.statements",
            f"It leaves {begin} of a table without rows out before it reads rows.",
            log(partial(_empty_left_out, begin)),
        )
        for begin in ("DROP TABLE", "CREATE TABLE")
    ),
    *(
        row(
            f"early-{words.lower().replace(' ', '-')}-of-one-database",
            "snapshot.statements",
            f"It sends {words} of the first database alone before it reads rows.",
            stream(partial(_of_one_database, words)),
        )
        for words in ("DROP DATABASE", "CREATE DATABASE", "USE")
    ),
    row(
        "early-statements-as-they-were-written",
        "snapshot.statements",
        "It sends the CREATE TABLE by which a table was made for its SHOW CREATE TABLE.",
        replace(patch(f"{_SIMULATOR}:Server._ddl", _written), then=patch(_SHOWN, _as_written)),
    ),
    row(
        "early-statements-of-captured-tables",
        "snapshot.left-out",
        "It sends early statements of captured tables alone.",
        patch(f"{CONNECTOR}._copied", _captured_alone),
    ),
    row(
        "early-statements-streamed",
        "snapshot.statement-marker",
        "It writes `snapshot` false for statements before it reads rows.",
        _statements(lambda value: value["source"].update(snapshot="false")),
    ),
    row(
        "no-last-statement",
        "snapshot.statement-marker",
        "It writes `snapshot` true for the last statement where no row follows.",
        _statements(lambda value: value["source"].update(snapshot="true")),
    ),
)

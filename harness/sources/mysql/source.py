"""A MariaDB or MySQL server, followed by a connector, as the source of a protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

from harness.ddl import ActionType
from harness.errors import UsageError
from harness.model.binlog import LogEvent, LogRow, LogSnapshot, LogTable, LogTruncate
from harness.model.change import Change, ChangeLog, Op, Transaction
from harness.model.settings import Settings
from harness.model.source_events import DdlEvent, RowEvent, SourceEvent, SourceTable
from harness.model.values import Row
from harness.sources.message_keys import Keys, message_keys
from harness.sources.mysql.simulator import Server, keyed
from harness.sources.mysql.snapshot import COPYING, STREAMING
from harness.sources.source import Source, SourceConfig, SourceOutput, SourceStream

MYSQL = "mysql"
_SIGN, _WRAP = 1 << 31, 1 << 32


def mysql_source() -> Source:
    """Return a server with a connector that follows its log."""
    return Source(MYSQL, simulate, stream)


def simulate(log: ChangeLog, config: SourceConfig) -> SourceOutput:
    """Simulate a server with the scenario's databases."""
    _check_start(log, config)
    settings = connector_settings(config)
    events = tuple(_read(log.changes, config))
    known = partial(_known, _message_keys(config))
    meant = tuple(one for event in events for one in _meaning(event, known))
    return SourceOutput(events, meant, settings, topic=str(settings["topic.prefix"]))


def stream(changes: Iterable[Change], config: SourceConfig) -> SourceStream:
    """Simulate a server for changes that come one by one."""
    return SourceStream(_read(changes, config), connector_settings(config))


def _read(changes: Iterable[Change], config: SourceConfig) -> Iterator[LogEvent]:
    """Yield what a connector reads; a copy alone where it is not to follow the log."""
    mode = _mode(config)
    copies = mode in COPYING
    server = Server(config.databases, config.copied_after, config.broken_off)
    for event in server.replay(changes):
        yield replace(event, tables=()) if isinstance(event, LogSnapshot) and not copies else event
        if isinstance(event, LogSnapshot) and event.broken_after is None and mode not in STREAMING:
            return


def _mode(config: SourceConfig) -> str:
    return str(config.settings.get("snapshot.mode", "initial")).strip().lower()


def _check_start(log: ChangeLog, config: SourceConfig) -> None:
    """Refuse the name of no transaction, and a copy that cannot break off."""
    names = [change.name for change in log.changes if isinstance(change, Transaction)]
    broken = None if config.broken_off is None else config.broken_off[0]
    for name in (config.copied_after, broken):
        if name is not None and name not in names:
            raise UsageError(
                f"`keyspace` names transaction {name!r}, which does not exist",
                expected="one of " + ", ".join(names),
            )
    if broken is None:
        return
    again = config.copied_after
    if again is None or names.index(broken) > names.index(again):
        raise UsageError(
            f"`keyspace` breaks a copy off that began after {broken!r}, and has none after it",
            expected="`copied-after` with that transaction or a later one, where it begins anew",
        )
    if _mode(config) not in COPYING:
        raise UsageError(
            f"`keyspace` breaks a copy off, and `snapshot.mode` {_mode(config)} copies no row",
            expected="one of " + ", ".join(sorted(COPYING)),
        )


def connector_settings(config: SourceConfig) -> Settings:
    """Return the settings, completed by what only the upstream knows."""
    return {
        "topic.prefix": MYSQL,
        "topic.creation.default.partitions": config.partitions,
        **config.settings,
    }


def _message_keys(config: SourceConfig) -> Keys:
    return message_keys(str(config.settings.get("message.key.columns", "")), lambda _: ())


def _known(message_keys: Keys, table: LogTable) -> SourceTable:
    """Return a table with the columns that find its rows for consumers."""
    narrow = _narrow(table)
    columns = tuple(
        replace(column, unsigned=False, zerofill=False) if ordinal in narrow else column
        for ordinal, column in enumerate(table.table.columns)
    )
    found = keyed(replace(table, table=replace(table.table, columns=columns)) if narrow else table)
    return replace(found, handle=message_keys(table.table) or found.handle)


def _narrow(table: LogTable) -> frozenset[int]:
    """Return the ordinals of unsigned columns that a streamed statement declared INTEGER.

    The connector takes them for numbers of 32 bits with a sign.
    """
    columns = (table.table.position(name) for name, word in table.spelled if word == "INTEGER")
    return frozenset(at for at in columns if table.table.columns[at].unsigned)


def _wrapped(narrow: frozenset[int], row: Row | None) -> Row | None:
    """Return a row with what those columns hold by 32 bits with a sign."""
    if row is None or not narrow:
        return row
    return tuple(
        value - _WRAP if ordinal in narrow and isinstance(value, int) and value >= _SIGN else value
        for ordinal, value in enumerate(row)
    )


def _meaning(event: LogEvent, known: Callable[[LogTable], SourceTable]) -> Iterator[SourceEvent]:
    """Yield what an event of the log does to the rows of a table, nothing for most of them."""
    if isinstance(event, LogRow):
        yield from _rows(event, known(event.table))
    elif isinstance(event, LogSnapshot):
        for table, row, origin in event.sent():
            yield RowEvent(Op.INSERT, known(table), None, row, origin.commit_ts, "", 0, origin)
    elif isinstance(event, LogTruncate):
        yield _truncation(event, known(event.table))


def _truncation(event: LogTruncate, table: SourceTable) -> DdlEvent:
    action = ActionType.TRUNCATE_TABLE
    name = table.table.id
    sql = f"TRUNCATE TABLE `{name.name}`"
    return DdlEvent(
        action,
        sql,
        sql,
        name.schema,
        name.name,
        table,
        table,
        event.origin.commit_ts,
        topic="",
        partitions=0,
        origin=event.origin,
        action="truncate_table",
    )


def _rows(event: LogRow, table: SourceTable) -> Iterator[RowEvent]:
    """Yield a row of the log as row events; one that moves the key is a delete and an insert."""
    ordinals = table.handle
    origin = event.origin
    narrow = _narrow(event.table)
    before, after = _wrapped(narrow, event.before), _wrapped(narrow, event.after)
    row = RowEvent(event.op, table, before, after, origin.commit_ts, "", 0, origin)
    if before is None or after is None or all(before[n] == after[n] for n in ordinals):
        yield row
        return
    yield replace(row, op=Op.DELETE, after=None, split=True)
    yield replace(row, op=Op.INSERT, before=None, split=True)

"""Reads one changefeed's result directory into `Observed`, trusting nothing in it.

Whatever a consumer wrote, the outcome is data. What is not as the contract asks becomes
`Outcome.INVALID` with a detail that names file, line and what was expected; it never becomes an
exception, and never a guess. Unknown files are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from harness.model.observed import (
    DeadLetter,
    Observed,
    ObservedDdl,
    ObservedDecoded,
    ObservedEvent,
    Outcome,
    RawRow,
)
from harness.model.table import TableId
from harness.runner.contract import names, parquet, schemas
from harness.runner.contract.exact_json import Malformed
from harness.runner.contract.reading import (
    DEFAULT_LIMITS,
    Folder,
    Limits,
    Misplaced,
    fitting,
    located,
)
from harness.runner.contract.result_files import (
    DdlLine,
    DeadLetterLine,
    DecodedLine,
    EventLine,
    Status,
    TableName,
)
from harness.runner.contract.taken import refuse_late

STATUS = "status.json"
INDEX = "tables.json"
EVENTS = "events.jsonl"
DDL = "ddl.jsonl"
DEAD_LETTERS = "dead-letters.jsonl"
TABLES = "tables"
MAX_DETAIL = 4000

Item = TypeVar("Item")


def read(
    directory: Path,
    limits: Limits = DEFAULT_LIMITS,
    *,
    in_files: bool = True,
    taken: int | None = None,
) -> Observed:
    """Return what the consumer answered for one changefeed; never raises for what it wrote.

    `detail` is the consumer's own words for `not-applicable` (the capability) and `error`. Without
    `in_files` the tables are elsewhere, and no file of a table is looked at. What was written after
    `taken`, the moment at which the command ended, makes the answer invalid.
    """

    def tables(folder: Folder) -> Observed:
        return _answer(folder, _table_files(folder) if in_files else {})

    return _whole(Folder(directory, limits), taken, tables)


def read_decoded(
    directory: Path, limits: Limits = DEFAULT_LIMITS, *, taken: int | None = None
) -> Observed:
    """Return what the consumer answered for one changefeed at level decode, as `read` does.

    An answer `done` without events.jsonl is not valid.
    """
    return _whole(Folder(directory, limits), taken, _events)


def _whole(folder: Folder, taken: int | None, answer: Callable[[Folder], Observed]) -> Observed:
    """Return what a directory answers: its status, and what `answer` reads where that is done."""
    try:
        observed = _status(folder)
        if observed.outcome is Outcome.DONE:
            observed = answer(folder)
        if taken is not None:
            refuse_late(folder.directory, taken)
    except Misplaced as problem:
        return Observed(Outcome.INVALID, str(problem))
    return observed


def _events(folder: Folder) -> Observed:
    folder.refuse_bulk([EVENTS, DEAD_LETTERS])
    events = tuple(
        replace(located(EVENTS, line, _decoded, value), line=line)
        for line, value in folder.objects(EVENTS)
    )
    letters = _optional(folder, DEAD_LETTERS, _dead_letter)
    return Observed(Outcome.DONE, decoded=events, dead_letters=letters)


def read_tables(directory: Path, limits: Limits = DEFAULT_LIMITS) -> Observed:
    """Return the tables that are below a directory by now, as an answer that needs no status."""
    folder = Folder(directory, limits, may_link=True)
    try:
        return _answer(folder, _table_files(folder))
    except Misplaced as problem:
        return Observed(Outcome.INVALID, str(problem))


def status_problem(directory: Path) -> str:
    """Say why a changefeed has no valid status; the empty text when it has one.

    A consumer that crashed or was stopped has answered the changefeeds for which this is empty.
    """
    try:
        _status(Folder(directory))
    except Misplaced as problem:
        return str(problem)
    return ""


def _status(folder: Folder) -> Observed:
    """Return how the consumer says it ended: its own words for it, and where it gave up."""
    if not folder.has(STATUS):
        raise Misplaced(STATUS, 0, Malformed("does not exist", expected="one, written last"))
    status = folder.document(STATUS, Status)
    outcome = Outcome(status.status)
    words = {Outcome.NOT_APPLICABLE: status.needs, Outcome.ERROR: status.error}.get(outcome, "")
    return Observed(
        outcome,
        schemas.clip(words, MAX_DETAIL),
        stopped_at=tuple(
            DeadLetter(one.topic, one.partition, one.offset) for one in status.messages
        ),
    )


def _answer(folder: Folder, tables: Mapping[TableId, str]) -> Observed:
    parts = [part for file in tables.values() for part in parquet.parts(folder, file)]
    folder.refuse_bulk([EVENTS, DDL, DEAD_LETTERS, *parts])
    return Observed(
        Outcome.DONE,
        tables={table: tuple(_rows(folder, file)) for table, file in tables.items()},
        events=_optional(folder, EVENTS, _event),
        ddl=_optional(folder, DDL, _ddl),
        dead_letters=_optional(folder, DEAD_LETTERS, _dead_letter),
    )


def _rows(folder: Folder, file: str) -> Iterator[RawRow]:
    if file.endswith(parquet.SUFFIX):
        return folder.bounded(file, parquet.rows(folder, file))
    return (row for _, row in folder.objects(file))


def _table_files(folder: Folder) -> dict[TableId, str]:
    """Return which file holds which table; a table that two files claim has no answer."""
    index = folder.document(INDEX, dict[str, TableName]) if folder.has(INDEX) else {}
    files: dict[TableId, str] = {}
    for name in folder.names(TABLES):
        if name.startswith(".") or not name.endswith(names.SUFFIXES):
            continue
        file = f"{TABLES}/{name}"
        table = (
            TableId(index[name].schema, index[name].name)
            if name in index
            else located(file, 0, names.decode, name)
        )
        if table in files:
            problem = Malformed(f"answers {table}, as {files[table]} does", expected="one of them")
            raise Misplaced(file, 0, problem)
        files[table] = file
    return files


def _optional(folder: Folder, file: str, build: Callable[[Any], Item]) -> tuple[Item, ...] | None:
    """Return what a file of events or statements holds; None when the consumer wrote none."""
    if not folder.has(file):
        return None
    return tuple(located(file, line, build, value) for line, value in folder.objects(file))


def _event(value: object) -> ObservedEvent:
    line = fitting(EventLine, value)
    return ObservedEvent(
        line.op,
        TableId(line.schema, line.table),
        line.before,
        line.after,
        line.commit_ts,
        line.topic,
        line.partition,
        line.offset,
    )


def _decoded(value: object) -> ObservedDecoded:
    line = fitting(DecodedLine, value)
    return ObservedDecoded(
        line.op,
        line.topic,
        line.partition,
        line.offset,
        line.schema or "",
        line.table or "",
        line.before,
        line.after,
        line.commit_ts,
        line.query or "",
        line.type,
    )


def _ddl(value: object) -> ObservedDdl:
    line = fitting(DdlLine, value)
    table = TableId(line.schema, line.table or "")
    return ObservedDdl(line.query, line.type, table, line.commit_ts)


def _dead_letter(value: object) -> DeadLetter:
    line = fitting(DeadLetterLine, value)
    return DeadLetter(line.topic, line.partition, line.offset, line.error or "")

"""Judge the catalogue by vendor vectors: one function a question, each returning what is wrong.

A vector's SQL ran on a real TiDB (mock store); its rows and DDL events are what the real TiCDC made
of it. Here the same SQL goes through the catalogue alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from harness.ddl import (
    ActionType,
    Applied,
    Catalogue,
    DdlError,
    DdlJob,
    StatementKind,
    classify,
    column_flags,
    handle,
    handle_columns,
    is_ddl,
    is_emitted,
    type_code,
)
from harness.model.table import TableId

# TiCDC drops these before any decision (they are not in its list of replicated actions).
NEVER_SENT = frozenset(
    {30, 34, 35, 36, 39, 40, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 68, 69, 70}
)


@dataclass
class Session:
    """A connection: the catalogue, the current database, and the sql_mode that vectors change."""

    catalogue: Catalogue = field(default_factory=lambda: Catalogue.with_schemas("test"))
    schema: str = "test"
    ansi_quotes: bool = False
    known_as: dict[int, TableId] = field(default_factory=dict[int, TableId])

    def run(self, sql: str) -> tuple[DdlJob, ...]:
        """Run one statement; only DDL does anything, SET sql_mode switches the quotes."""
        if classify(sql) is StatementKind.SET and "sql_mode" in sql.lower():
            self.ansi_quotes = "ANSI_QUOTES" in sql.upper()
        if not is_ddl(sql):
            return ()
        applied: Applied = self.catalogue.apply(sql, self.schema, ansi_quotes=self.ansi_quotes)
        self.catalogue = applied.catalogue
        if is_renamed_twice(applied.jobs):
            # TiCDC's changefeed fails here, and its schema snapshot keeps the names from before;
            # the vectors go on nevertheless.
            for job in reversed(applied.jobs):
                assert job.before is not None
                self.known_as[job.before.physical_id] = job.before.id
            return applied.jobs
        return tuple(self._as_known(job) for job in applied.jobs)

    def _as_known(self, job: DdlJob) -> DdlJob:
        """Return a rebuilt rename with the name that a failed rename left in TiCDC's snapshot."""
        known = self.known_as.pop(job.before.physical_id, None) if job.before else None
        if known is None or job.action is not ActionType.RENAME_TABLE:
            return job
        query = f"RENAME TABLE `{known.schema}`.`{known.name}` TO `{job.schema}`.`{job.table}`"
        return replace(job, query=query)


def is_renamed_twice(jobs: tuple[DdlJob, ...]) -> bool:
    """Return whether one RENAME TABLE moved the same table twice, which TiCDC cannot follow."""
    ids = [job.before.physical_id for job in jobs if job.before is not None]
    renames = all(job.action is ActionType.RENAME_TABLE for job in jobs)
    return renames and len(set(ids)) < len(ids)


def is_sent(job: DdlJob, *, force: bool) -> bool:
    """Return whether TiCDC sends a job without filters: a known action, a table with a key."""
    if job.action in NEVER_SENT:
        return False
    if force or job.action is ActionType.DROP_TABLE:
        return True
    tables = [table for table in (job.before, job.after) if table is not None]
    return not tables or tables[-1].is_view or handle(tables[-1]) is not None


def job_types(jobs: tuple[DdlJob, ...]) -> list[int]:
    """Return the types of TiDB's own jobs: a RENAME TABLE of several tables is one there."""
    if len(jobs) > 1 and all(job.action is ActionType.RENAME_TABLE for job in jobs):
        return [int(ActionType.RENAME_TABLES)]
    return [int(job.action) for job in jobs]


def vectors(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the vectors of one file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def as_list(value: Any) -> list[str]:
    """Return the SQL of a field that may hold one statement, several or none."""
    if not value:
        return []
    return [value] if isinstance(value, str) else list(value)


def prepared(vector: Mapping[str, Any]) -> Session:
    """Return the session after the vector's setup."""
    session = Session()
    for sql in as_list(vector.get("pre_sql")) + as_list(vector.get("setup_sql")):
        session.run(sql)
    return session


@dataclass
class Score:
    """How many comparisons were made, and what each failed one says."""

    total: int = 0
    wrong: list[str] = field(default_factory=list[str])

    def compare(self, name: str, ours: object, theirs: object) -> None:
        """Count one comparison."""
        self.total += 1
        if ours != theirs:
            self.wrong.append(f"{name}:\n    ours   {ours!r}\n    theirs {theirs!r}")

    @property
    def equal(self) -> int:
        """Return how many comparisons held."""
        return self.total - len(self.wrong)


def judge(vector: Mapping[str, Any], scores: Mapping[str, Score]) -> None:
    """Compare everything that the vector tells; `scores` has `ddl` and `rows`."""
    name = vector["id"]
    try:
        session = prepared(vector)
        judge_ddl(vector, session, scores["ddl"])
        for sql in as_list(vector.get("dml")):
            session.run(sql)
        judge_rows(vector, session, scores["rows"])
    except DdlError as error:
        scores["ddl"].compare(name, str(error), "no error")


def judge_ddl(vector: Mapping[str, Any], session: Session, score: Score) -> None:
    """Run the statement under test; compare its jobs when the vector lists events."""
    jobs: list[DdlJob] = []
    for sql in as_list(vector.get("sql")) + as_list(vector.get("ddl")):
        jobs += session.run(sql)
    name = vector["id"]
    if "jobs" in vector:
        score.compare(name, job_types(tuple(jobs)), [job["job_type"] for job in vector["jobs"]])
        if not any("puller_error" in job for job in vector["jobs"]):
            force = '"force-replicate": true' in json.dumps(vector["config"])
            judge_events(vector, [job for job in jobs if is_sent(job, force=force)], score)
    elif vector.get("kind") == "dml":
        score.compare(name, [job.query for job in jobs], [])
    if "sent" in vector:
        known = [(int(job.action), job.query, job.schema, job.table) for job in jobs]
        for sent in vector["sent"]:
            event = (sent["t"], sent["q"], sent["scm"], sent["tbl"])
            score.compare(name, event in known, True)  # noqa: FBT003


def judge_events(vector: Mapping[str, Any], jobs: list[DdlJob], score: Score) -> None:
    """Compare what is sent: type and its name, schema, table, and the restored text."""
    ours = [
        (int(job.action), job.action.display_name, job.schema, job.table, job.query) for job in jobs
    ]
    theirs = [
        (event["type"], event["type_name"], event["scm"], event["tbl"], event["sent_query"])
        for event in vector["ddl_events"]
    ]
    score.compare(vector["id"], ours, theirs)


def judge_rows(vector: Mapping[str, Any], session: Session, score: Score) -> None:
    """Compare names, type codes, flags and handle of every row's table."""
    for row in vector.get("rows") or ():
        columns = row.get("columns") or row.get("pre_columns")
        if not columns:
            continue
        table = session.catalogue.table(TableId(row["schema"], row["table"]))
        flags = column_flags(table)
        shown = [n for n, column in enumerate(table.columns) if is_emitted(column)]
        ours = [(table.columns[n].name, type_code(table.columns[n]), flags[n]) for n in shown]
        theirs = [(column["name"], column["type"], column["flag"]) for column in columns]
        score.compare(f"{vector['id']} {table.id}", ours, theirs)
        handles = [table.columns[n].name for n in handle_columns(table)]
        flagged = [column["name"] for column in columns if column["flag"] & 2]
        score.compare(f"{vector['id']} {table.id} handle", handles, flagged)

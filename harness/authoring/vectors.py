"""Vendors' vectors recorded: their own SQL on a database, and the rows that follow from it.

A TiCDC vector holds the SQL that ran on TiDB and the rows that TiCDC's mounter then saw. Here the
SQL runs on our database instead, through the recorder and the source simulator, and what comes out
takes the place of the vector's rows. The comparison of `harness.truth` then says whether the bytes
are still the vendor's.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from harness.ddl import DML, StatementKind, classify, is_ddl, referenced_schemas
from harness.ddl.physical import physical_of
from harness.errors import HarnessError
from harness.model.change import ChangeLog, DdlRun, Transaction
from harness.model.columns import Column, ColumnKind
from harness.model.source_events import SourceTable
from harness.model.values import Row, Value
from harness.record.lasting import Lasting
from harness.record.lock import lock_bytes, lock_path, read_lock
from harness.scenario.document import (
    NOTHING,
    DdlStep,
    Expectation,
    Matrix,
    Scenario,
    SqlStatement,
    Step,
    TransactionStep,
)
from harness.sources.tidb.cluster import Cluster
from harness.sources.tidb.store import NetChange, int_handle, signed
from harness.truth.avro_reading import utc_to_server
from harness.truth.result import Compare, Difference, Result, Vector, section
from harness.truth.ticdc_session import statements

SCHEMA = "test"
Sql = tuple[str, ...]
Described = list[dict[str, object]]


# What of TiDB's syntax is written as a comment that TiDB reads, so that MariaDB passes it over.
_TIDB_ONLY = re.compile(r"\b(?:non)?clustered\b|, key \w+\(\(\w+\(\w+\)\)\)", re.IGNORECASE)
# Why the database's answer may be another than TiDB's: names of truth's exceptions, and the SQL.
EXCEPTED: Mapping[str, re.Pattern[str]] = {
    "no-vector-type": re.compile(r"\bvector\(", re.IGNORECASE),
    "generated-not-null": re.compile(r"\bstored not null\b", re.IGNORECASE),
    "database-with-a-dot": re.compile(r"`[^`]*\.[^`]*`\."),
    "default-not-utf8": re.compile(r"\bvarbinary\(\d+\).* default X'FF00'", re.IGNORECASE),
    "default-in-session-zone": re.compile(r"add column \w+ timestamp .*default '", re.IGNORECASE),
}


class VectorRecorder:
    """Runs vectors' SQL on one session; what ran lately is remembered."""

    def __init__(self, database: Lasting) -> None:
        """Take the session."""
        self._database = database
        self._known: dict[tuple[object, ...], ChangeLog | HarnessError] = {}

    def compare(self, vector: Vector, compare: Compare) -> Result:
        """Return what a comparison says of the vector with its rows as the database gave them.

        Where it is not equal for a reason of `EXCEPTED`, the result names that and no difference.
        """
        try:
            result = compare(self.recorded(vector))
        except HarnessError as error:
            wrong = Difference("sql", f"not recorded: {error.what}", "what the vector holds")
            result = Result(vector["id"], (wrong,))
        text = "\n".join((*setup_of(vector), *dml_of(vector)))
        for name, pattern in EXCEPTED.items():
            if result.differences and pattern.search(text):
                return Result(result.id, excepted=name)
        return result

    def recorded(self, vector: Vector) -> Vector:
        """Return the vector with rows as the database gave them.

        Raises HarnessError for SQL that cannot be recorded.
        """
        databases, log = self._log((*setup_of(vector), *dml_of(vector)), _session(vector))
        cluster = Cluster(databases)
        last: list[tuple[SourceTable, NetChange]] = []
        for change in log.changes:
            if isinstance(change, DdlRun):
                cluster.ddl(change)
            elif isinstance(change, Transaction):
                last = [
                    (cluster.mounted(table), net)
                    for table, nets in cluster.commit(change)
                    for net in nets
                ]
        return {**vector, "rows": list(_rows(vector, _by_partition(last)))}

    def _log(self, sql: Sql, session: Mapping[str, str]) -> tuple[Sql, ChangeLog]:
        key, databases = (sql, *session.items()), _databases(sql)
        found = self._known.get(key)
        if found is None:
            scenario = _scenario(tuple(_steps(sql, databases)), databases)
            try:
                recording = self._database.record(scenario, session)
                content = lock_bytes(recording.lines)
                found = read_lock(scenario, lock_path(scenario, Path()), content)
            except HarnessError as error:
                found = error
            self._known[key] = found
        if isinstance(found, HarnessError):
            raise found
        return databases, found


def recording(
    recorder: VectorRecorder, comparisons: Mapping[str, Compare]
) -> Mapping[str, Compare]:
    """Return the comparisons of each kind, with rows as the database gives them."""
    return {kind: partial(recorder.compare, compare=one) for kind, one in comparisons.items()}


def setup_of(vector: Vector) -> Sql:
    """Return the SQL that ran before a vector's own."""
    return statements(vector.get("pre_sql")) + statements(vector.get("setup_sql"))


def dml_of(vector: Vector) -> Sql:
    """Return the statements of a vector that change rows, with what frames them; () for none."""
    own = statements(vector.get("sql")) or statements(vector.get("dml"))
    if not any(classify(sql) in DML for sql in own):
        return ()
    # Several statements of one vector are one transaction.
    return own if len(own) == 1 or "begin" in own else ("begin", *own, "commit")


def _session(vector: Vector) -> Mapping[str, str]:
    """Return the session variables that a vector's SQL ran under, unlike a recording's own."""
    found: dict[str, str] = {}
    zone = section(vector, "config").get("session_tz") or "+00:00"
    if zone != "+00:00":
        found["time_zone"] = f"'{zone}'"
    if any(re.search(r"sql_mode\s*=\s*''", sql) for sql in setup_of(vector)):
        found["sql_mode"] = "'TIME_ROUND_FRACTIONAL'"
    return found


def _databases(sql: Sql) -> Sql:
    naming = [one for one in sql if is_ddl(one) or classify(one) in DML]
    named = {name for one in naming for name in referenced_schemas(one, SCHEMA)}
    return (SCHEMA, *sorted(named - {SCHEMA}))


def _scenario(upstream: tuple[Step, ...], databases: Sql) -> Scenario:
    return Scenario(
        id="truth.vector",
        title="A vendor's vector",
        path="truth/vector",
        file="the vector",
        clauses=(),
        databases=databases,
        matrix=Matrix(()),
        upstream=upstream,
        expect=Expectation(NOTHING, NOTHING, NOTHING, 1),
    )


def _steps(sql: Sql, databases: Sql) -> Iterator[Step]:
    """Yield the steps of a scenario; what neither defines nor changes rows is left out."""
    for name in databases[1:]:  # recordings begin with their databases, the vectors' with one
        yield DdlStep(SqlStatement(f"DROP DATABASE `{name}`", 1))
    running: list[SqlStatement] | None = None
    for number, one in enumerate(sql):
        kind = classify(one)
        if kind is StatementKind.TRANSACTION:
            if running:
                yield TransactionStep(f"t{number}", tuple(running), 1)
            running = [] if one.strip().lower() == "begin" else None
        elif kind in DML and running is not None:
            running.append(SqlStatement(one, 1))
        elif kind in DML:
            yield TransactionStep(f"t{number}", (SqlStatement(one, 1),), 1)
        elif kind is StatementKind.DDL:
            yield DdlStep(SqlStatement(_respelled(one), 1))


def _respelled(sql: str) -> str:
    return sql if "/*T!" in sql else _TIDB_ONLY.sub(r"/*T! \g<0> */", sql)


def _by_partition(
    changes: Sequence[tuple[SourceTable, NetChange]],
) -> Iterator[tuple[SourceTable, NetChange, int]]:
    """Yield net changes with their physical ids; those of one partition stay together."""
    for table, group in groupby(changes, key=lambda pair: pair[0]):
        physical = physical_of(table.table)
        placed = [
            (net, physical(_image(net), 1) if physical else table.table.physical_id)
            for _, net in group
        ]
        for net, place in sorted(placed, key=lambda pair: pair[1]):
            yield table, net, place


def _image(net: NetChange) -> Row:
    image = net.before if net.after is None else net.after
    assert image is not None
    return image


def _rows(
    vector: Vector, changes: Iterator[tuple[SourceTable, NetChange, int]]
) -> Iterator[dict[str, object]]:
    """Yield rows as vectors describe them; physical ids are the vector's, in order."""
    zone = str(section(vector, "config").get("cdc_tz") or "UTC")
    theirs: Sequence[Vector] = vector.get("rows") or ()
    ids: dict[int, int] = {}
    for number, (table, net, place) in enumerate(changes):
        there: Vector = theirs[number] if number < len(theirs) else {}
        ids.setdefault(place, int(there.get("physical_table_id", place)))
        handle = int_handle(table.table)
        row: dict[str, object] = {
            "kind": net.op.value,
            "schema": table.table.id.schema,
            "table": table.table.id.name,
            "columns": _columns(table, net.after, zone),
            "pre_columns": _columns(table, net.before, zone),
            "row_id": signed(int(net.key[0] or 0)) if handle else 0,
            "physical_table_id": ids[place],
        }
        if "not_scheduled" in there:
            row["not_scheduled"] = there["not_scheduled"]
        yield row


def _columns(table: SourceTable, image: Row | None, zone: str) -> Described | None:
    if image is None:
        return None
    return [
        {
            "name": table.table.columns[n].name,
            "type": table.codes[n],
            "flag": table.flags[n],
            "value": _described(table.table.columns[n], image[n], zone),
        }
        for n in table.emitted
    ]


def _described(column: Column, value: Value, zone: str) -> object:
    if isinstance(value, bytes):
        return {"b64": base64.b64encode(value).decode()}
    if isinstance(value, float):
        form = "float32" if column.kind is ColumnKind.FLOAT else "float64"
        return {form: repr(value)}
    if isinstance(value, int):
        return {"int64": str(value)}
    if column.kind is ColumnKind.TIMESTAMP and value is not None:
        return utc_to_server(value, zone)
    return value

"""The lock `golden/<path>/changes.jsonl`: a scenario's row changes, recorded once and reviewed.

One JSON object a line: a header; then for each DDL statement or transaction, counted from 0, a line
of its own, a transaction's followed by one line a row event in statement order. Line numbers of the
scenario are not in it: `load_lock` joins the rows with the scenario's steps, pins, marks and lines,
and needs no database.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, cast

import orjson

from harness.ddl import StatementKind, classify
from harness.errors import Location, Problem, ScenarioError
from harness.model.canonical import canonical
from harness.model.change import (
    Change,
    ChangeLog,
    DdlRun,
    Op,
    Pin,
    Resolve,
    RowChanged,
    RowPin,
    Transaction,
)
from harness.model.table import TableId
from harness.record.form import LockedTable, read_row, read_table, table_id
from harness.record.session import fingerprint
from harness.record.unrecorded import mistakes
from harness.scenario.document import (
    DdlStep,
    EmitRow,
    ResolvedStep,
    Scenario,
    SqlStatement,
    TransactionStep,
)

FORMAT = 1
IMAGES: Mapping[Op, tuple[str, ...]] = {
    Op.INSERT: ("after",),
    Op.UPDATE: ("before", "after"),
    Op.DELETE: ("before",),
}


def lock_path(scenario: Scenario, golden_root: Path) -> Path:
    """Return where the scenario's lock is, whether or not it exists."""
    return golden_root / scenario.path / "changes.jsonl"


def load_lock(scenario: Scenario, golden_root: Path) -> ChangeLog:
    """Return the scenario's change log from its lock.

    Raises ScenarioError when there is no lock (with the mistakes of the SQL), when SQL or session
    settings changed since it was recorded, or (naming file and line) when it is malformed.
    """
    path = lock_path(scenario, golden_root)
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        unrecorded = Problem(
            scenario.place(1),
            f"{scenario.id} was never recorded: there is no {path}",
            expected="the changes of its SQL, locked once",
            hint=_record(scenario),
        )
        raise ScenarioError((*mistakes(scenario), unrecorded)) from None
    return read_lock(scenario, path, text)


def read_lock(scenario: Scenario, path: Path, content: bytes) -> ChangeLog:
    """Return the change log that a lock's bytes hold; ScenarioError as `load_lock`."""
    return _Reader(scenario, path, content).change_log()


def lock_bytes(lines: Sequence[Mapping[str, Any]]) -> bytes:
    """Return a lock's bytes."""
    return b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines)


def write_lock(scenario: Scenario, golden_root: Path, lines: Sequence[Mapping[str, Any]]) -> Path:
    """Write a whole lock, atomically: either the old file stays or the new one is complete."""
    path = lock_path(scenario, golden_root)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(lock_bytes(lines))
        Path(scratch).chmod(0o644)
        Path(scratch).replace(path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
    return path


def header(scenario: Scenario, server: str, rows_from: str) -> dict[str, Any]:
    """Return a lock's first line; `rows_from` is `binlog` or `reads`."""
    return {
        "format": FORMAT,
        "scenario": scenario.id,
        "sha256": fingerprint(scenario),
        "server": server,
        "rows-from": rows_from,
    }


def _record(scenario: Scenario) -> str:
    return f"`harness record {scenario.id}` writes it; review the difference before you commit it"


def _refuse(where: Location, what: str, *, expected: str = "", hint: str = "") -> NoReturn:
    raise ScenarioError((Problem(where, what, expected, hint),))


def _replaces(place: EmitRow | SqlStatement) -> bool:
    """Return whether a statement is a REPLACE; its words are read where it may be one."""
    if isinstance(place, EmitRow) or "replace" not in place.sql.lower():
        return False
    return classify(place.sql) is StatementKind.REPLACE


def _nth(statements: Sequence[tuple[int, bool]], statement: object) -> tuple[int, bool]:
    if isinstance(statement, int) and 0 <= statement < len(statements):
        return statements[statement]
    raise ValueError(f"the transaction has no statement {statement!r}")


class _Reader:
    """One pass over one lock, side by side with the scenario's steps."""

    def __init__(self, scenario: Scenario, path: Path, text: bytes) -> None:
        self.scenario = scenario
        self.path = path
        self.line = 0
        self.lines = iter(text.splitlines())
        self.tables: dict[TableId, LockedTable] = {}

    def change_log(self) -> ChangeLog:
        self.check_header(self.next("a header"))
        changes = tuple(self.changes())
        if next(self.lines, None) is not None:
            self.line += 1
            self.malformed("there is a line after the scenario's last step")
        return ChangeLog(changes)

    def check_header(self, data: Mapping[str, Any]) -> None:
        if data.get("format") != FORMAT:
            self.malformed(
                f"this lock has the format {data.get('format')!r}", expected=f"format {FORMAT}"
            )
        if data.get("scenario") != self.scenario.id:
            self.malformed(f"this is the lock of {data.get('scenario')!r}")
        if data.get("sha256") != fingerprint(self.scenario):
            _refuse(
                self.scenario.place(1),
                f"the SQL of {self.scenario.id} (or the recording session) changed since its rows"
                f" were locked in {self.path}",
                expected="a lock of the SQL as it stands",
                hint=_record(self.scenario),
            )

    def changes(self) -> Iterator[Change]:
        number = 0
        for step in self.scenario.upstream:
            if isinstance(step, ResolvedStep):
                yield Resolve(step.line, step.partitions, step.ts)
                continue
            data = self.next(f"step {number}")
            if data.get("step") != number:
                self.malformed(f"this is not step {number}")
            yield (
                self.ddl(step, data) if isinstance(step, DdlStep) else self.transaction(step, data)
            )
            number += 1

    def ddl(self, step: DdlStep, data: Mapping[str, Any]) -> DdlRun:
        if data.get("ddl") != step.statement.sql:
            self.malformed("this is not the scenario's DDL statement")
        try:
            changed = [(pair["before"], pair["after"]) for pair in data["tables"]]
            for before, _ in changed:
                self.tables.pop(table_id(before["table"]) if before else TableId("", ""), None)
            after = [read_table(table) for _, table in changed if table]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self.malformed(f"this is not a locked DDL statement: {error!r}")
        self.tables |= {table.id: table for table in after}
        return DdlRun(step.statement.sql, "", step.statement.line, step.pin)

    def transaction(self, step: TransactionStep, data: Mapping[str, Any]) -> Transaction:
        count = data.get("rows")
        if data.get("transaction") != step.name or not isinstance(count, int):
            self.malformed(f"this is not the transaction `{step.name}`")
        places: Sequence[EmitRow | SqlStatement] = step.rows if step.emit else step.statements
        statements = [(place.line, _replaces(place)) for place in places]
        changes = tuple(self.row(statements) for _ in range(count))
        pin = step.pin and replace(step.pin, rows=self.pinned(step, step.pin, changes))
        return Transaction(step.name, changes, step.line, pin)

    def row(self, statements: Sequence[tuple[int, bool]]) -> RowChanged:
        data = self.next("a row event")
        try:
            op, table = Op(data["op"]), self.tables[table_id(data["table"])]
            images = {name: read_row(table.columns, data[name]) for name in IMAGES[op]}
            line, replaced = _nth(statements, data["statement"])
        except KeyError as error:
            self.malformed(f"this is not a row event: {error} is missing or unknown")
        except (TypeError, ValueError, AttributeError) as error:
            self.malformed(f"this is not a row event: {error}")
        before, after = images.get("before"), images.get("after")
        return RowChanged(op, table.id, before, after, line, int(data["statement"]), replaced)

    def pinned(
        self, step: TransactionStep, pin: Pin, changes: Sequence[RowChanged]
    ) -> tuple[RowPin, ...]:
        """Give the values of row pins the form that the rows' values have."""
        touched = [self.tables[name] for name in dict.fromkeys(change.table for change in changes)]
        return tuple(self.row_pin(step, row, touched) for row in pin.rows)

    def row_pin(self, step: TransactionStep, pin: RowPin, touched: Sequence[LockedTable]) -> RowPin:
        what = f"no table that `{step.name}` changes has the columns"
        for table in touched:
            columns = {column.name: column for column in table.columns}
            if not pin.key.keys() <= columns.keys():
                continue
            try:
                key = {name: canonical(columns[name], raw) for name, raw in pin.key.items()}
            except ValueError as error:
                what = f"{table.id}: {error}"
                break
            return replace(pin, key=key)
        shown = ", ".join(f"`{name}`" for name in pin.key)
        _refuse(
            self.scenario.place(step.line),
            f"the row pin of {shown} fits no row: {what}",
            expected="key columns of a table that the transaction changes, with values that fit",
        )

    def next(self, what: str) -> Mapping[str, Any]:
        self.line += 1
        text = next(self.lines, None)
        if text is None:
            self.malformed(f"the lock ends where {what} should be")
        try:
            data: Any = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            self.malformed(f"this line is not JSON: {error}")
        if not isinstance(data, dict):
            self.malformed("this line is not a JSON object")
        return cast("Mapping[str, Any]", data)

    def malformed(self, what: str, expected: str = "") -> NoReturn:
        where = Location(str(self.path), self.line)
        _refuse(where, what, expected=expected, hint=_record(self.scenario))

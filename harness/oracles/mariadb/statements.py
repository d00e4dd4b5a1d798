"""A scenario's SQL run on a server, with the GTID under which its log has each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from harness.record.server import Server, SqlError, create, quoted
from harness.scenario.document import DdlStep, Scenario, TransactionStep

GTID = "SELECT @@gtid_binlog_pos"


@dataclass(frozen=True, slots=True)
class Ran:
    """A step that a server ran: its number, its statements, and its GTID, "" if it logged none.

    `before` is the GTID that the server's log ended with before it, where that is another step's.
    """

    step: int
    statements: Sequence[str]
    gtid: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class Execution:
    """What a server made of a scenario: its steps, and why it did not run them all ("" if it did).

    `made` are the GTIDs of the databases' creation.
    """

    made: Sequence[str]
    ran: Sequence[Ran]
    refused: str = ""

    @property
    def numbers(self) -> Sequence[int]:
        """Return the numbers of the transactions that the steps are, in order."""
        last, found = _number(self.made[-1]), list[int]()
        for one in self.ran:
            if one.gtid:
                first = _number(one.before) if one.before else last
                last = _number(one.gtid)
                found += range(first + 1, last + 1)
        return found

    @property
    def span(self) -> tuple[int, int]:
        """Return the numbers of the last transaction before the steps, and of their last."""
        first = _number(self.made[-1])
        return first, max((_number(one.gtid) for one in self.ran if one.gtid), default=first)


def cannot(scenario: Scenario) -> str:
    """Return why a database cannot be asked to run a scenario, "" if it can."""
    if any(isinstance(s, DdlStep | TransactionStep) and s.emit for s in scenario.upstream):
        return "a step is stated (`emit`): no database runs it"
    if scenario.keyspace.broken_off is not None:
        return "a copy breaks off behind a given row: a run breaks off where it can, in live runs"
    return ""


def made(scenario: Scenario, server: Server) -> Execution:
    """Make a scenario's databases, which `remove` removes; no step has run yet."""
    return Execution([server.value(GTID) for _ in create(server, scenario.databases)], ())


def go_on(
    before: Execution, steps: Sequence[DdlStep | TransactionStep], server: Server
) -> Execution:
    """Run further steps, unless one was refused before."""
    ran = list(before.ran)
    try:
        for step in () if before.refused else steps:
            last = server.value(GTID)
            statements = list(_statements(step))
            for statement in statements:
                server.run(statement)
            after = server.value(GTID)
            ran.append(Ran(len(ran), statements, after if after != last else "", last))
    except SqlError as error:
        return Execution(before.made, ran, f"the server refuses step {len(ran)}: {error}")
    return Execution(before.made, ran, before.refused)


def _statements(step: DdlStep | TransactionStep) -> Iterator[str]:
    if isinstance(step, DdlStep):
        yield step.statement.sql
        return
    yield "START TRANSACTION"
    yield from (one.sql for one in step.statements)
    yield "COMMIT"


def remove(scenario: Scenario, server: Server) -> None:
    """Drop a scenario's databases."""
    with suppress(SqlError):
        server.run("ROLLBACK")
    for name in scenario.databases:
        server.run(f"DROP DATABASE IF EXISTS {quoted(name)}")


def _number(gtid: str) -> int:
    """Return which transaction of its server one is: the last part of `domain-server-number`."""
    return int(gtid.rpartition("-")[2])

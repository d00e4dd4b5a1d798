"""A case as a script for somebody's cluster: settings as comments, then SQL."""

from __future__ import annotations

from collections.abc import Iterator

from harness.errors import UsageError
from harness.protocols import PROTOCOLS
from harness.scenario.document import DdlStep, TransactionStep
from harness.scenario.expand import Case


def script(case: Case) -> Iterator[str]:
    """Yield the lines; UsageError for a scenario whose events no SQL makes."""
    scenario = case.scenario
    yield f"-- {case.id}: {scenario.title}"
    yield f"-- protocol {case.protocol}, partitions {case.partitions}"
    for name, value in case.settings.items():
        yield f"-- setting {name} = {value}"
    for name in scenario.databases:
        yield f"CREATE DATABASE `{name}`;"
    yield f"-- start the {PROTOCOLS[case.protocol].source.kind} stream here"
    yield f"USE `{scenario.databases[0]}`;"
    yield "SET time_zone = '+00:00';"
    for step in scenario.upstream:
        if isinstance(step, DdlStep | TransactionStep) and step.emit:
            raise UsageError(
                f"{case.id} has events that no SQL makes (`emit`)",
                expected="a case whose events come from SQL alone",
            )
        match step:
            case DdlStep():
                yield f"{step.statement.sql};"
            case TransactionStep():
                yield "BEGIN;"
                yield from (f"{one.sql};" for one in step.statements)
                yield "COMMIT;"
            case _:
                pass

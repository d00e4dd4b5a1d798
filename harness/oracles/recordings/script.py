"""A case as a script for somebody's cluster: settings as comments, then SQL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from harness.errors import UsageError
from harness.protocols import PROTOCOLS
from harness.scenario.document import DdlStep, TransactionStep
from harness.scenario.expand import Case
from harness.sources.tidb.config_keys import KEYS

# What no changefeed has: a choice between the program's rules and the documents'.
OURS: Final = "ddl-rules"
FILE: Final = "-- changefeed.toml: "
URI: Final = "-- sink URI: "
CONNECTOR: Final = "-- connector: "


def script(case: Case) -> Iterator[str]:
    """Yield the lines; UsageError for a scenario whose events no SQL makes."""
    scenario = case.scenario
    yield f"-- {case.id}: {scenario.title}"
    yield f"-- protocol {case.protocol}, partitions {case.partitions}"
    kind = PROTOCOLS[case.protocol].source.kind
    for name, value in case.settings.items():
        if name == OURS:
            raise UsageError(
                f"{case.id} sends DDL by the document's rules (`{OURS}`), which no program does",
                expected="a case without this setting",
            )
        yield _setting(kind, name, value)
    for name in scenario.databases:
        yield f"CREATE DATABASE `{name}`;"
    yield f"-- start the {kind} stream here"
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


def _setting(kind: str, name: str, value: object) -> str:
    """Return a setting where a vendor's program takes it, in the form that stands there."""
    if kind == "tidb" and name in KEYS:
        return f"{FILE}{name} = {toml(value)}"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{URI if kind == 'tidb' else CONNECTOR}{name}={text}"


def toml(value: object) -> str:
    """Return a value of a changefeed file on one line."""
    if isinstance(value, Mapping):
        items = cast("Mapping[str, object]", value).items()
        return "{" + ", ".join(f"{name} = {toml(held)}" for name, held in items) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, cast('Sequence[object]', value)))}]"
    return json.dumps(value, ensure_ascii=False)  # true, 5 and "a\n" are the same in both

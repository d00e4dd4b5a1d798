"""Scenarios for the tests of recording, written as a person writes them."""

from __future__ import annotations

from pathlib import Path

from harness.model.change import ChangeLog, Op, Transaction
from harness.model.values import Row
from harness.record.lock import load_lock
from harness.record.recorder import record
from harness.record.server import Upstream
from harness.scenario.document import Scenario
from harness.scenario.load import load

HEAD = """\
id: made.up
title: A scenario of the tests
clauses: [open.row.insert]
matrix: {protocol: [open], partitions: [2]}
databases: [d]
upstream:
"""
HEAD_LINES = HEAD.count("\n")
TABLE = "  - ddl: CREATE TABLE d.t (id INT PRIMARY KEY, a INT)\n"


def scenario(root: Path, upstream: str, databases: str = "d") -> Scenario:
    """Load a scenario with these steps (YAML, indented); its first step stands on line 7."""
    path = root / "made" / "up.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    head = HEAD.replace("[d]", f"[{databases}]")
    path.write_text(f"{head}{upstream}expect: {{tables: {{d.t: null}}}}\n", encoding="utf-8")
    return load(path, root)


def transaction(name: str, *statements: str) -> str:
    """Return a transaction step; each statement stands on a line of its own, two below the step."""
    lines = "".join(f"        {statement};\n" for statement in statements)
    return f"  - transaction:\n      name: {name}\n      sql: |\n{lines}"


def recorded(root: Path, upstream: Upstream, steps: str, *, binary_log: bool = True) -> ChangeLog:
    """Record a scenario of these steps and load its lock."""
    scene = scenario(root, steps)
    record(scene, upstream, root / "golden", binary_log=binary_log)
    return load_lock(scene, root / "golden")


def events(log: ChangeLog) -> list[tuple[str, int, Op, Row | None, Row | None]]:
    """Return every row event: transaction, line, and what happened."""
    return [
        (step.name, change.line, change.op, change.before, change.after)
        for step in log.changes
        if isinstance(step, Transaction)
        for change in step.changes
    ]

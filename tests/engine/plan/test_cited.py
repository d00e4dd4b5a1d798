"""A clause of a column type or a kind of change is cited where the scenario has one."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

import pytest

from harness.engine.plan.case import Emission, plan
from harness.engine.plan.cited import cited_problems
from harness.model.change import ChangeLog
from harness.scenario.expand import cases
from harness.scenario.load import load
from tests.changelogs import ddl, insert, log, transaction, update

TEXT = """\
id: a
title: A clause is cited
clauses:
  - open.column.name
  - {clause}
matrix: {{protocol: [open]}}
databases: [shop]
upstream:
  - ddl: CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)
expect: {{tables: {{shop.t: null}}}}
"""
TABLE = ddl("CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)")
INSERTS = log(TABLE, transaction(insert(1, 1)))
UPDATES = log(TABLE, transaction(insert(1, 1)), transaction(update((1, 1), (1, 2))))
EMPTY = log(TABLE)


def problems(root: Path, clause: str, changes: ChangeLog) -> list[str]:
    """Return what is wrong with a scenario that cites a clause."""
    path = root / "a.yaml"
    path.write_text(TEXT.format(clause=clause), encoding="utf-8")
    known: dict[Hashable, Emission] = {}
    planned = [plan(case, changes, known) for case in cases(load(path, root))]
    return [str(problem) for problem in cited_problems(planned, changes)]


@pytest.mark.parametrize(
    ("clause", "changes", "what"),
    [
        ("open.type.decimal", INSERTS, "no table has a column of DECIMAL"),
        ("open.type.text", INSERTS, "no table has a column of BLOB or TEXT"),
        ("open.row.delete", INSERTS, "no transaction has a row's delete"),
        ("open.row.update", INSERTS, "no transaction has a row's update"),
        ("open.row.insert", EMPTY, "no transaction has a row's insert"),
    ],
)
def test_in_vain(tmp_path: Path, clause: str, changes: ChangeLog, what: str) -> None:
    """The problem names the clause, its line, and what the scenario lacks."""
    (problem,) = problems(tmp_path, clause, changes)
    assert f"a.yaml:5:5: the clause `{clause}` is cited, and {what}" in problem


@pytest.mark.parametrize(
    ("clause", "changes"),
    [
        ("open.type.int", INSERTS),
        ("open.row.insert", INSERTS),
        ("open.row.delete", UPDATES),
        ("open.row.insert", UPDATES),
        ("open.frame.batch", INSERTS),
    ],
)
def test_with_reason(tmp_path: Path, clause: str, changes: ChangeLog) -> None:
    """A changed key is sent as a delete and an insert; other clauses are not asked about."""
    assert problems(tmp_path, clause, changes) == []

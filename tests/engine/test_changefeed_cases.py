"""Cases whose changefeed stops, or whose settings TiCDC refuses: what the author is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.engine.plan.case import Plan, plan
from harness.engine.plan.expectations import author_problems
from harness.errors import ScenarioError
from harness.scenario.expand import cases
from harness.scenario.load import load
from tests.changelogs import ddl, insert, log, transaction

SETTINGS = """\
    filter.rules: ["shop.t"]
    sink.dispatchers:
      - {matcher: ["shop.t"], topic: "one_{table}"}
"""
STEPS = log(
    ddl("CREATE TABLE t (a INT PRIMARY KEY)"),
    ddl("CREATE TABLE n (a INT PRIMARY KEY)"),
    transaction(insert(1)),
    ddl("RENAME TABLE t TO u", line=8),
    ddl("RENAME TABLE n TO t", line=9),
    transaction(insert(2)),
)


def planned(tmp_path: Path, events: str, settings: str = SETTINGS) -> Plan:
    """Plan the one case of a scenario with these settings and expected events."""
    file = tmp_path / "feed.yaml"
    file.write_text(
        "id: feed\ntitle: A changefeed\nclauses: [open.row.insert]\n"
        f"matrix: {{protocol: [open]}}\nsettings:\n  open:\n{settings}"
        "databases: [shop]\nupstream: [{ddl: CREATE TABLE shop.t (a INT PRIMARY KEY)}]\n"
        f"expect: {{tables: {{shop.u: [{{a: 1}}]}}, events: {{open: [{events}]}}}}\n",
        encoding="utf-8",
    )
    (case,) = cases(load(file, tmp_path))
    return plan(case, STEPS)


BEFORE = "{ddl: create_table}, {insert: {a: 1}}, {ddl: rename_table}"


def test_an_expected_stop(tmp_path: Path) -> None:
    """What was sent before the stop is the expected state; topics are as the rules say."""
    found = planned(tmp_path, f"{BEFORE}, {{stopped: ErrSyncRenameTableFailed}}")
    assert author_problems(found) == ()
    assert found.stopped is not None
    assert found.topics() == ("one_t", "ticdc")
    assert [each.decision.outcome.value for each in found.decisions] == [
        *("replicate", "ignore", "replicate", "replicate", "stop")
    ]


def test_another_stop_than_the_expected_one(tmp_path: Path) -> None:
    """A stop by another error than the expected one does not hold."""
    found = planned(tmp_path, f"{BEFORE}, {{stopped: ErrHandleDDLFailed}}")
    (problem,) = author_problems(found)
    assert "stops with ErrSyncRenameTableFailed" in problem.what
    assert "not ErrHandleDDLFailed" in problem.what


def test_a_stop_that_does_not_come(tmp_path: Path) -> None:
    """A changefeed that goes on does not hold where a stop is expected."""
    everything = '    filter.rules: ["shop.*"]\n'
    found = planned(tmp_path, "{stopped: ErrHandleDDLFailed}", everything)
    assert any("the changefeed goes on" in problem.what for problem in author_problems(found))


def test_an_unexpected_stop(tmp_path: Path) -> None:
    """Without the item the stop is a problem of its step."""
    with pytest.raises(ScenarioError, match="stops with ErrSyncRenameTableFailed") as refusal:
        planned(tmp_path, BEFORE)
    assert refusal.value.problems[0].location.line == 9


REFUSED: list[tuple[str, str, str]] = [
    (SETTINGS.replace('"shop.t"]', '"shop"]', 1), "7:20", "the rule 'shop' does not parse"),
    (SETTINGS.replace("{table}", "{tabel}"), "9:31", "invalid topic expression"),
    ("    changefeed: |\n      [filter]\n      rules = ['x']\n", "9:16", "the rule 'x'"),
    ("    changefeed: |\n      [sink]\n      protocol = 'avro'\n", "7:5", "sink.protocol avro"),
]


@pytest.mark.parametrize(("settings", "place", "said"), REFUSED)
def test_refused_settings(tmp_path: Path, settings: str, place: str, said: str) -> None:
    """What TiCDC refuses is told at its place in the scenario."""
    with pytest.raises(ScenarioError) as refusal:
        planned(tmp_path, BEFORE, settings)
    (problem,) = refusal.value.problems
    assert said in problem.what
    assert str(problem.location) == f"{problem.location.path}:{place}"

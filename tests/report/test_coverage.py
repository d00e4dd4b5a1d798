"""Coverage: a case covers clauses of its own protocol, and the last verdict counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.engine.catalogue.citing import cited, covering_cases
from harness.model.finding import Judgement
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES
from harness.report.coverage import (
    REQUIRED,
    CoveredClause,
    Status,
    Verdicts,
    coverage,
    last_verdicts,
    totals,
    uncovered,
    verdicts_of,
)
from harness.report.coverage_text import as_data, complaints, lines, place
from harness.scenario.expand import Case, cases
from harness.scenario.load import load_all
from harness.spec import Level
from tests.report.samples import case as judged
from tests.report.samples import run, written
from tests.tree import ROOT, hold, text_of

SCENARIO = "duplicates/row-sent-twice.yaml"
OPEN, AVRO = "open.delivery.at-least-once", "avro.delivery.at-least-once"
TESTED = "open.json.invalid-utf8"


@pytest.fixture(scope="module")
def chosen() -> tuple[Case, ...]:
    """The cases of one scenario of all three protocols, with clauses and permissions of each."""
    (scenario,) = load_all(ROOT / "scenarios", (ROOT / "scenarios" / SCENARIO,))
    return cases(scenario)


def by_id(found: tuple[CoveredClause, ...]) -> dict[str, CoveredClause]:
    """Return what is covered by clause id."""
    return {one.clause.id: one for one in found}


def test_a_case_covers_clauses_of_its_protocol(chosen: tuple[Case, ...]) -> None:
    """A case of avro does not cover a clause of open, although its scenario cites it."""
    found = covering_cases(chosen)
    assert all(OPEN in cited(case) for case in chosen)
    assert {case.protocol for case in found[OPEN]} == {"open"}
    assert {case.protocol for case in found[AVRO]} == {"avro"}


def test_a_permission_counts_where_it_is_used(chosen: tuple[Case, ...]) -> None:
    """The clause that permits a fault is covered by its variant, not by the plain run."""
    bare = tuple(replace(case, scenario=replace(case.scenario, clauses=())) for case in chosen)
    variants = {case.delivery for case in covering_cases(bare)[OPEN]}
    assert variants == {"inserts", "everything"}


@pytest.mark.parametrize(
    ("judgements", "status"),
    [
        ({}, Status.NOT_RUN),
        ({0: Judgement.PASS}, Status.PASSED),
        ({0: Judgement.PASS, 1: Judgement.FAIL}, Status.FAILED),
        ({0: Judgement.CRASH}, Status.FAILED),
        ({0: Judgement.UNDECIDED}, Status.NOT_RUN),
        ({0: Judgement.NOT_APPLICABLE, 1: Judgement.PASS}, Status.PASSED),
    ],
)
def test_the_status_of_a_clause(
    chosen: tuple[Case, ...], judgements: dict[int, Judgement], status: Status
) -> None:
    """One failed case fails a clause; what was not judged does not count."""
    of_open = [case.id for case in chosen if case.protocol == "open"]
    said = Verdicts({of_open[number]: verdict for number, verdict in judgements.items()})
    found = by_id(coverage(chosen, said))
    assert found[OPEN].status is status
    assert found[AVRO].status is Status.NOT_RUN
    assert found["open.key.row"].status is Status.MISSING


def test_later_runs_count(tmp_path: Path) -> None:
    """Of two runs over a case the later one counts; a file without verdicts is ignored."""
    first, second = judged("a[open,p1]", Judgement.FAIL), judged("a[open,p1]", Judgement.PASS)
    said = verdicts_of([run(first, judged("b[open,p1]", Judgement.FAIL)), run(second)])
    assert said.cases == {"a[open,p1]": Judgement.PASS, "b[open,p1]": Judgement.FAIL}
    assert [judged_cases for _, _, judged_cases in said.runs] == [2, 1]
    files = [tmp_path / "begun.ndjson", tmp_path / "done.ndjson"]
    for file, events in zip(files, (run(), run(second)), strict=True):
        file.write_bytes(written("ndjson", events))
    assert last_verdicts(files).cases == {"a[open,p1]": Judgement.PASS}
    assert last_verdicts(()).runs == ()


def test_the_counts_add_up(chosen: tuple[Case, ...]) -> None:
    """Each clause is counted once for its layer and once for all; a test counts as covered."""
    found = coverage(chosen, Verdicts({}))
    assert by_id(found)[TESTED].status is Status.TESTED
    rows = totals(found)
    assert sum(row.clauses for row in rows if row.layer == "all") == len(CLAUSES)
    for row in rows:
        assert sum(row.statuses.values()) == row.clauses
        assert row.covered == row.clauses - row.statuses[Status.MISSING]
    assert TESTED not in {one.clause.id for one in uncovered(found)}


def test_what_is_lacking(chosen: tuple[Case, ...]) -> None:
    """A MUST without a scenario is reported with its place; a MAY is not, nor are a few SHOULDs."""
    found = coverage(chosen, Verdicts({}))
    missing = {one.clause.level for one in uncovered(found)}
    assert missing == set(REQUIRED)
    text = "\n".join(complaints(found))
    assert "MUST clause `open.key.row` has no scenario" in text
    assert "docs/guides/read-coverage.md" in text
    should = [one for one in found if one.clause.level is Level.SHOULD]
    enough = [replace(one, status=Status.PASSED) for one in should] * 19
    assert not uncovered([*enough, should[0]])
    assert uncovered([*enough[:18], should[0]])


def test_selection(chosen: tuple[Case, ...]) -> None:
    """Layers and levels select clauses, and the text lists what is selected."""
    found = coverage(chosen, Verdicts({}), ("avro",), (Level.MAY,))
    assert {(one.clause.protocol, one.clause.level) for one in found} == {("avro", Level.MAY)}
    text = "\n".join(lines(found, found, Verdicts({}, (("0123ab", "spark", 7),))))
    assert f"  not run          MAY    program  {AVRO} " in text
    assert "duplicates.row-sent-twice" in text
    assert text.endswith("verdicts of run 0123ab: spark, 7 cases")


def test_the_data_say_the_same(chosen: tuple[Case, ...]) -> None:
    """JSON has every clause with its cases and their verdicts, and whether all is well."""
    name = next(case.id for case in chosen if case.protocol == "open")
    said = Verdicts({name: Judgement.PASS}, (("0123ab", "spark", 1),))
    data = as_data(coverage(chosen, said), said)
    assert data["sound"] is False
    (row,) = [row for row in data["clauses"] if row["clause"] == OPEN]
    assert row["status"] == "passed"
    assert row["cases"][name] == "pass"
    assert row["scenarios"] == ["duplicates.row-sent-twice"]


def _directory(layer: str) -> str:
    """Return where a protocol's own clauses are, or those of a layer that protocols share."""
    if layer not in PROTOCOLS:
        return layer
    (own,) = PROTOCOLS[layer].clauses
    return own.name


def test_every_clause_has_a_place() -> None:
    """A clause is found in harness/spec/clauses/, on the line that has its id."""
    hold(
        f"{clause.id}: {place(clause)}"
        for clause in CLAUSES.values()
        for file, _, line in [place(clause).rpartition(":")]
        if not file.startswith(f"harness/spec/clauses/{_directory(clause.protocol)}/")
        or text_of(file).splitlines()[int(line) - 1] != f'id = "{clause.id}"'
    )

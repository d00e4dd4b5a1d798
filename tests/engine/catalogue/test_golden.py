"""Goldens say what their scenario gives, and only an explicit command makes them say so."""

from __future__ import annotations

import difflib
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.engine.catalogue import golden
from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import (
    golden_differences,
    planned_only,
    plans,
    stale_goldens,
)
from harness.engine.catalogue.workspace import Workspace, orphan_goldens
from harness.errors import Location, ScenarioError, UsageError
from harness.scenario.document import Scenario
from tests.tree import ROOT

PATH = "dml/no-net-change"
RECORDS = f"golden/{PATH}/open-p1.records.txt"
TABLES = f"golden/{PATH}/open-p1.tables.txt"


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    """A workspace of its own with one recorded scenario."""
    for name in (f"scenarios/{PATH}.yaml", *(f"golden/{PATH}/{x}" for x in _files())):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    return Workspace(tmp_path, tmp_path / "scenarios", tmp_path / "golden")


def _files() -> list[str]:
    return [path.name for path in (ROOT / "golden" / PATH).iterdir()]


def scenarios(space: Workspace) -> tuple[Scenario, ...]:
    """Return the scenarios of the workspace."""
    return load(space)


def files(space: Workspace) -> dict[str, bytes]:
    """Return every file below the goldens, by name, with its content."""
    return {path.name: path.read_bytes() for path in space.golden.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", [RECORDS, TABLES])
def test_a_changed_golden_is_found_shown_and_accepted(name: str, space: Workspace) -> None:
    """A golden that says something else is a problem with its repair, and accepting mends it."""
    before = files(space)
    path = space.here / name
    path.write_text(path.read_text(encoding="utf-8").replace("milk", "mills"), encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        plans(space, selected(scenarios(space), None))
    (problem,) = caught.value.problems
    lines = path.read_text(encoding="utf-8").splitlines()
    first = next(number for number, line in enumerate(lines, 1) if "mills" in line)
    assert problem.location == Location(str(path), first)
    assert "mills" in problem.what
    assert "harness golden accept" in problem.hint
    found = golden_differences(space, scenarios(space), expectations=True)
    assert golden.accept(found) == (path,)
    assert files(space) == before
    assert golden_differences(space, scenarios(space), expectations=True) == ()


def test_an_edited_lock_is_found_with_the_command_that_restores_it(space: Workspace) -> None:
    """Rows edited in the lock disagree with the records, and the lock's own repair is named."""
    lock = space.golden / PATH / "changes.jsonl"
    lock.write_text(lock.read_text(encoding="utf-8").replace("milk", "mills"), encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        plans(space, selected(scenarios(space), None))
    hints = {problem.location.path: problem.hint for problem in caught.value.problems}
    assert str(space.here / RECORDS) in hints
    assert "harness record dml.no-net-change" in hints[str(space.here / RECORDS)]


def test_a_missing_golden_is_written(space: Workspace) -> None:
    """A golden that is not there is a difference without a text, and comes back byte for byte."""
    before = files(space)
    (space.here / RECORDS).unlink()
    (found,) = golden_differences(space, scenarios(space), expectations=False)
    assert found.there is None
    golden.accept([found])
    assert files(space) == before


def test_a_stale_golden_is_an_error_and_accepting_removes_it(space: Workspace) -> None:
    """Files of a variant outside the matrix are told with the repair, and go; the lock stays."""
    stale = space.here / RECORDS.replace("p1", "p9")
    stale.write_text("# an old variant\n", encoding="utf-8")
    (problem,) = stale_goldens(space, scenarios(space))
    assert problem.location.path == str(stale)
    assert "harness golden accept" in problem.hint
    assert golden.accept(golden_differences(space, scenarios(space), expectations=True)) == (stale,)
    assert sorted(files(space)) == sorted(_files())


def test_orphans_are_errors_with_the_command_that_removes_them(space: Workspace) -> None:
    """Goldens without a scenario are found by their lock or by any golden file."""
    for name, file in {"one": "changes.jsonl", "two": "open-p1.tables.txt"}.items():
        (space.golden / name).mkdir()
        (space.golden / name / file).write_text("", encoding="utf-8")
    found = orphan_goldens(space)
    assert [Path(problem.location.path).name for problem in found] == ["one", "two"]
    for problem in found:
        assert f"rm {problem.location.path}/" in problem.hint


def test_a_golden_never_blesses_itself(space: Workspace) -> None:
    """While an author's expectation does not hold, nothing can be accepted, but all be compared."""
    file = space.scenarios / f"{PATH}.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("item: rice, n: 9}\n  ev", "item: rice, n: 8}\n  ev"), "utf-8")
    with pytest.raises(ScenarioError, match="does not hold"):
        golden_differences(space, scenarios(space), expectations=True)
    assert golden_differences(space, scenarios(space), expectations=False) == ()


def test_bytes_that_are_no_text_are_a_difference(space: Workspace) -> None:
    """A golden that was damaged is compared and mended like any other."""
    (space.here / TABLES).write_bytes(b"\xff\xfe garbage")
    (found,) = golden_differences(space, scenarios(space), expectations=True)
    assert "\\xff\\xfe garbage" in "\n".join(golden.diff(found))
    golden.accept([found])
    assert golden_differences(space, scenarios(space), expectations=True) == ()


def test_lines_that_recur_are_no_junk(space: Workspace) -> None:
    """Between two lines that differ a header is the same, however often it recurs in the file."""
    there = [line for n in range(200) for line in (f"record {n}", "  header a", f"  value {n}")]
    now = [line.replace("99", "x") if n in {297, 299} else line for n, line in enumerate(there)]
    texts = ("\n".join(there), "\n".join(now))
    shown = list(golden.diff(golden.Difference(space.golden, *texts), context=0))
    assert [line for line in shown if "header" in line] == []
    assert shown[-2:] == ["-  value 99", "+  value x"]


@given(*[st.lists(st.sampled_from("abc")).map("\n".join)] * 2, st.integers(0, 3))
def test_short_texts_are_diffed_as_the_library_does(there: str, now: str, context: int) -> None:
    """Where no line can be junk, the lines are those of `difflib`."""
    difference = golden.Difference(Path("x"), there, now)
    texts = (there.splitlines(), now.splitlines())
    expected = difflib.unified_diff(*texts, "golden", "now", lineterm="", n=context)
    assert list(golden.diff(difference, context=context))[2:] == list(expected)[2:]


def test_what_cannot_be_written_is_reported(space: Workspace) -> None:
    """A directory in a golden's place is a usage error that names it."""
    (space.here / TABLES).unlink()
    (space.here / TABLES).mkdir()
    found = golden_differences(space, scenarios(space), expectations=True)
    with pytest.raises(UsageError, match="cannot write"):
        golden.accept(found)


def test_accepting_leaves_no_scratch_files(space: Workspace) -> None:
    """What is written is whole: no temporary file stays beside it."""
    (space.here / TABLES).write_text("", encoding="utf-8")
    found = golden_differences(space, scenarios(space), expectations=True)
    golden.accept([*found, *(replace(one, path=one.path.with_name("x.txt")) for one in found)])
    assert sorted(files(space)) == sorted([*_files(), "x.txt"])


def test_an_expectation_that_holds_in_no_case_is_one_problem(space: Workspace) -> None:
    """What all cases of a scenario say is said once; one case says it under its own name."""
    file = space.scenarios / f"{PATH}.yaml"
    text = file.read_text(encoding="utf-8").replace("item: milk, n: 3", "item: milk, n: 4")
    file.write_text(text.replace("partitions: [1]", "partitions: [1, 2, 3]"), encoding="utf-8")
    chosen = selected(scenarios(space), None)
    said = {}
    for count in (3, 1):
        with pytest.raises(ScenarioError) as caught:
            planned_only(space, chosen[:count], expectations=True)
        (problem,) = caught.value.problems
        said[count] = problem.what.partition(" does not hold")[0]
    assert said == {
        3: f"{chosen[0].id} and 2 other cases: expect.tables",
        1: f"{chosen[0].id}: expect.tables",
    }

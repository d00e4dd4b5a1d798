"""Two runs are compared case by case, and what became worse comes first."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli.diff import command
from harness.model.finding import FINDINGS, Judgement
from harness.report.run_diff import WORSE, Change, changes, diff_markdown
from tests.report.samples import HOSTILE, case, run, written

A = "dml.a[open,p1]"


@pytest.mark.parametrize("before", Judgement)
@pytest.mark.parametrize("after", Judgement)
def test_every_pair_of_judgements_has_its_word(before: Judgement, after: Judgement) -> None:
    """A case is listed when its judgement differs, and is worse just where it was better before."""
    found = changes(run(case(A, before)), run(case(A, after)))
    if before is after:
        assert found == ()
        return
    (one,) = found
    became_finding = after in FINDINGS
    lost = before is Judgement.PASS
    assert (one.change in WORSE) == (became_finding or lost)


def test_another_reason_is_reported() -> None:
    """A case that fails in both runs is listed as broken if it fails for another reason."""
    first, second = case(A, Judgement.FAIL, text="one"), case(A, Judgement.FAIL, text="two")
    (one,) = changes(run(first), run(second))
    assert one.change is Change.OTHERWISE
    assert changes(run(first), run(first)) == ()


def test_cases_of_one_run_only_are_no_regressions() -> None:
    """What was not asked in one of the runs is listed apart."""
    found = changes(run(case(A, Judgement.FAIL)), run(case("dml.b[open,p1]", Judgement.FAIL)))
    assert [one.change for one in found] == [Change.NEW, Change.GONE]
    assert not {one.change for one in found} & WORSE


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory where two runs are kept: the second breaks what passed in the first."""
    monkeypatch.chdir(tmp_path)
    for name, judgement in (("aaa", Judgement.PASS), ("bbb", Judgement.FAIL)):
        place = tmp_path / ".harness" / "runs" / name
        place.mkdir(parents=True)
        (place / "events.ndjson").write_bytes(written("ndjson", run(case(A, judgement))))
    return tmp_path


def test_the_exit_code_shows_a_regression(kept: Path) -> None:
    """Worse is 1, better is 0; a run is named by its number or by its file."""
    runner = CliRunner()
    worse = runner.invoke(command, ["aaa", "bbb"], standalone_mode=False)
    assert worse.return_value == 1
    assert f"newly broken: 1\n  {A}\n    - pass\n    + fail: n is 2, not 1" in worse.output
    file = os.fspath(kept / ".harness" / "runs" / "aaa" / "events.ndjson")
    better = runner.invoke(command, ["bbb", file, "--json"], standalone_mode=False)
    assert better.return_value == 0
    assert json.loads(better.output)["changes"][0]["change"] == "newly passed"


def test_a_run_that_is_not_there_is_named(kept: Path) -> None:
    """A name that no run has is refused with where runs are kept."""
    del kept
    result = CliRunner().invoke(command, ["aaa", "nowhere"], standalone_mode=False)
    assert "there is no run 'nowhere'" in str(result.exception)


def test_markdown_is_a_comment_that_no_text_breaks() -> None:
    """Worse cases come first and open, texts add no markup, and it stays short."""
    first = run(*(case(f"a{n}[open,p1]", Judgement.PASS) for n in range(300)))
    second = run(*(case(f"a{n}[open,p1]", Judgement.FAIL, text=HOSTILE * 9) for n in range(300)))
    text = diff_markdown(first, second, changes(first, second))
    assert text.startswith("### 300 cases became worse, 0 differ otherwise\n")
    assert "<details open>\n<summary>newly broken: 300</summary>" in text
    assert "… and 260 more" in text
    assert len(text) < 65_536
    rows = [line for line in text.splitlines() if line.startswith("| <code>")]
    assert all(row.count("|") == 4 and row.count("<") == 2 for row in rows)
    assert diff_markdown(first, first, ()).startswith("### No case became worse, 0 differ")

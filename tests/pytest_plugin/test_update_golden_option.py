"""`--update-golden`: the difference first, then the files; never where nobody looks."""

from __future__ import annotations

import pytest

from tests.pytest_plugin.project import ROOT, Project

GOLDEN = "golden/dml/no-net-change/open-p1.tables.txt"


@pytest.mark.parametrize("value", ["true", "1", "yes"])
def test_it_is_refused_in_ci(project: Project, value: str) -> None:
    """Where CI is set nobody would review, so nothing is written."""
    project.monkeypatch.setenv("CI", value)
    done = project.inside("--update-golden")
    done.stderr.fnmatch_lines(["ERROR: --update-golden is refused where CI is set*", "*hint: *"])
    assert done.ret == pytest.ExitCode.USAGE_ERROR


def test_it_is_refused_with_workers(project: Project) -> None:
    """Several processes do not write the same files."""
    done = project.inside("--update-golden", "-n", "2")
    done.stderr.fnmatch_lines(["ERROR: --update-golden writes from one process only*"])
    assert done.ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.services
@pytest.mark.usefixtures("shared_services")
def test_the_difference_is_shown_and_written(project: Project) -> None:
    """A golden that differs is shown, rewritten, and held against right afterwards."""
    project.scenarios("dml/no-net-change")
    project.edit(GOLDEN, "tables at", "tabels at")
    done = project.outside("--update-golden", "scenarios")
    done.stdout.fnmatch_lines(["*-#*tabels at*", "*+#*tables at*", f"rewrote {GOLDEN}"])
    assert done.ret == 0
    assert (project.path / GOLDEN).read_bytes() == (ROOT / GOLDEN).read_bytes()


@pytest.mark.services
@pytest.mark.usefixtures("shared_services")
def test_a_golden_never_blesses_itself(project: Project) -> None:
    """Where the author's expectation does not hold, nothing is written and the cases say why."""
    project.scenarios("dml/insert-update-delete")
    name = "golden/dml/insert-update-delete/open-p1.tables.txt"
    project.edit(name, "tables at", "tabels at")
    text = (project.path / "scenarios/dml/insert-update-delete.yaml").read_text(encoding="utf-8")
    cut = text.index("expect:")
    row = text[cut:].index("- {")
    spoiled = text[: cut + row] + "- {id: 4711, " + text[cut + row + 3 :].split(",", 1)[1].lstrip()
    project.write("scenarios/dml/insert-update-delete.yaml", spoiled)
    done = project.outside("--update-golden", "scenarios")
    done.stdout.fnmatch_lines(["*expect.tables does not hold*"])
    assert done.parseoutcomes()["errors"] >= 1
    assert "tabels at" in (project.path / name).read_text(encoding="utf-8")


def test_only_collecting_writes_nothing(project: Project) -> None:
    """`--collect-only` stays without effect."""
    project.scenarios("dml/no-net-change")
    project.edit(GOLDEN, "tables at", "tabels at")
    project.inside("--update-golden", "--collect-only", "scenarios")
    assert "tabels at" in (project.path / GOLDEN).read_text(encoding="utf-8")

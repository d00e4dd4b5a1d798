"""What the self-test looks at after a run: each check sees what it is about."""

from __future__ import annotations

import random
import signal
import sys
from pathlib import Path

import psutil
import pytest

from harness.process import spawn
from harness.selftest import checks
from harness.selftest.checks import Ended, problems
from harness.selftest.faults import FAULTS, RIGHT
from harness.selftest.trial import OLDER, Run, Trial

PRELUDE = """
import os, subprocess, sys, time
from pathlib import Path
run = Path(".harness/runs/a1")
run.mkdir(parents=True)
def events(*lines): run.joinpath("events.ndjson").write_text("".join(lines))
START = '{"event": "run-started"}\\n'
END = '{"event": "run-finished"}\\n'
BLAMED = '{"event": "case-finished", "case": "x", "verdict": {"judgement": "timeout"}}\\n'
events(START, END)
Path("report.html").write_text("<html></html>")
Path("report.xml").write_text("<testsuites/>")
while not Path("go").exists(): time.sleep(0.01)  # its guardian is looked up while it runs
"""
# What a run may do wrong, and what is said of it.
WRONG = {
    "nothing": ("", ""),
    "an exit code": ("sys.exit(1)", "exit 1 in place of one of 0"),
    "a defect": ("sys.exit('a defect of the harness')", "it says 'a defect of the harness'"),
    "a traceback": ("raise ValueError", "it says 'Traceback (most recent call last)'"),
    "a cut page": ("Path('report.html').write_text('<html>')", "report.html is not whole: 6"),
    "an empty page": ("Path('report.html').write_text('')", "report.html is not whole: 0"),
    "cut JUnit": ("Path('report.xml').write_text('<testsuites>')", "report.xml is not whole: 12"),
    "a part": ("Path('.report.html.7.part').touch()", ".report.html.7.part is left"),
    "a cut event": ("events(START, '{')", "a1: an event is cut"),
    "a page of half a run": (
        """events(START, '{"event": "run-aborted"}\\n')
Path('report.xml').write_text('<error type="unfinished"/>')""",
        "report.html does not say that the run did not finish",
    ),
    "no last event": ("events(START)", "a1: the last event is run-started"),
    "blame": ("events(START, BLAMED, END)", "a1: x is blamed: timeout"),
    "an orphan": (
        "subprocess.Popen(['sleep', '60'], start_new_session=True)",
        "is left running: sleep",
    ),
    "data": ("run.joinpath('services/kafka/data').mkdir(parents=True)", "kafka/data is left"),
    "no end": ("time.sleep(60)", "it did not end within 2 s"),
}


def ended(directory: Path, code: str, ended_by: int = 0) -> Ended:
    """Run a program in the place of the harness until it is over."""
    trial = Trial(directory, {}, 1, 2, random.Random(1), ended_by=ended_by)
    outputs = [directory / f"{name}.txt" for name in ("stdout", "stderr")]
    for form in ("html", "xml"):
        (directory / f"report.{form}").write_text(OLDER)
    child = spawn(
        [sys.executable, "-c", PRELUDE + code],
        cwd=directory,
        env={},
        stdout=outputs[0],
        stderr=outputs[1],
    )
    guardian = psutil.Process(psutil.Process(child.pid).ppid())
    run = Run(child, guardian, directory, "report", *outputs)
    trial.runs.append(run)
    (directory / "go").touch()
    return Ended(trial, run, trial.ended(run), RIGHT)


@pytest.mark.parametrize("name", WRONG)
def test_each_check_sees_what_it_is_about(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A right run has no problems; one that does something wrong is told just that."""
    monkeypatch.setattr(checks, "LEFT_S", 0.3)
    code, words = WRONG[name]
    one = ended(tmp_path, code)
    found = list(problems(one))
    one.trial.close()
    if not words:
        assert found == []
        return
    assert any(words in problem for problem in found), found
    assert len(found) <= 2  # who says that it is broken ends with another exit code as well


def test_a_killed_run_has_no_last_word(tmp_path: Path) -> None:
    """After SIGKILL an event may be cut and an older report may stay; nothing may be emptied."""
    spoil = "events(START, END[:5]); Path('report.html').write_text({!r}); os.kill(os.getpid(), 9)"
    for text, count in ((OLDER, 0), ("", 1)):
        directory = tmp_path / str(count)
        directory.mkdir()
        one = ended(directory, spoil.format(text), signal.SIGKILL)
        assert len(list(problems(one))) == count
        one.trial.close()


def test_faults_have_names_of_their_own() -> None:
    """Each fault can be asked for by its name, and says what it is."""
    assert len({one.name for one in FAULTS}) == len({one.title for one in FAULTS}) == len(FAULTS)

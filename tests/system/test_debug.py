"""`harness debug` and `harness judge` on real parts, by the guide's own command lines."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.system.sessions import (
    ROOT,
    session,
    start_by_hand,
    until,
    words_of,
    wrong_consumer,
)

pytestmark = pytest.mark.services

LAST = "Enter has it judged"


def test_enter_judges_what_was_started_by_hand(tmp_path: Path) -> None:
    """The printed command reads the filled topics; its mistake is a finding, and nothing stays."""
    wrong_consumer(tmp_path)
    with session(words_of("debug"), tmp_path) as (process, output):
        shown = until(output, LAST)
        started = psutil.Process(process.pid).children(recursive=True)
        assert started
        start_by_hand(shown)
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        verdict = output.read()
        assert process.wait(60) == 1, shown + verdict
    assert "FAIL keys.text-keys[open,p1]" in verdict
    assert "deletes are ignored" in verdict
    assert not [one for one in started if one.is_running()]


def test_another_terminal_asks_for_the_verdict(tmp_path: Path) -> None:
    """`harness judge RUN` prints the same verdict with its exit code; later nobody waits."""
    consumer, right = wrong_consumer(tmp_path)
    consumer.write_text(right, encoding="utf-8")
    with session(words_of("debug"), tmp_path) as (process, output):
        shown = until(output, LAST)
        start_by_hand(shown)
        (run,) = re.findall(r"harness judge (\w+)", shown)
        words = [sys.executable, "-m", "harness", "judge", run]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}

        def judged() -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                words,
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                timeout=100,
                check=False,
            )

        asked = judged()
        assert asked.returncode == 0, asked.stderr
        assert "PASS keys.text-keys[open,p1]" in asked.stdout
        assert "PASS keys.text-keys[open,p1]" in output.read()
        assert process.wait(60) == 0
        late = judged()
    assert late.returncode == 2
    assert f"no `harness debug` waits for a verdict on run '{run}' here" in late.stderr

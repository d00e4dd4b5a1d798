"""`harness selftest`, on this machine: some faults are survived, and one of our own is seen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

pytestmark = pytest.mark.services

ROOT = Path(__file__).resolve().parents[2]


def selftest(here: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a directory of its own."""
    return subprocess.run(
        [sys.executable, "-m", "harness", "selftest", *words],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_drawn_faults_are_survived(tmp_path: Path) -> None:
    """A broker that is killed or halted, and an ended run: each is done, and survived."""
    names = ("broker-killed", "guardian-halted", "run-sigkill", "open-files")
    done = selftest(
        tmp_path, "--minutes", "0.6", "--seed", "3", "--json", *(f"--fault={one}" for one in names)
    )
    assert done.returncode == 0, done.stderr
    answer = orjson.loads(done.stdout)
    assert answer["survived"] == answer["tried"] >= 1
    assert {one["fault"] for one in answer["trials"]} <= set(names)
    assert not list((tmp_path / ".harness/selftest").iterdir())


def test_an_unknown_fault_is_refused(tmp_path: Path) -> None:
    """The list names them all, and nothing starts for another."""
    done = selftest(tmp_path, "--fault", "earthquake")
    assert done.returncode == 2
    assert "there is no fault 'earthquake'" in done.stderr
    listed = selftest(tmp_path, "--list").stdout.splitlines()
    assert any(line.startswith("broker-killed ") for line in listed)

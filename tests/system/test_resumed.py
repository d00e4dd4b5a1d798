"""After a kill the broker shows whether a consumer's state survived; its tables do not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

pytestmark = pytest.mark.services

ROOT = Path(__file__).resolve().parents[2]
KILLED = "restart.killed-while-rows-wait[open,p1,once]"
STATEFUL = """
import sys
from harness.mutants.checkpointing import Checkpointing
from harness.reference_consumer import __main__ as consumer
consumer.Consumer = Checkpointing
sys.exit(consumer.main())
"""
TARGETS = {"read-again": "reference", "resumed": f"exec:{sys.executable} ./stateful.py"}


@pytest.mark.parametrize("resumed", TARGETS)
def test_what_is_read_again_after_a_kill_is_seen(tmp_path: Path, resumed: str) -> None:
    """Two right consumers, one with state and one without, pass alike and are told apart."""
    (tmp_path / "stateful.py").write_text(STATEFUL, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "harness", "certify", TARGETS[resumed], "-k", KILLED, "--json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (case,) = orjson.loads(done.stdout)["cases"]
    assert case["resumed"] == resumed
    assert _certificate(tmp_path).count("after a kill") == 1


def _certificate(here: Path) -> str:
    (events,) = here.glob(".harness/runs/*/events.ndjson")
    words: list[Any] = ["report", events, "--certificate", "c.md", "--filtered"]
    subprocess.run([sys.executable, "-m", "harness", *map(str, words)], cwd=here, check=True)
    return (here / "c.md").read_text(encoding="utf-8")

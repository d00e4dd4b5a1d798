"""Promises of what runs a command to measure it: it gives reasons, and makes no figure up."""

from __future__ import annotations

import sys

import pytest

from harness.bench.command import watched
from harness.errors import SetupError

SLEEPS = [sys.executable, "-c", "import time; time.sleep(0.3)"]


def test_a_command_that_fails_gives_its_reason() -> None:
    """What it said last is the hint."""
    with pytest.raises(SetupError, match="ended with 1") as found:
        watched([sys.executable, "-c", "raise KeyError('why')"], {})
    assert "KeyError: 'why'" in (found.value.hint or "")


def test_memory_of_a_role_that_nobody_had_is_no_figure() -> None:
    """The memory of a child process is measured; that of none is an error."""
    child = f"import subprocess; subprocess.run({SLEEPS!r})"
    ran = watched([sys.executable, "-c", child], {"child": "import time"})
    assert ran.peak_mb["child"] > 1
    with pytest.raises(SetupError, match=r"no process of .* had `pyspark\.none`"):
        watched(SLEEPS, {"python": "pyspark.none"})

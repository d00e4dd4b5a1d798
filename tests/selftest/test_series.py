"""What a self-test measures of itself: a leak of handles, memory or processes shows."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack

from harness.selftest.series import sampled

EVERY_S = 0.3
BALLAST = 64 << 20


def test_what_is_kept_shows_in_the_last_sample() -> None:
    """Handles and memory that are still held are in it, and samples come in between."""
    with ExitStack() as stack:
        with sampled(EVERY_S, 0.05) as samples:
            for _ in range(20):
                stack.enter_context(tempfile.TemporaryFile())
            ballast = bytearray(b"x" * BALLAST)
            time.sleep(3 * EVERY_S)
        assert len(ballast) == BALLAST
    first, *_, last = samples
    assert len(samples) >= 4
    assert last.own_handles == first.own_handles + 20
    assert last.own_mb > first.own_mb + 32


def test_what_trials_had_and_left_is_kept_apart() -> None:
    """A process that ends within a sample is counted at its most, and is not left."""
    sleeping = [sys.executable, "-c", "import time; time.sleep(60)"]
    with sampled(600, 0.05) as samples:
        time.sleep(0.3)
        with subprocess.Popen(sleeping) as ended:
            time.sleep(0.3)
            ended.kill()
    others = samples[0].left  # a worker of the suite may have children of other tests
    assert (samples[-1].trials_processes, samples[-1].left) == (others + 1, others)
    assert samples[-1].trials_handles > 0
    with subprocess.Popen(sleeping) as left:
        with sampled(600, 0.05) as samples:
            time.sleep(0.3)
        left.kill()
    assert [one.left for one in samples] == [others + 1, others + 1]

"""`harness watch` on real parts, by the guide's own command line."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

from tests.system.sessions import session, until, words_of, wrong_consumer

pytestmark = pytest.mark.services


def test_a_repaired_consumer_is_seen_to_pass(tmp_path: Path) -> None:
    """A wrong consumer fails, a save that repairs it runs those cases alone, and they pass."""
    consumer, right = wrong_consumer(tmp_path)
    with session(words_of("watch"), tmp_path) as (process, output):
        first = until(output, "waiting")
        failed = re.findall(r"^FAIL (\S+)", first, re.MULTILINE)
        assert failed, first
        consumer.write_text(right, encoding="utf-8")
        second = until(output, "waiting")
        assert second.startswith("changed: consumer.py\n"), second
        assert "starting kafka" not in second
        assert re.findall(r"^PASS (\S+)", second, re.MULTILINE) == failed
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0, output.read()

"""Promises about what `harness bench spark` reads: every protocol of our own, and its rows."""

from __future__ import annotations

import pytest

from harness.bench.change_log import DATABASE, change_log
from harness.bench.spark.fill import SETTINGS
from harness.engine.plan.streaming import Course, streamed
from harness.protocols import OWN
from harness.sources.source import SourceConfig

EVENTS = 64


@pytest.mark.parametrize("protocol", OWN)
def test_each_protocol_is_measured_with_one_message_a_row(protocol: str) -> None:
    """A protocol that is left out, or whose messages hold several rows, is not compared."""
    course = Course(protocol, SourceConfig(SETTINGS[protocol], (DATABASE,), 1))
    records = list(streamed(course, change_log(EVENTS)))
    rows = [one for one in records if one.key and one.origins[0].kind == "insert"]
    assert len(rows) == EVENTS

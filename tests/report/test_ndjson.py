"""The run as JSON lines: each line is whole, and no number in it is rounded by anyone."""

from __future__ import annotations

import io
import json
from typing import Any

from harness.model.finding import Judgement
from harness.report.ndjson import Ndjson, event_json
from tests.report.samples import HOSTILE, PLACE, case, every_judgement, run


def integers(node: Any) -> list[int]:
    """Return every integer in JSON data."""
    if isinstance(node, dict):
        return [number for value in node.values() for number in integers(value)]
    if isinstance(node, list):
        return [number for value in node for number in integers(value)]
    return [node] if isinstance(node, int) and not isinstance(node, bool) else []


def test_each_event_is_one_line() -> None:
    """Every line parses by itself and names its event, whatever is in the data."""
    events = run(*every_judgement(HOSTILE), consumer=HOSTILE)
    file = io.BytesIO()
    writer = Ndjson(file)
    for number, event in enumerate(events, 1):
        writer.handle(event)
        assert file.getvalue().count(b"\n") == number
    lines = [json.loads(line) for line in file.getvalue().split(b"\n")[:-1]]
    assert lines == [event_json(event) for event in events]
    assert (lines[0]["event"], lines[-1]["event"]) == ("run-started", "run-finished")


def test_big_integers_are_text() -> None:
    """An integer that a double cannot hold is written as text, a smaller one as a number."""
    event = event_json(case("a[open,p1]", Judgement.FAIL))
    (finding,) = event["verdict"]["findings"]
    (place,) = finding["places"]
    assert place["origin"]["commit_ts"] == str(PLACE.origin.commit_ts)
    assert place["origin"]["line"] == PLACE.origin.line
    assert max(integers(event)) <= 2**53

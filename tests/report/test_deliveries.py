"""A delivery's steps side by side: readable on 100 columns, and whole as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from harness.report.deliveries import LEGEND, delivery_json, delivery_lines
from tests.engine.plan.test_case import TEXT, planned

WIDTH = 100
MORE = """\
  merged:
    - interleave: {across: partitions}
      allowed-by: {open: kafka.no-order-across-partitions}
    - timestamps: {order: equal}
      allowed-by: {open: kafka.record-timestamps}
    - headers: {name: who}
      seen-in: https://opentelemetry.io/docs/specs/semconv/messaging/kafka/
"""


def test_lines(tmp_path: Path) -> None:
    """Each step has its line and permission; messages that came again stand on the right."""
    plan = planned(tmp_path)["again"]
    lines = list(delivery_lines(plan))
    assert max(map(len, lines)) <= WIDTH
    assert lines[1].strip() == "document: a document demands it"
    assert lines[2].strip() == LEGEND
    assert "  step 1: replay {from: two}  (line 13)" in lines
    assert "    document: allowed by open.delivery.at-least-once" in lines
    again = [line for line in lines if line[50:53] == " + "]
    assert len(again) == len(plan.delivered) - len(plan.records)
    assert all(line[:50].strip() == "" and line[53:].startswith("@") for line in again)


def test_nothing_moves_within_a_partition(tmp_path: Path) -> None:
    """A merge of partitions shows as the order of sending, what travels beside as a change."""
    plan = planned(tmp_path, TEXT.replace("expect:\n", f"{MORE}expect:\n", 1))["merged"]
    text = "\n".join(delivery_lines(plan))
    merged, stamped, headed = text.split("  step ")[1:]
    assert "as before: ticdc/0, ticdc/1" in merged
    assert "order of sending before: ticdc/0" in merged
    assert "order of sending after:" in merged
    assert stamped.count(" * @") == len(plan.records)
    assert "now with timestamp 1704067200000" in stamped
    assert "now with header who, timestamp" in headed
    assert "beyond: nobody promises it, seen in https://opentelemetry.io" in " ".join(
        headed.split()
    )


def test_json(tmp_path: Path) -> None:
    """JSON has every message of every partition with its mark, before and after each step."""
    plan = planned(tmp_path)["again"]
    data = json.loads(json.dumps(delivery_json(plan)))
    assert (data["case"], data["delivery"]) == ("a[open,p2,again]", "again")
    assert [(step["step"], step["fault"], step["line"]) for step in data["steps"]] == [
        *((1, "replay", 13), (2, "duplicate", 15))
    ]
    last = data["steps"][-1]
    after = [
        message["after"]
        for partition in last["partitions"]
        for message in partition["messages"]
        if message["after"] is not None
    ]
    assert len(after) == len(plan.delivered) == len(last["order"]["after"])
    marks = {m["mark"] for p in last["partitions"] for m in p["messages"]}
    assert marks == {"kept", "copied"}
    assert last["allowed_by"] == {"open": "open.delivery.at-least-once"}

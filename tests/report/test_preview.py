"""A preview shows what each partition will carry, decoded, with the lines that it comes from."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from harness.engine.catalogue.golden import records_text
from harness.engine.catalogue.record_text import ReadableRecord, digest, record_json
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.record import Record, SchemaUse
from harness.report.preview import preview_json, preview_lines
from harness.verdict.text import event_text
from tests.engine.plan.test_case import TEXT, planned


def test_lines(tmp_path: Path) -> None:
    """The delivered records are shown by partition with offset, ts, event, line and transaction."""
    plan = planned(tmp_path)["again"]
    title, standing, *lines = preview_lines(plan)
    assert title == "a[open,p2,again]  A case"
    assert standing == "  document: a document demands it"
    assert lines[1].startswith("ticdc/0@0 sha256=")
    create = "ddl 3: CREATE TABLE `t` (`id` INT PRIMARY KEY,`v` INT)  (line 8)"
    assert lines[2] == f"  read   415508856908021766 {create}"
    assert sum(" sha256=" in line for line in lines) == len(plan.delivered)
    assert any(line.endswith("delete shop.t {id: 1, v: 1} rid 1  (line 10, two)") for line in lines)
    assert any(line.endswith(" resolved  (line 8)") for line in lines)


def test_what_is_done_to_the_run_comes_first(tmp_path: Path) -> None:
    """Faults of a run are sentences in lines and JSON, with the messages that come before them."""
    variant = """\
  harmed:
    - kill: {after-records: 2, resume: false}
      allowed-by: {open: kafka.at-least-once}
    - broker-restart: {after: one}
      allowed-by: {open: kafka.brokers-fail}
expect:
"""
    plan = planned(tmp_path, TEXT.replace("expect:\n", variant, 1))["harmed"]
    _, _, killed, restarted, *_ = preview_lines(plan)
    second = plan.delivered[1]
    assert killed.strip() == (
        "from the start: the consumer is killed (SIGKILL) once it has read 2 messages, and does "
        "not start again; the last of them is "
        f"{second.topic}/{second.partition}, line {second.origins[0].line}"
    )
    said, _, restart = restarted.strip().partition(": ")
    assert restart == "the broker stops and starts again with its data"
    behind = preview_json(plan)["actions"][1]
    assert behind["action"] == restart
    assert said == f"after {behind['behind']} messages"
    assert 0 < behind["behind"] < len(plan.delivered)


def test_a_preview_and_a_golden_print_the_same(tmp_path: Path) -> None:
    """Of a case that is delivered as it was sent the two differ in the scenario's lines alone."""
    plan = planned(tmp_path)[None]
    shown = [line.partition("  (line ")[0] for line in preview_lines(plan)]
    assert sorted(shown[2:]) == sorted(records_text(plan).splitlines()[1:])


def test_bytes_on_demand(tmp_path: Path) -> None:
    """With bytes each record shows its key and value in hexadecimal."""
    plan = planned(tmp_path)[None]
    text = "\n".join(preview_lines(plan, show_bytes=True))
    for record in plan.delivered:
        assert record.key is not None
        assert f"key hex   {record.key.hex()}" in text
    assert "key hex" not in "\n".join(preview_lines(plan))


def test_json(tmp_path: Path) -> None:
    """The same as JSON data, with timestamps as text."""
    plan = planned(tmp_path)[None]
    data = json.loads(json.dumps(preview_json(plan, show_bytes=True)))
    assert data["case"] == "a[open,p2]"
    assert [part["partition"] for part in data["partitions"]] == [0, 1]
    records = [record for part in data["partitions"] for record in part["records"]]
    assert len(records) == len(plan.delivered)
    assert records[0]["events"][0] == {
        "kind": "ddl",
        "commit_ts": "415508856908021766",
        "row_id": None,
        "read": "ddl 3: CREATE TABLE `t` (`id` INT PRIMARY KEY,`v` INT)",
        "key": '{"ts":415508856908021766,"scm":"shop","tbl":"t","t":2}',
        "value": '{"q":"CREATE TABLE `t` (`id` INT PRIMARY KEY,`v` INT)","t":3}',
        "line": 8,
    }
    first = next(record for record in plan.delivered if record.partition == 0)
    assert first.value is not None
    assert records[0]["value_hex"] == first.value.hex()
    assert records[0]["sha256"] == digest(first)
    assert "value_hex" not in preview_json(plan)["partitions"][0]["records"][0]


def test_json_shows_the_envelope() -> None:
    """Headers, timestamp and schemas are there, each header's value as text and as bytes."""
    use = SchemaUse("t-value", "{}", 2)
    sent = Record(
        "t", 0, None, b"x", (), (("a", b"1"), ("b", b"\xff"), ("c", None)), value_schema=use
    )
    row = record_json(ReadableRecord(replace(sent, timestamp=2**60), 3, (), "no"))
    assert row["headers"] == [
        {"name": "a", "value": "'1'", "hex": "31"},
        {"name": "b", "value": "x'ff'", "hex": "ff"},
        {"name": "c", "value": "NULL", "hex": None},
    ]
    assert (row["timestamp"], row["key_schema"]) == (str(2**60), None)
    assert row["value_schema"] == {"id": 2, "subject": "t-value", "schema": "{}"}
    assert row["unreadable"] == "no"


def test_update_shows_both_rows() -> None:
    """An update shows the old row and the new one, values with their kinds."""
    event = DecodedEvent(
        EventKind.UPDATE, 1, "shop", "t", before={"v": "1", "b": None}, after={"v": 1, "b": b"\xff"}
    )
    assert event_text(event) == "update shop.t {v: '1', b: NULL} → {v: 1, b: x'ff'}"


def test_a_row_id_is_shown() -> None:
    """Where the wire carries a row id, the event's line has it."""
    event = DecodedEvent(EventKind.DELETE, 1, "shop", "t", before={"v": 1}, row_id=7)
    assert event_text(event) == "delete shop.t {v: 1} rid 7"


def test_ddl_is_one_line() -> None:
    """A statement that was written over several lines is shown on one."""
    event = DecodedEvent(EventKind.DDL, 1, type=3, query="CREATE TABLE t (\r\n id INT)")
    assert event_text(event) == "ddl 3: CREATE TABLE t (\\r\\n id INT)"

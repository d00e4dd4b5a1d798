"""A preview shows what each partition will carry, decoded, with the lines that it comes from."""

from __future__ import annotations

import json
from pathlib import Path

from harness.model.decoded import DecodedEvent, EventKind
from harness.report.preview import preview_json, preview_lines
from harness.verdict.text import event_text
from tests.engine.plan.test_case import planned


def test_lines(tmp_path: Path) -> None:
    """The delivered records are shown by partition with offset, ts, event, line and transaction."""
    plan = planned(tmp_path)["again"]
    title, *lines = preview_lines(plan)
    assert title == "a[open,p2,again]  A case"
    assert lines[0].strip() == "ticdc/0"
    create = "ddl 3: CREATE TABLE `t` (`id` INT PRIMARY KEY,`v` INT)  (line 8)"
    assert lines[1].split(maxsplit=2) == ["@0", "415508856908021766", create]
    assert "  ticdc/1" in lines
    assert sum("@" in line for line in lines) == len(plan.delivered)
    assert any(line.endswith("delete shop.t {id: 1, v: 1}  (line 10, two)") for line in lines)
    assert any(line.endswith(" resolved  (line 8)") for line in lines)


def test_bytes_on_demand(tmp_path: Path) -> None:
    """With bytes each record shows its key and value in hexadecimal."""
    plan = planned(tmp_path)[None]
    text = "\n".join(preview_lines(plan, show_bytes=True))
    for record in plan.delivered:
        assert record.key is not None
        assert f"key   {record.key.hex()}" in text
    assert "key   " not in "\n".join(preview_lines(plan))


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
        "key": '{"ts":415508856908021766,"scm":"shop","tbl":"t","t":2}',
        "value": '{"q":"CREATE TABLE `t` (`id` INT PRIMARY KEY,`v` INT)","t":3}',
        "line": 8,
    }
    first = next(record for record in plan.delivered if record.partition == 0)
    assert first.value is not None
    assert records[0]["value_hex"] == first.value.hex()
    assert "value_hex" not in preview_json(plan)["partitions"][0]["records"][0]


def test_update_shows_both_rows() -> None:
    """An update shows the old row and the new one, values with their kinds."""
    event = DecodedEvent(
        EventKind.UPDATE, 1, "shop", "t", before={"v": "1", "b": None}, after={"v": 1, "b": b"\xff"}
    )
    assert event_text(event) == "update shop.t {v: '1', b: NULL} → {v: 1, b: x'ff'}"

"""The contract's page and the contract's schemas say the same."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from harness.documents.typed import schema
from harness.protocols import PROTOCOLS
from harness.runner.contract import schemas
from harness.runner.contract.job_file import JobFile
from harness.runner.contract.reading import DEFAULT_LIMITS
from harness.runner.contract.result_files import (
    DdlLine,
    DeadLetterLine,
    DecodedLine,
    EventLine,
    RecordLine,
    Status,
)
from harness.runner.output import HEAD_BYTES, TAIL_BYTES
from harness.runner.run import PASSED_ON, RunPlan

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/reference/consumer-contract.md").read_text("utf-8")
BLOCKS = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
NAMED = (JobFile, RecordLine, DecodedLine, EventLine, DdlLine, DeadLetterLine, Status)
INLINE = [word for word in re.findall(r"`(\{[^`]*\})`", PAGE) if word.startswith('{"status"')]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *zip(NAMED, BLOCKS, strict=True),
        *[(Status, text) for text in INLINE],
    ],
)
def test_every_example_on_the_page_is_valid(kind: type[Any], text: str) -> None:
    """A reader who copies an example has a valid document."""
    assert schemas.problem(kind, json.loads(text)) == ""


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_each_protocol_has_a_whole_job(protocol: str) -> None:
    """The page leads to a valid job.json of each protocol, of that protocol alone."""
    assert f"(jobs/{protocol}.json)" in PAGE
    text = (ROOT / "docs/reference/jobs" / f"{protocol}.json").read_text("utf-8")
    document = json.loads(text)
    assert schemas.problem(JobFile, document) == ""
    assert {feed["protocol"] for feed in document["changefeeds"]} == {protocol}


def test_every_status_is_shown() -> None:
    """No status that the schema knows is missing from the page."""
    known = schema(Status)["properties"]["status"]["enum"]
    assert [json.loads(text)["status"] for text in INLINE] == known


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        pair
        for pair in zip(NAMED, BLOCKS, strict=True)
        if pair[0] in {RecordLine, EventLine, DdlLine, DeadLetterLine}
    ],
)
def test_every_key_is_shown(kind: type[Any], text: str) -> None:
    """The examples use every key that their schema names."""
    properties: dict[str, Any] = schema(kind)["properties"]
    assert json.loads(text).keys() == properties.keys()


def test_numbers_on_the_page_are_the_codes() -> None:
    """Bounds, grace and environment are written as they are enforced."""
    assert HEAD_BYTES == TAIL_BYTES == 256 << 10
    assert "the first and the last 256 KiB" in PAGE
    limits = DEFAULT_LIMITS
    assert (limits.changefeed, limits.line, limits.document) == (256 << 20, 16 << 20, 1 << 20)
    assert "answer may have 256 MiB, a line 16 MiB, a `.json` file 1 MiB" in PAGE
    assert RunPlan.__dataclass_fields__["grace_s"].default == 5.0
    assert "(SIGTERM, 5 s, SIGKILL)" in PAGE
    assert all(f"`{name}`" in PAGE for name in (*PASSED_ON, "TZ", "TMPDIR", "HARNESS_JOB"))

"""Promises of reading job.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cdc_spark.conformance import job as jobs
from cdc_spark.conformance import source
from cdc_spark.conformance.job import ENDLESS, LARGE, Job
from cdc_spark.errors import UsageError


def document(**changefeed: Any) -> dict[str, Any]:
    """Return a job with one changefeed, which differs from a plain one as told."""
    topic = {"name": "x", "canonical": "ticdc", "role": "data", "partitions": 2}
    topic |= {"start_offsets": [0, 4], "end_offsets": [3, 4]}
    plain = {"id": "a", "dir": "0", "protocol": "open", "dialect": "current"}
    plain |= {"complete": "at-or-below", "settings": {}, "topics": [topic], "tables": []}
    kafka = {"group_id": "g", "java": {"bootstrap.servers": "h:1"}, "librdkafka": {}}
    return {
        "contract": 1,
        "mode": "bounded",
        "deadline_s": 60,
        "work_dir": "w",
        "out_dir": "o",
        "kafka": kafka,
        "registry": None,
        "changefeeds": [{**plain, **changefeed}],
    }


def load(tmp_path: Path, content: Any) -> Job:
    """Write a job and read it back."""
    path = tmp_path / "job.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return jobs.load(str(path))


def test_a_job_is_read(tmp_path: Path) -> None:
    """Paths, properties and offsets arrive as they were written."""
    job = load(tmp_path, document())
    (feed,) = job.changefeeds
    assert (feed.directory, feed.inclusive, feed.needs) == (Path("o/0"), True, "")
    assert job.kafka == {"bootstrap.servers": "h:1"}


def test_keys_that_are_unknown_are_ignored(tmp_path: Path) -> None:
    """The contract may grow within its version."""
    assert load(tmp_path, {**document(), "later": 1})


def test_partitions_with_nothing_to_read_are_not_read(tmp_path: Path) -> None:
    """Only partitions whose end is beyond their start are assigned."""
    assert source.offsets(load(tmp_path, document())) == {"x": {"0": 0}}


def test_unread_partitions_are_reported_by_changefeed(tmp_path: Path) -> None:
    """What was not reached is named with both offsets; what was reached is not."""
    job = load(tmp_path, document())
    (message,) = source.unread(job, {"x": {"0": 2}}).values()
    assert message == (
        "nothing could be read from here to the end, 3 (topic x, partition 0, offset 2)"
    )
    assert source.unread(job, {"x": {"0": 3}}) == {}


@pytest.mark.parametrize(
    ("change", "needs"),
    [
        ({"protocol": "canal"}, "protocol:canal"),
        ({"dialect": "5.0"}, "dialect:5.0"),
        ({"settings": {LARGE: "claim-check"}}, "large-message-handle:claim-check"),
        ({"settings": {LARGE: "handle-key-only"}}, "large-message-handle:handle-key-only"),
    ],
)
def test_what_we_lack_is_named(tmp_path: Path, change: dict[str, Any], needs: str) -> None:
    """Another protocol or dialect makes a changefeed not applicable; it is not read."""
    job = load(tmp_path, document(**change))
    assert job.changefeeds[0].needs == needs
    assert source.offsets(job) == {}


def test_another_mode_is_not_applicable(tmp_path: Path) -> None:
    """What is to be done then is nobody's guess."""
    job = load(tmp_path, {**document(), "mode": "replay"})
    assert job.changefeeds[0].needs == "mode:replay"


def test_level_decode_names_files(tmp_path: Path) -> None:
    """Its messages and schemas are in files, and there is neither Kafka nor a registry."""
    asked = document(records="/in/records.jsonl", schemas=None)
    job = load(tmp_path, {**asked, "mode": "decode", "kafka": None, "registry": None})
    assert job.decoding
    (feed,) = job.changefeeds
    assert (feed.needs, feed.records, feed.schemas) == ("", "/in/records.jsonl", "")


UNEVEN = {"name": "x", "partitions": 2, "start_offsets": [0], "end_offsets": [1, 1]}


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", {**document(), "contract": 2}, document(topics=[UNEVEN])],
)
def test_what_is_no_job_is_a_usage_error(tmp_path: Path, content: Any) -> None:
    """A file that is not a job of this version is refused in a sentence."""
    with pytest.raises(UsageError, match="is not a job"):
        load(tmp_path, content)


def test_a_missing_job_is_a_usage_error(tmp_path: Path) -> None:
    """No variable and no file are told apart."""
    with pytest.raises(UsageError, match="HARNESS_JOB is not set"):
        jobs.load("")
    with pytest.raises(UsageError, match="cannot be read"):
        jobs.load(str(tmp_path / "none.json"))


def test_streaming_has_no_end(tmp_path: Path) -> None:
    """In the mode streaming the end offsets are where topics were, not where reading stops."""
    job = load(tmp_path, {**document(), "mode": "streaming"})
    assert job.streaming
    assert not job.changefeeds[0].needs
    ends = {end for topic in job.changefeeds[0].topics for end in topic.end_offsets}
    assert ends == {ENDLESS}

"""The job: `job.json` as the consumer contract, version 1, defines it.

What is asked and cannot be answered (another protocol, dialect or mode) is known here, so that
its changefeed gets the status `not-applicable` and no other work.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cdc_spark.decoding import DEAD_LETTER, FAIL, POLICIES
from cdc_spark.errors import UsageError
from cdc_spark.protocols import DIALECTS

CONTRACT = 1
# What becomes of rows that are too large for a message: elsewhere is not where we read.
LARGE = "sink.kafka-config.large-message-handle.large-message-handle-option"
BOUNDED, STREAMING, DECODE = "bounded", "streaming", "decode"
# Where a partition ends that has no end: streaming reads on until SIGTERM.
ENDLESS = 2**63 - 1


@dataclass(frozen=True, slots=True)
class TopicJob:
    """One topic with its offsets by partition: the first to read, and the one to stop before.

    `canonical` is its name in production, "" when the job does not say.
    """

    name: str
    start_offsets: tuple[int, ...]
    end_offsets: tuple[int, ...]
    canonical: str = ""
    role: str = "data"

    @property
    def ranges(self) -> Sequence[tuple[int, int]]:
        """Return first and last offset of each partition."""
        return list(zip(self.start_offsets, self.end_offsets, strict=True))


@dataclass(frozen=True, slots=True)
class ChangefeedJob:
    """One stream to consume.

    `needs` names the capability that it would take and that we lack, "" when we have them all.
    `tables` are the tables at the start offsets, as job.json has them. `by_record`: no resolved
    event says that a time is over, and no DDL what a table is; `inclusive` then means nothing. At
    level decode `records` is the file of its messages, and `schemas` that of what they name, "" for
    none.
    """

    id: str
    directory: Path
    dialect: str
    inclusive: bool
    topics: tuple[TopicJob, ...]
    tables: tuple[Mapping[str, Any], ...]
    needs: str
    protocol: str = "open"
    by_record: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    records: str = ""
    schemas: str = ""


@dataclass(frozen=True, slots=True)
class Registry:
    """Where schemas are read: its address, and properties by Confluent's names."""

    url: str
    properties: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that one start of the consumer is asked.

    `kafka` are the client's properties by Java's names, `librdkafka` the same by librdkafka's.

    `lenient`: poison messages are set aside instead of ending their changefeed. `streaming`: topics
    have no end, and SIGTERM ends the run. `decoding`: messages are in files, and what each says is
    the result.
    """

    work_dir: Path
    out_dir: Path
    deadline_s: float
    group_id: str
    kafka: Mapping[str, str]
    changefeeds: tuple[ChangefeedJob, ...]
    registry: Registry | None = None
    lenient: bool = False
    streaming: bool = False
    decoding: bool = False
    librdkafka: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def checkpoint(self) -> Path:
        """Return the directory of the query's checkpoint."""
        return self.work_dir / "checkpoint"


def load(path: str, poison: str = FAIL) -> Job:
    """Read a job from its file; raises UsageError when that is no job of version 1.

    `poison` says what becomes of messages that cannot be read: `fail` or `dead_letter`.
    """
    if poison not in POLICIES:
        raise UsageError(f"poison {poison!r}", expected=f"one of {', '.join(POLICIES)}")
    if not path:
        raise UsageError(
            "HARNESS_JOB is not set", hint="it holds the path of job.json (the consumer contract)"
        )
    try:
        document: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
        return replace(_job(document), lenient=poison == DEAD_LETTER)
    except OSError as error:
        raise UsageError(
            f"the job cannot be read: {error}", hint="HARNESS_JOB holds the path of job.json"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{path} is not a job: {type(error).__name__}: {error}",
            expected=f"a job.json of contract version {CONTRACT}",
        ) from error


def _job(document: Mapping[str, Any]) -> Job:
    if document["contract"] != CONTRACT:
        raise ValueError(f"contract version {document['contract']!r}")
    out_dir = Path(document["out_dir"])
    mode = document["mode"]
    registry = document["registry"]
    # Without Kafka there are files; in another mode each changefeed says what it needs.
    kafka: Mapping[str, Any] = document["kafka"] or {"group_id": "", "java": {}}
    return Job(
        work_dir=Path(document["work_dir"]),
        out_dir=out_dir,
        deadline_s=float(document["deadline_s"]),
        group_id=kafka["group_id"],
        kafka=dict(kafka["java"]),
        librdkafka=dict(kafka.get("librdkafka", {})),
        changefeeds=tuple(_changefeed(feed, out_dir, mode) for feed in document["changefeeds"]),
        registry=registry and Registry(registry["url"], dict(registry["properties"])),
        streaming=mode == STREAMING,
        decoding=mode == DECODE,
    )


def changefeed_of(feed: Mapping[str, Any]) -> ChangefeedJob:
    """Return a changefeed of a bounded job whose messages are in memory."""
    return _changefeed({**feed, "dir": ""}, Path(), BOUNDED)


def _changefeed(feed: Mapping[str, Any], out_dir: Path, mode: str) -> ChangefeedJob:
    return ChangefeedJob(
        id=feed["id"],
        directory=out_dir / feed["dir"],
        dialect=feed["dialect"],
        inclusive=feed["complete"] == "at-or-below",
        topics=tuple(_topic(topic, endless=mode == STREAMING) for topic in feed["topics"]),
        tables=tuple(feed["tables"]),
        needs=_needs(mode, feed["protocol"], feed["dialect"], feed["settings"]),
        protocol=feed["protocol"],
        by_record=feed["complete"] is None,
        settings=dict(feed["settings"]),
        records=feed["records"] if mode == DECODE else "",
        schemas=(feed["schemas"] or "") if mode == DECODE else "",
    )


def _topic(topic: Mapping[str, Any], *, endless: bool) -> TopicJob:
    starts, ends = tuple(topic["start_offsets"]), tuple(topic["end_offsets"])
    if not len(starts) == len(ends) == topic["partitions"]:
        raise ValueError(f"the offsets of {topic['name']!r} do not fit its partitions")
    if endless:
        ends = (ENDLESS,) * len(starts)
    return TopicJob(topic["name"], starts, ends, topic["canonical"], topic["role"])


def _needs(mode: str, protocol: str, dialect: str, settings: Mapping[str, Any]) -> str:
    large = settings.get(LARGE, "none")
    if large != "none":
        return f"large-message-handle:{large}"
    if mode not in (BOUNDED, STREAMING, DECODE):
        return f"mode:{mode}"
    if protocol not in DIALECTS:
        return f"protocol:{protocol}"
    return "" if dialect in DIALECTS[protocol] else f"dialect:{dialect}"

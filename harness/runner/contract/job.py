"""The question that a consumer is asked: `job.json`, whose types are its schema.

No job leaves this module that its own schema refuses. Whatever is wrong with a job is wrong with
us, so it is a `HarnessBug`, never a finding.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from harness.errors import HarnessBug
from harness.model.columns import Column, Default
from harness.model.table import Table
from harness.model.values import Row, Value
from harness.runner.contract import schemas
from harness.runner.contract.decoding import Given
from harness.runner.contract.job_file import (
    ChangefeedFile,
    ColumnJob,
    Complete,
    DefaultJob,
    JobFile,
    KafkaJob,
    Mode,
    RegistryJob,
    SinkJob,
    TableJob,
    TopicJob,
)

CONTRACT_VERSION: Literal[1] = 1
SAFE_INTEGER = 2**53 - 1  # JSON numbers beyond are rounded by most languages' parsers (RFC 8259 §6)
NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ChangefeedJob:
    """One stream to consume: `id` names the case, `dir` its result directory.

    A consumer does not know the case: `alias` is its id in job.json, where there is one.
    `databases` has the database of the sink for each schema of the upstream, if there is a sink.
    """

    id: str
    dir: str
    protocol: str
    topics: tuple[TopicJob, ...]
    dialect: str = "current"
    complete: Complete | None = Complete.AT_OR_BELOW
    settings: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    tables: tuple[TableJob, ...] = ()
    large_messages: Path | None = None
    databases: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    given: Given | None = None
    alias: str = ""

    @property
    def seen_as(self) -> str:
        """Return the id that is in job.json."""
        return self.alias or self.id

    def to_file(self, inputs: Path) -> ChangefeedFile:
        """Return the changefeed as in job.json; its files are in a directory of `inputs`."""
        large, given = self.large_messages, self.given
        records, schemas = (UNSET, UNSET) if given is None else given.paths(inputs / self.dir)
        return ChangefeedFile(
            id=self.seen_as,
            dir=self.dir,
            protocol=self.protocol,
            dialect=self.dialect,
            complete=self.complete,
            settings=dict(self.settings),
            topics=self.topics,
            tables=self.tables,
            large_messages=UNSET if large is None else str(large),
            databases=dict(self.databases) or UNSET,
            records=records,
            schemas=schemas,
        )


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that one start of a consumer is given; directories are absolute."""

    work_dir: Path
    out_dir: Path
    kafka: KafkaJob | None
    changefeeds: tuple[ChangefeedJob, ...]
    deadline_s: float
    registry: RegistryJob | None = None
    mode: Mode = Mode.BOUNDED
    sink: SinkJob | None = None

    @property
    def inputs(self) -> Path:
        """Return the directory that holds what changefeeds are given in files."""
        return self.work_dir / "in"

    def to_json(self) -> dict[str, Any]:
        """Return job.json's document; raises HarnessBug when it breaks the contract's schema."""
        file = JobFile(
            contract=CONTRACT_VERSION,
            mode=self.mode,
            deadline_s=self.deadline_s,
            work_dir=str(self.work_dir),
            out_dir=str(self.out_dir),
            kafka=self.kafka,
            registry=self.registry,
            sink=self.sink,
            changefeeds=tuple(feed.to_file(self.inputs) for feed in self.changefeeds),
        )
        document: dict[str, Any] = json.loads(json.dumps(msgspec.to_builtins(file)))  # no tuples
        problem = schemas.problem(JobFile, document) or self._inconsistency()
        if problem:
            raise HarnessBug(f"job.json breaks its own contract: {problem}")
        return document

    def _inconsistency(self) -> str:
        """Say what no schema can: names that are not unique, offsets that do not fit."""
        topics = [topic for changefeed in self.changefeeds for topic in changefeed.topics]
        given = [changefeed.given is not None for changefeed in self.changefeeds]
        if self.mode is Mode.DECODE and (self.kafka is not None or not all(given)):
            return "in mode decode there is no Kafka, and each changefeed is given its records"
        if self.mode is not Mode.DECODE and (self.kafka is None or any(given)):
            return f"in mode {self.mode} there is Kafka, and no changefeed is given records"
        uniques: dict[str, list[str]] = {
            "changefeed ids": [changefeed.seen_as for changefeed in self.changefeeds],
            "result directories": [changefeed.dir for changefeed in self.changefeeds],
            "topic names": [topic.name for topic in topics if self.mode is not Mode.DECODE],
            "databases": [name for feed in self.changefeeds for name in feed.databases.values()],
        }
        for what, found in uniques.items():
            if len(set(found)) < len(found):
                return f"{what} are not unique: {schemas.clip(str(sorted(found)))}"
        uneven = [topic.name for topic in topics if not _fits(topic)]
        return f"the offsets of {uneven} do not fit together" if uneven else ""


def _fits(topic: TopicJob) -> bool:
    """Return whether every partition has a start offset that is not beyond its end offset."""
    pairs = zip(topic.start_offsets, topic.end_offsets, strict=False)
    even = len(topic.start_offsets) == len(topic.end_offsets)
    return even and all(start <= end for start, end in pairs)


def table_job(table: Table, key: tuple[str, ...] = (), rows: Sequence[Row] = ()) -> TableJob:
    """Return a table as in job.json; virtual generated columns, never sent, are left out.

    `key` holds the identifying columns (empty without any), `rows` whole rows in column order.
    """
    sent = [
        (position, column)
        for position, column in enumerate(table.columns)
        if column.generated is None or column.generated.stored
    ]
    return TableJob(
        table.id.schema,
        table.id.name,
        key,
        tuple(column_job(column) for _, column in sent),
        tuple(
            {column.name: value_json(column, row[position]) for position, column in sent}
            for row in rows
        ),
    )


def column_job(column: Column) -> ColumnJob:
    """Return a column as in job.json."""
    return ColumnJob(
        column.name,
        column.kind,
        column.length,
        column.scale,
        column.unsigned,
        column.nullable,
        column.members,
        _default(column.default),
    )


def _default(default: Default | None) -> DefaultJob | None:
    """Return a DEFAULT clause under the name of its kind; None for none and for NULL."""
    if default is None or default.text is None:
        return None
    if default.is_expression:
        return DefaultJob(expression=default.text)
    return DefaultJob(hex=default.text) if default.is_binary else DefaultJob(literal=default.text)


def value_json(column: Column, value: Value) -> int | float | str | None:
    """Return a canonical value (`harness.model.values`) in the contract's form.

    Integers beyond ±(2^53 - 1) are decimal text, so that no parser rounds them.
    """
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float):
        assert math.isfinite(value), (column.name, value)
        return value
    if isinstance(value, int) and abs(value) > SAFE_INTEGER:
        return str(value)
    return value

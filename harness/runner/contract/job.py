"""The question that a consumer is asked: `job.json`, as frozen dataclasses.

Law: no job leaves this module that its own schema refuses. Whatever is wrong with a job is wrong
with us, so it is a `HarnessBug`, never a finding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from harness.errors import HarnessBug
from harness.model.columns import Column, Default
from harness.model.table import Table
from harness.model.values import Row, Value
from harness.runner.contract import schemas
from harness.runner.contract.decoding import Given

CONTRACT_VERSION = 1
SAFE_INTEGER = 2**53 - 1  # JSON numbers beyond are rounded by most languages' parsers (RFC 8259 §6)
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Mode(StrEnum):
    """How a consumer is to run."""

    BOUNDED = "bounded"
    DECODE = "decode"


class Role(StrEnum):
    """What a topic carries."""

    DATA = "data"
    TRANSACTION = "transaction"


class Complete(StrEnum):
    """What a resolved ts promises about events: commit ts at or below it, or strictly below it."""

    AT_OR_BELOW = "at-or-below"
    BELOW = "below"


@dataclass(frozen=True, slots=True)
class KafkaJob:
    """Client properties under librdkafka's and under Java's names, and the consumer group."""

    group_id: str
    librdkafka: Mapping[str, str]
    java: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return Kafka's part of job.json."""
        return {
            "group_id": self.group_id,
            "librdkafka": dict(self.librdkafka),
            "java": dict(self.java),
        }


@dataclass(frozen=True, slots=True)
class RegistryJob:
    """The schema registry's base URL and what else its clients must be given."""

    url: str
    properties: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class SinkJob:
    """The database server that takes the tables, and an account that owns its databases there."""

    host: str
    port: int
    user: str
    password: str

    def to_json(self) -> dict[str, Any]:
        """Return the sink as in job.json."""
        return {
            "kind": "mysql",
            "host": self.host,
            "port": self.port,
            "user": self.user,
            "password": self.password,
        }


@dataclass(frozen=True, slots=True)
class TopicJob:
    """One topic: its name here, the producer's name for it, and offsets by partition."""

    name: str
    canonical: str
    start_offsets: tuple[int, ...]
    end_offsets: tuple[int, ...]
    role: Role = Role.DATA

    def to_json(self) -> dict[str, Any]:
        """Return the topic as in job.json."""
        return {
            "name": self.name,
            "canonical": self.canonical,
            "role": str(self.role),
            "partitions": len(self.end_offsets),
            "start_offsets": list(self.start_offsets),
            "end_offsets": list(self.end_offsets),
        }


@dataclass(frozen=True, slots=True)
class TableJob:
    """A table that exists at the start offsets.

    `key` holds the identifying columns (empty without any), `rows` whole rows in column order.
    """

    table: Table
    key: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the table as in job.json; virtual generated columns, never sent, are left out."""
        sent = [
            (position, column)
            for position, column in enumerate(self.table.columns)
            if column.generated is None or column.generated.stored
        ]
        return {
            "schema": self.table.id.schema,
            "name": self.table.id.name,
            "key": list(self.key),
            "columns": [column_json(column) for _, column in sent],
            "rows": [
                {column.name: value_json(column, row[position]) for position, column in sent}
                for row in self.rows
            ],
        }


@dataclass(frozen=True, slots=True)
class ChangefeedJob:
    """One stream to consume: `id` names the case, `dir` its result directory.

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

    def to_json(self, inputs: Path) -> dict[str, Any]:
        """Return the changefeed as in job.json; its files are in a directory of `inputs`."""
        told = {} if self.given is None else self.given.to_json(inputs / self.dir)
        sunk = {"databases": dict(self.databases)} if self.databases else {}
        large = {} if self.large_messages is None else {"large_messages": str(self.large_messages)}
        return {
            "id": self.id,
            "dir": self.dir,
            "protocol": self.protocol,
            "dialect": self.dialect,
            "complete": None if self.complete is None else str(self.complete),
            "settings": dict(self.settings),
            "topics": [topic.to_json() for topic in self.topics],
            "tables": [table.to_json() for table in self.tables],
            **large,
            **sunk,
            **told,
        }


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that one start of a consumer is told; directories are absolute."""

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
        document: dict[str, Any] = {
            "contract": CONTRACT_VERSION,
            "mode": str(self.mode),
            "deadline_s": self.deadline_s,
            "work_dir": str(self.work_dir),
            "out_dir": str(self.out_dir),
            "kafka": None if self.kafka is None else self.kafka.to_json(),
            "registry": self.registry
            and {"url": self.registry.url, "properties": dict(self.registry.properties)},
            "sink": None if self.sink is None else self.sink.to_json(),
            "changefeeds": [changefeed.to_json(self.inputs) for changefeed in self.changefeeds],
        }
        problem = schemas.problem("job", document) or self._inconsistency()
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
            "changefeed ids": [changefeed.id for changefeed in self.changefeeds],
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


def column_json(column: Column) -> dict[str, Any]:
    """Return a column as in job.json."""
    return {
        "name": column.name,
        "type": str(column.kind),
        "length": column.length,
        "scale": column.scale,
        "unsigned": column.unsigned,
        "nullable": column.nullable,
        "members": list(column.members),
        "default": _default_json(column.default),
    }


def _default_json(default: Default | None) -> dict[str, str] | None:
    """Return a DEFAULT clause under the name of its kind; None for none and for NULL."""
    if default is None or default.text is None:
        return None
    if default.is_expression:
        return {"expression": default.text}
    return {"hex" if default.is_binary else "literal": default.text}


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

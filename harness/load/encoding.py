"""A partition's records, by the encoders that everything else in the harness uses.

What a partition encodes depends on nothing but the spec and its number. Topics and schemas are
found once, by encoding a row of each version of each table; their ids travel to the executors, who
ask no registry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from harness.contracts import BoundCodec, SchemaRegistry
from harness.errors import HarnessBug, SchemaRefused, SetupError
from harness.load import binlog, vstream
from harness.load.repeats import with_repeats
from harness.load.shapes import further, shape_of
from harness.load.spec import Spec
from harness.load.tables import Tables, tables
from harness.load.ticdc import vendor_events
from harness.load.workload import Altered, Change, Committed, Event, Kind, Marked, Partition
from harness.model.record import Record, SchemaUse
from harness.protocols import PROTOCOLS
from harness.sources.mysql.source import MYSQL
from harness.sources.vitess.source import VITESS
from harness.wire.registry import MemoryRegistry

# Source -> what a connector of its own reads there; others are TiCDC's.
_READ: Mapping[str, Callable[[Iterable[Event], Tables, Spec, int], Iterator[Any]]] = {
    VITESS: vstream.responses,
    MYSQL: binlog.log_events,
}


@dataclass(frozen=True, slots=True)
class Known:
    """The registry of an executor: the ids that were given beforehand, by subject and text."""

    ids: Mapping[tuple[str, str], int]

    def register(self, subject: str, schema: str) -> int:
        """Return the schema's id; HarnessBug for one that was not foreseen."""
        found = self.ids.get((subject, schema))
        if found is None:
            raise HarnessBug(f"the workload has no schema prepared for {subject}")
        return found

    def schema(self, schema_id: int) -> str:
        """Return a schema's text by its id."""
        return next(text for (_, text), known in self.ids.items() if known == schema_id)


@dataclass(frozen=True, slots=True)
class Encoding:
    """What an executor needs beside the number of a partition; plain data.

    `prefix` goes before the canonical topics' names. `topics` are the real names.
    """

    spec: Spec
    topics: tuple[str, ...]
    prefix: str = ""
    registry: Known = field(default_factory=lambda: Known({}))

    def stream(self, partition: int) -> Stream:
        """Return a partition's records, from the start."""
        return Stream(self, partition)


class Stream:
    """The records of one partition; `slice` says how far the generator has come."""

    def __init__(self, encoding: Encoding, partition: int) -> None:
        """Run the tables' statements; nothing is generated yet."""
        self._encoding = encoding
        self._partition = partition
        self.slice = 0
        self.events = 0

    def records(self) -> Iterator[Record]:
        """Yield the records, on real topics."""
        spec, prefix = self._encoding.spec, self._encoding.prefix
        made = tables(spec)
        happened = self._watched(Partition(spec, self._partition).events())
        again = with_repeats(
            happened, spec.duplicates, Random(f"{spec.seed}/{self._partition}/again")
        )
        wire = bound(spec, self._partition, self._encoding.registry)
        for record in encoded(again, wire, made, (spec, self._partition)):
            yield replace(record, topic=prefix + record.topic) if prefix else record

    def _watched(self, events: Iterable[Event]) -> Iterator[Event]:
        for event in events:
            if isinstance(event, Committed):
                self.events += len(event.changes)
            elif isinstance(event, Marked):
                self.slice = event.slice
            yield event


def source_of(spec: Spec) -> str:
    """Return which source the workload comes from."""
    return PROTOCOLS[spec.protocol].source.kind


def bound(spec: Spec, partition: int, registry: SchemaRegistry) -> BoundCodec:
    """Return the protocol bound to the workload's settings."""
    return PROTOCOLS[spec.protocol].codec.bind(
        source_settings(spec, partition), spec.dialect, registry
    )


def source_settings(spec: Spec, partition: int = 0) -> Mapping[str, Any]:
    """Return a partition's settings, completed by what only its upstream knows."""
    source = source_of(spec)
    if source == VITESS:
        return vstream.settings_of(spec, partition)
    return binlog.settings_of(spec) if source == MYSQL else spec.effective_settings


def encoded(
    events: Iterable[Event], wire: BoundCodec, made: Tables, whose: tuple[Spec, int]
) -> Iterator[Record]:
    """Yield the records of a partition; of what is broadcast, its own copy."""
    spec, partition = whose
    read = _READ.get(source_of(spec))
    if read is None:
        for record in wire.encode(vendor_events(events, made, partition)):
            if record.partition == partition:
                yield record
        return
    for record in wire.encode(read(events, made, spec, partition)):
        # Connect would hash keys over partitions; here a key's place is its generator's.
        yield record if record.partition == partition else replace(record, partition=partition)


def prepared(spec: Spec, prefix: str = "", registry: SchemaRegistry | None = None) -> Encoding:
    """Return the encoding of a workload, its schemas posted to the registry, if there is one.

    Raises what binding and encoding raise, UsageError and EncodingError, and SetupError for a
    registry that refuses a schema.
    """
    made = tables(spec)
    memory = MemoryRegistry()
    probe = bound(spec, 0, memory)
    topics: dict[str, None] = {}
    ids: dict[tuple[str, str], int] = {}
    for record in encoded(_sample(made), probe, made, (spec, 0)):
        topics.setdefault(prefix + record.topic)
        for use in (record.key_schema, record.value_schema):
            if use is not None and (use.subject, use.schema) not in ids:
                ids[use.subject, use.schema] = _id(use, record.topic, prefix, registry)
    return Encoding(spec, tuple(topics), prefix, Known(ids))


def _id(use: SchemaUse, topic: str, prefix: str, registry: SchemaRegistry | None) -> int:
    """Return a schema's id, asked for under the subject of the real topic, in its own spelling."""
    if registry is None:
        return use.id
    plain = topic.replace(".", "_")
    named = topic if use.subject.startswith(topic) else plain
    before = prefix if named == topic else prefix.replace(".", "_")
    subject = before + use.subject
    try:
        return registry.register(subject, use.schema)
    except SchemaRefused as error:
        raise SetupError(
            f"the registry refuses a schema of {subject}: {error.what}",
            expected="a registry that keeps subjects BACKWARD compatible, nothing stricter",
            hint="another --topic-prefix makes other subjects",
        ) from error


def _sample(made: Tables) -> Iterator[Event]:
    """Yield an insert and a delete of a row behind each statement."""
    columns: dict[int, int] = {}
    for number, statement in enumerate(made.statements):
        table = statement.table
        columns[table] = columns.get(table, -1) + 1
        row = shape_of(table).row(1, 0) + further(1, 0, columns[table])
        yield Altered(number, statement)
        for kind, before, after in ((Kind.INSERT, None, row), (Kind.DELETE, row, None)):
            yield Committed(statement.commit_ts + 1, [Change(kind, table, before, after)])

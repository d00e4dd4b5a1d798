"""Debezium Vitess: connector, transforms and converters bound to one changefeed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.connect.settings import (
    JSON,
    Converters,
    converter_settings,
    is_converter_setting,
    is_json,
)
from harness.codecs.connect.transforms import (
    TransformChain,
    is_chain_setting,
    transform_chain,
)
from harness.codecs.connect.worker import Worker
from harness.codecs.debezium.emitter import LATER, Emitted
from harness.codecs.debezium.settings import ConnectorSettings, with_converters
from harness.codecs.debezium_vitess.decode import vitess_decoder
from harness.codecs.debezium_vitess.dialect import DIALECTS, VitessDialect
from harness.codecs.debezium_vitess.emission import RowWriter
from harness.codecs.debezium_vitess.encode import Connector, ConnectorEnvironment
from harness.codecs.debezium_vitess.reference import PARTITIONS, ZONE
from harness.codecs.debezium_vitess.settings import read, shards
from harness.codecs.debezium_vitess.tasks import NO_OFFSETS, Offsets, VitessCluster
from harness.codecs.debezium_vitess.topics import topics
from harness.codecs.debezium_vitess.transforms import TRANSFORMS
from harness.codecs.debezium_vitess.validation import problems
from harness.codecs.debezium_vitess.vectorised.plan import RowPlanner
from harness.codecs.debezium_vitess.vectorised.rows import VectorisedWriter
from harness.codecs.debezium_vitess.vgtid import VgtidPosition
from harness.contracts import Codec, SchemaRegistry
from harness.errors import UsageError
from harness.model.decoded import DecodedEvent
from harness.model.record import Record
from harness.model.settings import Settings
from harness.model.vstream import VStreamResponse
from harness.wire.registry import MemoryRegistry

SECOND: Final = 1_000_000_000


class StreamClock:
    """A processing clock that runs behind the stream's own times and never back."""

    def __init__(self) -> None:
        """Start before everything."""
        self._now = LATER
        self._second = 0

    def follow(self, response: VStreamResponse) -> VStreamResponse:
        """Move on to a response's latest event."""
        latest = max([event.timestamp for event in response.events], default=0)
        if latest > self._second:
            self._second = latest
            self._now = latest * SECOND + LATER
        return response

    def __call__(self) -> int:
        """Return the time in nanoseconds since 1970."""
        return self._now


@dataclass(frozen=True, slots=True)
class VitessConfiguration:
    """Everything that the settings say, read and checked."""

    connector: ConnectorSettings
    dialect: VitessDialect
    chain: TransformChain
    converters: Converters
    partitions: int
    zone: str
    values: Settings


class BoundVitess:
    """One connector's codec."""

    def __init__(self, bound: VitessConfiguration, registry: SchemaRegistry) -> None:
        """Take what was bound, and the registry that gives Avro schemas their ids."""
        self._bound = bound
        self._registry = registry
        self._decoder = vitess_decoder(bound.values, registry)

    @property
    def complete(self) -> str | None:
        """Return None: nothing on the wire promises that a time is over."""
        return None

    @property
    def row_ids(self) -> bool:
        """Return False: the records of rows without a key have no key at all."""
        return False

    def encode(self, events: Iterable[VStreamResponse]) -> Iterator[Record]:
        """Yield the records of a stream; raises SourceStopped where the task stops."""
        bound = self._bound
        clock = StreamClock()
        worker = self.worker()
        writer = None
        if not bound.chain.stages and is_json(bound.converters):
            writer = VectorisedWriter(RowPlanner(bound.converters, utc=bound.zone == "UTC"), worker)
        connector = self.connector(clock, NO_OFFSETS, writer)
        responses = map(clock.follow, events)
        if writer is None:
            return map(worker.record, bound.chain.transformed(connector.run(responses)))
        return _finished(connector.emitted(responses), worker)

    def worker(self) -> Worker:
        """Return the worker that writes the connector's records."""
        return Worker(self._bound.converters, self._registry, self._bound.partitions)

    def connector(
        self, clock: StreamClock, offsets: Offsets, writer: RowWriter | None = None
    ) -> Connector:
        """Return the connector as it starts from stored offsets; ConnectorFailed if it does not."""
        bound = self._bound
        # The connector leaves the field unset; a converter that keeps nulls prints null.
        keeps_nulls = not bound.converters.value.form.replace_null_with_default
        around = ConnectorEnvironment(
            zone=bound.zone,
            cluster=VitessCluster(shards(bound.connector) or ()),
            offsets=offsets,
            snapshot=None if keeps_nulls else "false",
        )
        return Connector(bound.connector, clock, around, bound.dialect, writer)

    def requests(self, offsets: Offsets) -> tuple[VgtidPosition, ...]:
        """Return the positions that the tasks ask for when they start from stored offsets."""
        return tuple(one.position for one in self.connector(StreamClock(), offsets).requests())

    def resumed(
        self, events: Iterable[VStreamResponse], offsets: Offsets, worker: Worker
    ) -> Iterator[tuple[ConnectRecord, tuple[Record, ...]]]:
        """Yield what a run from stored offsets emits, and what a worker sends of each record.

        Transforms see records one by one, as a worker gives them.
        """
        clock = StreamClock()
        connector = self.connector(clock, offsets)
        for emitted in connector.run(map(clock.follow, events)):
            yield emitted, tuple(map(worker.record, self._bound.chain.transformed([emitted])))

    def decode(self, key: bytes | None, value: bytes | None) -> tuple[DecodedEvent, ...]:
        """Return the event of one record."""
        return self._decoder.decode(key, value)


def _finished(emitted: Iterable[Emitted], worker: Worker) -> Iterator[Record]:
    for record in emitted:
        yield record if isinstance(record, Record) else worker.record(record)


def bound_to(values: Settings, dialect: str) -> VitessConfiguration:
    """Read a scenario's settings; UsageError for a name or a value that cannot be."""
    if dialect not in DIALECTS:
        raise UsageError(
            f"unknown dialect {dialect!r} of the Vitess connector",
            expected="one of " + ", ".join(DIALECTS),
        )
    missing = DIALECTS[dialect].missing(values)
    if missing:
        with_it = [one.name for one in DIALECTS.values() if not one.missing(values)]
        raise UsageError(
            f"the connector {DIALECTS[dialect].version} has no setting `{missing}`",
            expected=f"this setting in the dialect {' or '.join(with_it)} alone",
        )
    around = {ZONE, PARTITIONS}
    converters = {n: v for n, v in values.items() if is_converter_setting(n)}
    own = {
        name: value
        for name, value in values.items()
        if name not in around and name not in converters and not is_chain_setting(name)
    }
    settings = read(own, strict=True)
    wrong = problems(settings)
    if wrong:
        raise UsageError(
            "the connector refuses its configuration: " + "; ".join(wrong),
            expected="properties that it takes, one by one and together",
        )
    topics(settings)
    found = converter_settings(converters)
    return VitessConfiguration(
        connector=with_converters(settings, found),
        dialect=_of_converter(DIALECTS[dialect], found),
        chain=transform_chain(values, TRANSFORMS),
        converters=found,
        partitions=_partitions(values.get(PARTITIONS, 1)),
        zone=_zone(str(values.get(ZONE, "UTC"))),
        values=values,
    )


def _of_converter(dialect: VitessDialect, converters: Converters) -> VitessDialect:
    """Return a dialect as a converter shows it: what 2.7 cuts, JSON alone has whole.

    The connector hands over a slice of a buffer; the JSON converter writes the array behind it.
    C:relational/mapping/TruncateColumn.java at v2.7.0.Final.
    """
    return dialect if converters.value.type == JSON else replace(dialect, bytes_cut=True)


def _partitions(value: object) -> int:
    text = str(value)
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"{PARTITIONS} cannot be {value!r}", expected="a number from 1")
    return int(text)


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise UsageError(
            f"{ZONE} cannot be {name!r}", expected="a zone of the IANA list"
        ) from error
    return name


def bind(values: Settings, dialect: str, registry: SchemaRegistry | None = None) -> BoundVitess:
    """Return the codec for a scenario's `settings.vitess` and a dialect's name.

    Without a registry Avro schemas are kept in memory, under BACKWARD compatibility.
    """
    return BoundVitess(bound_to(values, dialect), registry or MemoryRegistry())


def _registered(values: Settings) -> bool:
    """Return whether a converter is an Avro one."""
    return any(str(values.get(f"{part}.converter", JSON)) != JSON for part in ("key", "value"))


VITESS = Codec(tuple(DIALECTS), bind, needs_registry=_registered)

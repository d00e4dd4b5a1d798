"""The connector: settings and a clock in, then responses in and Connect records out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, Final

from harness.codecs.connect.errors import JavaError
from harness.codecs.connect.schema import ConnectRecord, Header, Offset
from harness.codecs.debezium import mappers, schemas, selection
from harness.codecs.debezium.adjustment import FIELD_NAMES, SCHEMA_NAMES, Adjuster
from harness.codecs.debezium.emitter import (
    MILLISECOND,
    Clock,
    Emitted,
    RecordEmitter,
    connector_schemas,
    context_headers,
)
from harness.codecs.debezium.errors import at_start
from harness.codecs.debezium.notification import skipped_snapshot
from harness.codecs.debezium.settings import ConnectorSettings
from harness.codecs.debezium.tables import TableShaper
from harness.codecs.debezium.topics import TableKey, TopicNames
from harness.codecs.debezium.transactions import TransactionContext
from harness.codecs.debezium_vitess.dialect import (
    CURRENT,
    ContextHeaders,
    FirstEpoch,
    VitessDialect,
)
from harness.codecs.debezium_vitess.emission import RowWriter, VitessEmitter
from harness.codecs.debezium_vitess.offsets import OffsetContext
from harness.codecs.debezium_vitess.ordering import UNORDERED, TransactionOrdering
from harness.codecs.debezium_vitess.requests import VStreamRequest, request
from harness.codecs.debezium_vitess.schemas import heartbeat_value
from harness.codecs.debezium_vitess.settings import keyspace, ordered
from harness.codecs.debezium_vitess.task import Task
from harness.codecs.debezium_vitess.tasks import (
    NO_OFFSETS,
    ONLY_TASK,
    Offsets,
    TaskPlan,
    VitessCluster,
    tasks,
)
from harness.codecs.debezium_vitess.topics import topics
from harness.codecs.debezium_vitess.values import conversion, modes
from harness.codecs.debezium_vitess.vgtid import parse
from harness.model.vstream import VStreamResponse

NAME: Final = "vitess"
UTC: Final = "UTC"
NO_IDENTITY: Final = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True, slots=True)
class ConnectorEnvironment:
    """What is not in the settings: the JVM's zone, the cluster, what Connect has stored.

    `identity` is what a notification and a run are called, random UUIDs in real life. `snapshot` is
    what stands in the source's field of that name: the connector leaves it unset, and converters
    print its default; to give that at once is the same, and faster.
    """

    zone: str = UTC
    cluster: VitessCluster = field(default_factory=VitessCluster)
    offsets: Offsets = field(default_factory=lambda: NO_OFFSETS)
    identity: str = NO_IDENTITY
    snapshot: str | None = None


class Connector:
    """One run of a connector, from its start until it stops.

    `clock` returns the processing time in nanoseconds since 1970.
    """

    def __init__(
        self,
        settings: ConnectorSettings,
        clock: Clock,
        around: ConnectorEnvironment | None = None,
        dialect: VitessDialect = CURRENT,
        writer: RowWriter | None = None,
    ) -> None:
        """Start the tasks; raises ConnectorFailed where they would not start.

        With a `writer` some records are finished without structs, and only `emitted` has them.
        """
        self._settings = settings
        self._clock = clock
        self._around = around = around or ConnectorEnvironment()
        self._dialect = dialect
        self._writer = writer
        try:
            self._plans = tasks(settings, around.cluster, around.offsets)
            self._tasks = tuple(self._task(plan) for plan in self._plans)
        except JavaError as error:
            raise at_start(error) from error

    def requests(self) -> tuple[VStreamRequest, ...]:
        """Return the requests with which the tasks open their streams."""
        return tuple(
            request(self._settings, self._around.cluster, task.emitter.state.restart)
            for task in self._tasks
        )

    def start(self) -> Iterator[ConnectRecord]:
        """Yield what the tasks emit before any response."""
        for plan, task in zip(self._plans, self._tasks, strict=True):
            note = skipped_snapshot(
                self._settings,
                self._around.identity,
                self._clock() // MILLISECOND,
                task.emitter.records.partition,
                plan.stored or {},
            )
            if note is not None:
                yield note

    def run(self, responses: Iterable[VStreamResponse]) -> Iterator[ConnectRecord]:
        """Yield the records of a whole run; raises ConnectorFailed after those before it."""
        return (record for record in self.emitted(responses) if isinstance(record, ConnectRecord))

    def emitted(self, responses: Iterable[VStreamResponse]) -> Iterator[Emitted]:
        """Yield what `run` yields, and in its place what the writer has finished."""
        yield from self.start()
        for response in responses:
            for task in self._tasks:
                if response.only_shard is None or _has(task, response.only_shard):
                    yield from task.feed(response)

    def _task(self, plan: TaskPlan) -> Task:
        settings, dialect = self._settings, self._dialect
        schema_name = SCHEMA_NAMES[settings.mode("schema.name.adjustment.mode")]
        names = topics(settings)
        partition = {"server": settings.prefix}
        if plan.key is not None:
            partition["task_key"] = plan.key
        state = self._state(plan)
        records = RecordEmitter(
            settings=settings,
            schemas=connector_schemas(
                names,
                schema_name,
                NAME,
                dialect.source,
                heartbeat_value(schema_name),
                dialect.boundary,
            ),
            clock=self._clock,
            state=state,
            transaction=state.transaction,
            partition=partition,
            context=self._context(plan),
            collection=_without_shard if dialect.documented else str,
        )
        emitter = VitessEmitter(
            records,
            state,
            dialect,
            shaper=self._shaper(names, schema_name),
            captured=selection.table_filter(settings),
            writer=self._writer,
        )
        shards = None if plan.shards is None else frozenset(plan.shards)
        return Task(emitter, keyspace(settings), copying=state.restart.copies, shards=shards)

    def _context(self, plan: TaskPlan) -> tuple[Header, ...]:
        """Return the headers that name connector and task, as the release writes them."""
        if self._dialect.context is ContextHeaders.NEVER:
            return ()
        run_id = self._around.identity if self._dialect.run_id else None
        return context_headers(self._settings, plan.key or ONLY_TASK, NAME, run_id)

    def _state(self, plan: TaskPlan) -> OffsetContext:
        settings = self._settings
        begin = parse(plan.stored["vgtid"]) if plan.stored else plan.start
        ordering = None
        if ordered(settings):
            inherit = settings.flag("vitess.inherit.epoch")
            ranked = int if self._dialect.documented else Decimal
            rules = self._dialect.epochs
            from_start = rules.first is FirstEpoch.START
            ordering = TransactionOrdering(
                dict(plan.epochs) if from_start else {},
                plan.start if from_start else None,
                inherit,
                ranked,
                rules,
            )
        state = OffsetContext(
            prefix=settings.prefix,
            version=self._dialect.version,
            keyspace=keyspace(settings),
            clock=self._clock,
            current=begin,
            restart=begin,
            timestamp=None if plan.stored else self._clock(),
            fields=tuple(f.name for f in self._dialect.source.fields),
            metadata=settings.metadata,
            transaction=TransactionContext({} if ordering is None else UNORDERED),
            ordering=ordering,
            snapshot=self._around.snapshot,
        )
        if plan.stored:
            state.load(plan.stored)
        return state

    def _shaper(self, names: TopicNames, schema_name: Adjuster) -> TableShaper:
        settings, dialect = self._settings, self._dialect
        block = dialect.ordered_block if ordered(settings) else schemas.BLOCK
        return TableShaper(
            conversion=partial(conversion, found=modes(settings, self._around.zone)),
            topics=names,
            rules=mappers.rules(settings, bytes_cut=dialect.bytes_cut),
            column_included=selection.column_filter(settings),
            message_keys=selection.message_keys(settings.optional("message.key.columns")),
            schema_name=schema_name,
            field_name=FIELD_NAMES[settings.field_names],
            source=dialect.source,
            block=block,
            envelope=dialect.envelope(metadata=settings.metadata),
        )


def _without_shard(table: TableKey) -> str:
    return f"{table.schema}.{table.table}"


def _has(task: Task, shard: str) -> bool:
    return task.shards is None or shard in task.shards


def offsets_of(records: Iterable[ConnectRecord], before: Offsets = NO_OFFSETS) -> Offsets:
    """Return what Connect has stored after records: the last offset of each source partition."""
    stored: dict[tuple[str, str | None], Offset] = dict(before)
    for record in records:
        key = _partition_key(record.source_partition)
        if record.source_offset:
            stored[key] = dict(record.source_offset)
    return stored


def _partition_key(partition: Mapping[str, Any]) -> tuple[str, str | None]:
    return partition["server"], partition.get("task_key")

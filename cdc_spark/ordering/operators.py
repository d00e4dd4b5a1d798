"""What runs on the executors: messages -> events, and events of one changefeed -> what is applied.

Plain functions with their settings in them; Spark brings the rows and keeps the state. What is
wrong with a message becomes an event of its own changefeed, never an exception.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from cdc_spark import rows
from cdc_spark.debezium.connectors import CONNECTORS
from cdc_spark.errors import GrowthError, LostTablesError, UsageError
from cdc_spark.events import Kind
from cdc_spark.gc_pause import gc_paused
from cdc_spark.ordering import buckets, topics_of_state
from cdc_spark.ordering.arrivals import Arrivals
from cdc_spark.ordering.columns import COLUMNS, Block, size
from cdc_spark.ordering.hold import Hold, Source, arrivals_of, block_of_arrivals
from cdc_spark.ordering.key_memory import KeyMemory
from cdc_spark.ordering.logged import Logged
from cdc_spark.ordering.memory import Memory
from cdc_spark.ordering.netting import netted
from cdc_spark.ordering.transactions import Transactions
from cdc_spark.ordering.undated import Undated
from cdc_spark.protocols import Language, Reader
from cdc_spark.set_aside import POISON_IS_AN_EVENT, MessagePlace, Policy
from cdc_spark.untyped import ArrowBatch, Column, PandasFrame, State, np, pa
from cdc_spark.vectorised import blocks
from cdc_spark.vectorised.poison import judged, place_of
from cdc_spark.vectorised.reader import Numbers

ENDLESS = 1 << 62  # beyond any offset
Room = Hold | Undated | Arrivals | Logged | Transactions
BATCH = "streaming.sql.batchId"  # what Spark calls the number of a micro-batch, to its tasks


class Growth(Enum):
    """What becomes of messages in partitions that nobody declared."""

    REFUSED = "refused"
    READ = "read"
    AWAITED = "awaited"  # read, and rows wait for their resolved events


@dataclass(frozen=True, slots=True)
class Route:
    """Where a topic's messages belong: changefeed and topic by ordinal, and its end offsets.

    `language` says how to read them, `policy` what becomes of those that cannot be read; their rows
    are dealt to so many `buckets`, those that are `netted` without the ones that would be replaced.
    """

    feed: int
    topic: int
    language: Language
    end_offsets: tuple[int, ...]
    policy: Policy = POISON_IS_AN_EVENT
    buckets: int = 1
    growth: Growth = Growth.REFUSED
    netted: bool = False


@dataclass(frozen=True, slots=True)
class Decoder:
    """Kafka messages (topic, partition, offset, key, value) -> rows of shape `EVENT`."""

    routes: Mapping[str, Route]

    def decode(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Decode Arrow batches, up to the end offsets."""
        readers: dict[str, Reader] = {}
        for batch in batches:
            with gc_paused():
                decoded = self._decoded(readers, batch)
            yield decoded

    def _decoded(self, readers: dict[str, Reader], batch: ArrowBatch) -> ArrowBatch:
        found = [rows.batch_of(rows.EVENT, ())]
        for topic, numbers in _by_topic(batch["topic"]):
            route = self._route(topic, batch, numbers)
            some = pa.array(numbers)
            partitions, offsets = (
                batch[name].take(some).to_numpy() for name in ("partition", "offset")
            )
            ends = np.array(route.end_offsets, np.int64)
            more = partitions >= len(ends)
            if more.any():
                if route.growth is Growth.REFUSED:
                    raise _grown(place_of(batch, numbers[int(np.argmax(more))]), len(ends))
                if route.growth is Growth.AWAITED:
                    found.append(_joined(route, partitions[more], offsets[more]))
                ends = np.append(ends, np.full(1 + partitions.max() - len(ends), ENDLESS))
            wanted = numbers[offsets < ends[partitions]]
            reader = readers.get(topic)
            if reader is None:
                reader = readers[topic] = Reader.of(route.language, payloads=True)
            block = judged(route.policy, batch, wanted, reader.read(batch, wanted))
            found.append(_event_rows(route, batch, block))
        return pa.concat_batches(found)

    def _route(self, topic: str, batch: ArrowBatch, numbers: Numbers) -> Route:
        route = self.routes.get(topic)
        if route is None:
            declared = ", ".join(sorted(self.routes)[:5])
            raise GrowthError(
                f"the changefeed does not declare the topic of this message:"
                f" {place_of(batch, numbers[0])}",
                expected=f"one of {declared}",
                hint="stop the query, add the topic behind the others in `topics` of the"
                " Changefeed, and restart from the same checkpoint",
            )
        return route


def _grown(place: MessagePlace, declared: int) -> GrowthError:
    return GrowthError(
        f"the topic has more partitions than the changefeed declares: {place}",
        expected=f"partitions 0 to {declared - 1} of topic {place.topic}",
        hint="stop the query, say how many partitions the topic has now in `topics` of the"
        " Changefeed, and restart from the same checkpoint: nothing is lost",
    )


def _joined(route: Route, partitions: Numbers, offsets: Numbers) -> ArrowBatch:
    """Return the rows that tell all buckets of partitions."""
    shape = {name: kind for name, kind in rows.EVENT.items() if name != "bucket"}
    first = np.unique(partitions, return_index=True)
    never = int(buckets.at_of(np.array([0], np.uint64))[0])
    known = [
        (route.feed, route.topic, one, int(offsets[at]), 0, buckets.JOINED, never, *[""] * 5)
        for one, at in zip(*(numbers.tolist() for numbers in first), strict=True)
    ]
    return buckets.dealt(rows.batch_of(shape, known), route.buckets)


def _by_topic(topics: Column) -> Iterator[tuple[str, Numbers]]:
    """Yield each topic with the numbers of its messages."""
    if not len(topics):
        return
    named = topics.dictionary_encode()
    which = named.indices.to_numpy()
    numbers = np.argsort(which, kind="stable")
    ends = np.cumsum(np.bincount(which, minlength=len(named.dictionary)))
    yield from zip(named.dictionary.to_pylist(), np.split(numbers, ends[:-1]), strict=True)


def _event_rows(route: Route, messages: ArrowBatch, block: ArrowBatch) -> ArrowBatch:
    """Return events as rows of shape `EVENT`, each in its bucket where that is known."""
    numbers, slots = blocks.places(block)
    columns = {
        "feed": pa.repeat(pa.scalar(route.feed, pa.int32()), len(numbers)),
        "topic": pa.repeat(pa.scalar(route.topic, pa.int32()), len(numbers)),
        "partition": messages["partition"].take(numbers),
        "offset": messages["offset"].take(numbers),
        "slot": slots,
        **{name: block[name] for name in ("kind", "schema", "table", "identity", "payload")},
        "ts": buckets.shifted(block["ts"]),
        "transaction": blocks.with_positions(block["transaction"], block["position"]),
    }
    names = [name for name in rows.EVENT if name in columns]
    events = pa.RecordBatch.from_arrays([columns[name] for name in names], names=names)
    kept = netted(events) if route.netted and len(events) else events
    by_values = route.language.protocol in CONNECTORS
    gone = len(events) - len(kept)
    return buckets.dealt(kept, route.buckets, by_values=by_values, gone=gone)


@dataclass(frozen=True, slots=True)
class Timeline:
    """What one changefeed's waiting room starts from.

    `net`: of the rows of a key that leave it at once only the last does, where its order is time's.
    `retention_ms`: for how long, by commit time, keys are remembered whose rows no resolved event
    covers; 0 is for ever. `truncates`: TRUNCATE may stand among rows.
    """

    protocol: str
    sources: tuple[Source, ...]
    inclusive: bool
    by_record: bool
    assembled: bool
    lenient: bool
    net: bool = False
    retention_ms: int = 0
    repeats: frozenset[Source] = frozenset()
    truncates: bool = False

    @property
    def spreads(self) -> bool:
        """Return whether rows need no other order than their key's, and that of time."""
        if self.protocol in CONNECTORS:
            return not (self.assembled or self.truncates)
        return self.protocol == "open" or (self.protocol == "avro" and self.by_record)

    @property
    def nets_early(self) -> bool:
        """Return whether rows may be netted where they are decoded: they wait for nothing."""
        return self.net and self.by_record and self.spreads

    def room(self, *, first: bool = True, alone: bool = True) -> Room:
        """Return an empty waiting room, of the kind that the changefeed's events allow.

        The `first` of several speaks for what all of them see; it may be `alone`.
        """
        if not self.by_record:
            hold = Hold(
                self.sources,
                self.inclusive,
                lenient=self.lenient,
                first=first,
                net=self.net,
                repeats=self.repeats,
            )
            if self.protocol != "avro":
                return hold
            hold.by_place = True
            return Undated(hold)
        if self.protocol in CONNECTORS and self.spreads and not alone:
            keys = KeyMemory(self.retention_ms)
            return Logged(keys, lenient=self.lenient, first=first, net=self.net)
        if self.protocol in CONNECTORS:
            return Transactions(
                assembled=self.assembled, lenient=self.lenient, retention_ms=self.retention_ms
            )
        memory = Memory(self.retention_ms)
        return Arrivals(lenient=self.lenient, memory=memory, first=first, net=self.net)


@dataclass(frozen=True, slots=True)
class Holder:
    """Events of one bucket and micro-batch -> rows of shape `RELEASED`; the rest is state.

    `topics` are the partitions of its topics in the order of their ordinals, which the state then
    remembers, with the number of `buckets`; without them it does not.
    """

    timelines: Mapping[int, Timeline]
    topics: Mapping[str, int] = field(default_factory=dict[str, int])
    buckets: int = 1

    def step(
        self, key: tuple[Any, ...], frames: Iterator[PandasFrame], state: State
    ) -> Iterator[PandasFrame]:
        """Step the bucket's waiting room."""
        feed, bucket, *_ = map(int, key)
        with gc_paused():
            frame = self._stepped(feed, bucket, frames, state)
        if frame is not None:
            yield frame

    def _stepped(
        self, feed: int, bucket: int, frames: Iterator[PandasFrame], state: State
    ) -> PandasFrame | None:
        timeline = self.timelines[feed]
        hold = timeline.room(first=bucket == 0, alone=self.buckets == 1)
        if state.exists:
            hold.load(topics_of_state.opened(bytes(state.get[0]), self.topics, self.buckets))
            if self.topics:
                _whole(hold, list(self.topics))
        arrived = _arrived(list(frames))
        before = hold.next_seq
        if isinstance(hold, Transactions):
            steps = hold.step(arrivals_of(arrived))
            released = block_of_arrivals(one.arrival for one in steps)
        else:
            released = hold.take(arrived)
        if self.topics:
            _joins(hold, list(self.topics))
        state.update((topics_of_state.sealed(hold.dump(), self.topics, self.buckets),))
        found = _released(released, feed, bucket, before, _at(hold, released, before))
        if found is not None:
            found["batch"] = _batch() if isinstance(hold, Arrivals | Logged) else 0
        return found


def _arrived(frames: Sequence[PandasFrame]) -> Block:
    """Return the events of rows of shape `EVENT` in the order of their places."""
    columns = {
        name: np.concatenate([frame[name].to_numpy() for frame in frames])
        for name in [*COLUMNS, "slot"]
    }
    order = np.lexsort([columns[one] for one in ("slot", "offset", "partition", "topic")])
    order = order[columns["kind"][order] != buckets.NOTHING]
    columns["ts"] = buckets.unshifted(columns["ts"])
    # A resolved event of no time: the partition is known, and nothing in it is over.
    columns["kind"][columns["kind"] == buckets.JOINED] = Kind.RESOLVED
    return {name: columns[name][order].astype(kind) for name, kind in COLUMNS.items()}


def _released(released: Block, feed: int, bucket: int, first: int, at: Any) -> PandasFrame | None:  # noqa: ANN401 - an array
    """Return what was released as rows of shape `RELEASED`."""
    number = size(released)
    if not number:
        return None
    return rows.pandas_of(
        rows.RELEASED,
        {
            **released,
            "feed": np.full(number, feed),
            "seq": np.arange(first, first + number),
            "ts": [str(one) for one in released["ts"].tolist()],
            "version": _texts(released.get("version"), number),
            "bucket": np.full(number, bucket),
            "at": at,
            "batch": np.zeros(number, np.int64),
        },
    )


def _batch() -> int:
    """Return the number of the micro-batch whose task this is."""
    from pyspark import TaskContext  # noqa: PLC0415 - only where Spark is

    here = TaskContext.get()
    return int((here and here.getLocalProperty(BATCH)) or 0)


def _texts(versions: Any, number: int) -> Any:  # noqa: ANN401 - arrays
    """Return the versions of tables as text: few, for many rows."""
    if versions is None:
        return np.full(number, "0", object)
    distinct, which = np.unique(versions, return_inverse=True)
    return np.array([str(one) for one in distinct.tolist()], object)[which]


def _whole(room: Room, topics: Sequence[str]) -> None:
    """Raise LostTablesError for a state that has passed poison: earlier versions did that."""
    poisoned = room.hold.poisoned if isinstance(room, Undated) else room.poisoned
    if poisoned:
        topic, partition = min(poisoned)
        raise LostTablesError(
            f"an earlier version has read past a message of topic {topics[topic]}, partition"
            f" {partition}, that it could not read, and dropped all that follows",
            hint="rows are missing: begin with a new checkpoint and a new root",
        )


def _joins(room: Room, topics: Sequence[str]) -> None:
    """Raise GrowthError for what a partition that joined has behind what was applied.

    UsageError for a TRUNCATE that nobody expected.
    """
    hold = room.hold if isinstance(room, Undated) else room
    if isinstance(hold, Logged) and hold.truncated is not None:
        (topic, partition), offset = hold.truncated
        raise UsageError(
            f"{MessagePlace(topics[topic], partition, offset)} is a TRUNCATE, and the changefeed's"
            " settings say that the connector skips them",
            expected="settings={'skipped.operations': 'none'}, or as the connector has it",
            hint="one task orders such a changefeed: begin with a new checkpoint and a new root",
        )
    if not isinstance(hold, Hold) or hold.behind is None:
        return
    (topic, partition), offset, ts = hold.behind
    place = MessagePlace(topics[topic], partition, offset)
    raise GrowthError(
        f"a partition joined late, and may have what was never applied: {place}, has commit ts"
        f" {ts}, and all up to {hold.applied_watermark} was applied without it",
        expected="a partition whose first message is read before its time is applied, or one that"
        " repeats up to there what stood in other partitions",
        hint=f"where it repeats (the producer was paused, and sent again),"
        f" Changefeed(…, repeats=[({topics[topic]!r}, {partition})]) drops what it has up to there;"
        " else go on with a new checkpoint and a new root. Nothing of this batch was written",
    )


def _at(room: Room, released: Block, first: int) -> Any:  # noqa: ANN401 - an array
    """Return what orders changes before all others, in any bucket; None where their place does."""
    if isinstance(room, Arrivals | Logged):
        return np.full(size(released), None)
    if isinstance(room, Hold):
        return buckets.at_of(room.at(released))
    return np.arange(first, first + size(released))

"""The consumer's decoding, ordering and folding over messages in memory: no session, no files.

What runs on Spark's executors is plain Python; here it is called micro-batch by micro-batch and
bucket by bucket, its state saved and loaded between them as Spark does.
"""

# pyright: reportMissingTypeStubs=false
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from zlib import crc32

import orjson

from cdc_spark import rows
from cdc_spark.apply.fold import Change, Fold
from cdc_spark.apply.shape import Shapes
from cdc_spark.avro import events as avro_events
from cdc_spark.conformance.changefeeds import TIME_ZONE, assembled
from cdc_spark.conformance.job import changefeed_of
from cdc_spark.debezium import events as debezium_events
from cdc_spark.debezium.connectors import CONNECTORS, sends_truncate
from cdc_spark.debezium.parts import Parts
from cdc_spark.debezium.rows import Rows
from cdc_spark.debezium.values import definitions
from cdc_spark.events import Event, Kind, ordered
from cdc_spark.open import events as open_events
from cdc_spark.open import values
from cdc_spark.ordering import buckets
from cdc_spark.ordering.hold import Source, arrival_of
from cdc_spark.ordering.operators import Holder, Timeline
from cdc_spark.protocols import Decode, read
from cdc_spark.wire.zones import UTC_NAME, in_utc

BUCKETS = 3
# Topic, partition, offset, key, value.
Message = tuple[str, int, int, bytes | None, bytes | None]


def consume(
    feed: Mapping[str, Any], schemas: Mapping[int, str], batches: Iterable[Sequence[Message]]
) -> Mapping[str, Any]:
    """Return what a changefeed ends with: `tables`, or an `error`, or what it `needs`.

    `feed` is the changefeed as job.json has it, `schemas` the registry's texts by id; each batch is
    read at once. Tables are by schema and name, their rows in the contract's values.
    """
    changefeed = changefeed_of(feed)
    if changefeed.needs:
        return {"needs": changefeed.needs}
    decode = _decoder(changefeed.protocol, changefeed.dialect, schemas, feed)
    topics = {topic.name: ordinal for ordinal, topic in enumerate(changefeed.topics)}
    sources = tuple(
        Source(ordinal, number)
        for ordinal, topic in enumerate(changefeed.topics)
        for number in range(len(topic.end_offsets))
    )
    timeline = Timeline(
        changefeed.protocol,
        sources,
        changefeed.inclusive,
        changefeed.by_record,
        assembled(changefeed),
        lenient=False,
        truncates=sends_truncate(changefeed.protocol, changefeed.settings),
    )
    rooms = Rooms(timeline, BUCKETS if timeline.spreads else 1)
    fold = Fold(shapes=Shapes() if changefeed.by_record else None)
    names = [topic.name for topic in changefeed.topics]
    pending = "[]"
    for batch in batches:
        ordered_ = sorted(batch, key=lambda one: (topics[one[0]], one[1], one[2]))
        for row in sorted(rooms.step(_rows(decode, topics, ordered_)), key=effect_of):
            if row["kind"] == Kind.PENDING:
                pending = row["payload"]
            else:
                fold.apply(_change(row, names))
    for event, source, offset in map(arrival_of, orjson.loads(pending)):
        placed = {**event._asdict(), **source._asdict(), "offset": offset}
        fold.apply(_change(placed, names))
    if fold.needs or fold.error:
        return {"needs": fold.needs} if fold.needs else {"error": fold.error}
    return {"tables": {(table.schema, table.name): list(table) for table in fold.tables}}


@dataclass
class Kept:
    """The state of one group, as Spark gives it to a function."""

    stored: bytes | None = None

    @property
    def exists(self) -> bool:
        """Return whether there is one."""
        return self.stored is not None

    @property
    def get(self) -> tuple[bytes | None]:
        """Return it."""
        return (self.stored,)

    def update(self, state: tuple[bytes]) -> None:
        """Keep it."""
        (self.stored,) = state


@dataclass
class Rooms:
    """One changefeed with its buckets; a row of a key is dealt by any hash of what names it."""

    timeline: Timeline
    buckets: int
    topics: Mapping[str, int] = field(default_factory=dict[str, int])
    states: dict[int, Kept] = field(default_factory=dict[int, Kept])

    def step(self, events: Iterable[tuple[Any, ...]]) -> list[dict[str, Any]]:
        """Do a micro-batch of rows of shape `EVENT` without buckets; return what is released."""
        import pandas as pd  # noqa: PLC0415 - a second to import, and who only decodes does without

        shape = {name: kind for name, kind in rows.EVENT.items() if name != "bucket"}
        by_values = self.timeline.protocol in CONNECTORS
        block = buckets.dealt(rows.batch_of(shape, events), self.buckets, by_values=by_values)
        groups: dict[int, list[tuple[Any, ...]]] = {}
        for row in rows.tuples(block):
            bucket = row[-1]
            if bucket is None:
                bucket = crc32(repr((*row[7:9], row[9] or row[10])).encode()) % self.buckets
            groups.setdefault(bucket, []).append(row)
        holder = Holder({0: self.timeline}, self.topics, self.buckets)
        found: list[dict[str, Any]] = []
        for bucket, some in sorted(groups.items()):
            frame = pd.DataFrame(some, columns=pd.Index(list(rows.EVENT)), dtype=object)
            state = self.states.setdefault(bucket, Kept())
            for each in holder.step((0, bucket), iter([frame]), state):
                columns = (each[name].tolist() for name in rows.RELEASED)
                found += [
                    dict(zip(rows.RELEASED, one, strict=True)) for one in zip(*columns, strict=True)
                ]
        return found


def effect_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what `buckets.ORDER` orders a row of shape `RELEASED` by."""
    place = (row["topic"], row["partition"], row["offset"])
    if row["at"] is None:
        return (row["batch"], 0, place, row["seq"])
    as_it_came = row["kind"] in (Kind.DDL, Kind.ERROR)
    return (row["at"], row["kind"], (0, 0, 0) if as_it_came else place, row["seq"])


def row_of(event: Event, source: Source, offset: int, slot: int) -> tuple[Any, ...]:
    """Return an event as a row of shape `EVENT`, without its bucket."""
    names = (event.schema, event.table, event.identity, event.payload, event.transaction)
    return (0, *source, offset, slot, int(event.kind), event.ts - (1 << 63), *names)


def _decoder(
    protocol: str, dialect: str, schemas: Mapping[int, str], feed: Mapping[str, Any]
) -> Decode:
    zone = in_utc(str(feed["settings"].get(TIME_ZONE, UTC_NAME)))
    makers: Mapping[str, Callable[[], Decode]] = {
        "open": lambda: partial(open_events.decode, values.in_zone(values.DIALECTS[dialect], zone)),
        "avro": lambda: avro_events.Decoder(schemas.__getitem__, zone).decode,
        **dict.fromkeys(
            CONNECTORS,
            lambda: (
                debezium_events.Decoder(
                    Parts(schemas.__getitem__),
                    Rows(definitions(feed["tables"], feed["settings"], protocol)),
                    CONNECTORS[protocol],
                ).decode
            ),
        ),
    }
    return makers[protocol]()


def _rows(
    decode: Decode, topics: Mapping[str, int], messages: Sequence[Message]
) -> Iterator[tuple[Any, ...]]:
    for topic, partition, offset, key, value in messages:
        for slot, event in enumerate(read(decode, key, value)):
            yield row_of(ordered(event), Source(topics[topic], partition), offset, slot)


def _change(row: Mapping[str, Any], names: Sequence[str]) -> Change:
    what = (Kind(row["kind"]), int(row["ts"]), row["schema"], row["table"], row["payload"])
    return Change(*what, names[int(row["topic"])], row["partition"], row["offset"])

"""The consumer's decoding, ordering and folding over messages in memory: no session, no files.

What runs on Spark's executors is plain Python; here it is called micro-batch by micro-batch, its
state saved and loaded between them as Spark does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import orjson

from cdc_spark.apply.fold import Change, Fold
from cdc_spark.apply.shape import Shapes
from cdc_spark.avro import events as avro_events
from cdc_spark.conformance.changefeeds import TIME_ZONE, assembled
from cdc_spark.conformance.job import changefeed_of
from cdc_spark.debezium import events as debezium_events
from cdc_spark.debezium.connectors import CONNECTORS
from cdc_spark.debezium.parts import Parts
from cdc_spark.debezium.rows import Rows
from cdc_spark.debezium.values import definitions
from cdc_spark.events import Kind, ordered
from cdc_spark.open import events as open_events
from cdc_spark.open import values
from cdc_spark.ordering.hold import Applied, Arrival, Source, arrival_of
from cdc_spark.ordering.operators import Timeline
from cdc_spark.protocols import Decode, read
from cdc_spark.wire.zones import UTC_NAME, in_utc

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
    )
    room, state = timeline.room(), b""
    fold = Fold(shapes=Shapes() if changefeed.by_record else None)
    names = [topic.name for topic in changefeed.topics]
    pending = "[]"
    for batch in batches:
        if state:
            room = timeline.room()
            room.load(state)
        ordered = sorted(batch, key=lambda one: (topics[one[0]], one[1], one[2]))
        for applied in room.step(_arrivals(decode, topics, ordered)):
            if applied.arrival.event.kind is Kind.PENDING:
                pending = applied.arrival.event.payload
            else:
                fold.apply(_change(applied, names))
        state = room.dump()
    for arrival in map(arrival_of, orjson.loads(pending)):
        fold.apply(_change(Applied(0, arrival), names))
    if fold.needs or fold.error:
        return {"needs": fold.needs} if fold.needs else {"error": fold.error}
    return {"tables": {(table.schema, table.name): list(table) for table in fold.tables}}


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


def _arrivals(
    decode: Decode, topics: Mapping[str, int], messages: Sequence[Message]
) -> Iterable[Arrival]:
    for topic, partition, offset, key, value in messages:
        for event in read(decode, key, value):
            yield Arrival(ordered(event), Source(topics[topic], partition), offset)


def _change(applied: Applied, names: Sequence[str]) -> Change:
    event, place, offset = applied.arrival
    topic, partition = names[place.topic], place.partition
    return Change(
        event.kind, event.ts, event.schema, event.table, event.payload, topic, partition, offset
    )

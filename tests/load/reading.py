"""A workload read back: by the Spark consumers' decoders, which share no code with the encoders."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from cdc_spark.avro import events as avro_events
from cdc_spark.events import Event, Kind
from cdc_spark.protocols import Decode, Language, decoder, read
from harness.load.encoding import Encoding
from harness.load.spec import Spec
from harness.load.surviving_tables import row_projection, visible_tables
from harness.load.surviving_tables import texts as value_texts
from harness.load.workload import Partition
from harness.model.canonical import canonical
from harness.model.record import Record
from harness.model.values import Row

Rows = set[tuple[str | None, ...]]


def decode(encoding: Encoding) -> Decode:
    """Return a decoder of a workload's messages, its schemas at hand."""
    if encoding.spec.protocol == "avro":
        return avro_events.Decoder(encoding.registry.schema).decode
    return decoder(Language(encoding.spec.protocol))


def messages(encoding: Encoding) -> list[list[Record]]:
    """Return the records of each partition."""
    return [list(encoding.stream(n).records()) for n in range(encoding.spec.partitions)]


def events(encoding: Encoding) -> Iterator[Event]:
    """Yield what the messages say, partition after partition; poison is an assertion."""
    decoding = decode(encoding)
    for records in messages(encoding):
        for record in records:
            for event in read(decoding, record.key, record.value):
                assert event.kind is not Kind.ERROR, event.payload
                yield event


def folded(encoding: Encoding) -> dict[str, Rows]:
    """Return the rows that a reader reaches, as text, by table.

    Open is applied by time, deletes first, each event once; the others as they come.
    """
    changes = [one for one in events(encoding) if one.kind in {Kind.UPSERT, Kind.DELETE}]
    if encoding.spec.protocol == "open":
        changes = list({(one.ts, one.kind, one.identity): one for one in changes}.values())
        changes.sort(key=lambda one: (one.ts, one.kind))
    rows: dict[str, dict[str, Any]] = {}
    for one in changes:
        table = rows.setdefault(f"{one.schema}.{one.table}", {})
        if one.kind is Kind.DELETE:
            table.pop(one.identity, None)
        else:
            table[one.identity] = json.loads(one.payload, parse_float=Decimal)["after"]
    return {
        str(table.id): {
            tuple(value_texts(tuple(canonical(c, row.get(c.name)) for c in table.columns)))
            for row in rows.get(str(table.id), {}).values()
        }
        for _, table in visible_tables(encoding.spec)
    }


def expected(spec: Spec) -> dict[str, Rows]:
    """Return the rows that the generator leaves, as the executors project them."""
    found: dict[str, Rows] = {str(table.id): set() for _, table in visible_tables(spec)}
    project = row_projection(spec)

    def left(table: int, row: Row) -> None:
        visible = project((table, row))
        assert visible is not None
        found[visible[0]].add(tuple(visible[1]))

    for number in range(spec.partitions):
        for _ in Partition(spec, number, left).events():
            pass
    return found

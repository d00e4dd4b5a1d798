"""What Kafka lets travel beside key and value: headers and timestamps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from harness.faults.choose import nothing
from harness.faults.fault import Disturbance, Invariant
from harness.faults.option import Option, Options, Takes
from harness.model.record import Record, bare_record

# 2024-01-01T00:00:00Z: late enough for every broker's default of accepted timestamps.
FIRST_MS = 1_704_067_200_000


def headers(records: Sequence[Record], options: Options, random: Random) -> tuple[Record, ...]:
    """Add a header to every message, behind those that it has."""
    del random
    if not records:
        raise nothing("nothing is sent", options.line)
    name, value = options.text("name"), options.text("value")
    added = (name, None if options.flag("null") else value.encode())
    return tuple(
        [
            bare_record(
                record.topic,
                record.partition,
                record.key,
                record.value,
                record.origins,
                (*record.headers, added),
                record.key_schema,
                record.value_schema,
                record.timestamp,
            )
            for record in records
        ]
    )


def timestamps(records: Sequence[Record], options: Options, random: Random) -> tuple[Record, ...]:
    """Give the messages equal, falling or random timestamps."""
    if not records:
        raise nothing("nothing is sent", options.line)
    order, count = options.text("order"), len(records)
    steps = {"equal": [0] * count, "falling": range(count - 1, -1, -1)}
    offsets = steps[order] if order in steps else random.choices(range(count), k=count)
    return tuple(
        replace(record, timestamp=FIRST_MS + offset)
        for record, offset in zip(records, offsets, strict=True)
    )


_TRACE = "traceparent"
_TRACE_VALUE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

ROWS: tuple[Disturbance, ...] = (
    Disturbance(
        "headers",
        "Adds a header to every message, as tracing and mirroring tools do.",
        frozenset(Invariant),
        (
            Option("name", Takes.TEXT, "The header's name.", _TRACE),
            Option("value", Takes.TEXT, "The header's value.", _TRACE_VALUE),
            Option("null", Takes.FLAG, "Whether the value is null instead.", default=False),
        ),
        headers,
        example={"name": "origin", "value": "eu-1"},
    ),
    Disturbance(
        "timestamps",
        "Gives the messages timestamps that do not rise.",
        frozenset(Invariant),
        (
            Option(
                "order",
                Takes.WORD,
                "All equal, falling by a millisecond each, or random.",
                required=True,
                words=("equal", "falling", "random"),
            ),
        ),
        timestamps,
        example={"order": "falling"},
    ),
)

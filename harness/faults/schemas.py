"""Several schemas in one topic: what was written with the old one comes again after the new one.

That a topic holds several schema ids at all follows from the DDL upstream, as does a column that is
dropped and added again with another type; no fault is needed for either.

Source: https://github.com/apache/hudi/issues/7219 (old records read with the latest schema).
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from harness.faults.choose import nothing
from harness.faults.fault import Disturbance
from harness.faults.option import Option, Options, Takes
from harness.faults.repeat import REPEATED
from harness.model.record import Record


def old_schema_again(
    records: Sequence[Record], options: Options, random: Random
) -> tuple[Record, ...]:
    """Send the tail again from some messages before the last change of a topic's value schema."""
    del random
    behind = options.number("records")
    there: dict[str, list[int]] = {}
    start: int | None = None
    for number, record in enumerate(records):
        if record.value_schema is None:
            continue
        before = there.setdefault(record.topic, [])
        if before and _schema(records[before[-1]]) != record.value_schema.schema:
            start = before[-behind] if behind <= len(before) else before[0]
        before.append(number)
    if start is None:
        raise nothing(
            "no topic has two value schemas", options.line, "a DDL that changes a row's schema"
        )
    return (*records, *records[start:])


def _schema(record: Record) -> str:
    assert record.value_schema is not None
    return record.value_schema.schema


ROWS: tuple[Disturbance, ...] = (
    Disturbance(
        "old-schema-again",
        "Sends the tail again from shortly before the last change of a schema: messages of the old "
        "schema come behind those of the new one.",
        REPEATED,
        (
            Option(
                "records",
                Takes.NUMBER,
                "How many messages of the topic before the change come again.",
                1,
            ),
        ),
        old_schema_again,
        example={"records": 2},
    ),
)

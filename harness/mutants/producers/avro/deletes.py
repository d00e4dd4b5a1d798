"""Deletes: their keys, and values where there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from harness.codecs.avro.encode import LOGICAL_BITS
from harness.codecs.avro.schema import value_schema
from harness.codecs.avro.varint import varint
from harness.model.change import Op
from harness.model.record import Record, SchemaUse
from harness.model.source_events import RowEvent
from harness.mutants.producers.avro.edits import ENCODER, MakePart, Part, key_parts, value_parts
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import result
from harness.wire.confluent import confluent_header


def _with_old_row(original: MakePart, encoder: Any, row: RowEvent) -> Part:  # noqa: ANN401
    if row.after is not None:
        return original(encoder, row)
    return original(encoder, replace(row, op=Op.UPDATE, after=row.before))


def _only_extension(original: MakePart, encoder: Any, row: RowEvent) -> Part:  # noqa: ANN401
    """Return a delete's value of the extension fields alone, under a schema of its own."""
    if row.after is not None:
        return original(encoder, row)
    schema = value_schema(row.table.table, (), encoder._settings)  # noqa: SLF001
    subject = f"{row.topic}-deletes"
    schema_id = encoder._registry.register(subject, schema.text)  # noqa: SLF001
    fields = b"\x02u" + varint(row.commit_ts) + varint(row.commit_ts >> LOGICAL_BITS)
    return confluent_header(schema_id) + fields, SchemaUse(subject, schema.text, schema_id)


def _with_the_key_before(given: Iterable[Record]) -> Iterator[Record]:
    """Yield the records, each delete with the key of the row's message before it in its topic."""
    last: dict[str, bytes] = {}
    for record in given:
        if record.key is None:
            yield record
            continue
        before = last.get(record.topic, record.key)
        last[record.topic] = record.key
        yield record if record.value is not None else replace(record, key=before)


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "avro-delete-with-the-old-row",
        "avro.row.delete",
        "It sends the old row as the value of a delete.",
        value_parts(_with_old_row),
        also="avro.row.no-old-value",
    ),
    WrongProducer(
        "avro-delete-without-key",
        "avro.row.delete",
        "It sends a delete without a key.",
        key_parts(
            lambda original, encoder, row: (
                (None, None) if row.after is None else original(encoder, row)
            )
        ),
    ),
    WrongProducer(
        "avro-delete-with-the-key-before",
        "avro.row.delete",
        "It sends a delete with the key of the message before it in its topic.",
        result(f"{ENCODER}.encode", _with_the_key_before),
    ),
    WrongProducer(
        "avro-delete-with-extension",
        "avro.row.delete.no-extension",
        "It sends the extension fields as the value of a delete.",
        value_parts(_only_extension),
    ),
)

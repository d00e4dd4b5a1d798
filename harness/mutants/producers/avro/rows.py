"""Rows: keys, values, deletes, order, watermarks, checksums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.avro.varint import varint
from harness.codecs.ticdc.settings import WATERMARK
from harness.ddl.tidb import handle_columns
from harness.model.change import Op
from harness.model.record import Record
from harness.model.source_events import RowEvent, SourceEvent
from harness.mutants.producers.avro.edits import (
    ENCODER,
    MakePart,
    Part,
    settings,
    value_parts,
)
from harness.mutants.producers.changefeed.edits import emitted, rows
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import (
    Patch,
    constant,
    entry,
    instead,
    patch,
    result,
    returns,
)

ENCODE: Final = "harness.codecs.avro.encode"
SPLIT: Final = "harness.sources.tidb.split:split_on"
AVRO: Final = ("avro",)
_INSERTS_FIRST = {Op.INSERT: 0, Op.UPDATE: 1, Op.DELETE: 2}
_UPDATES_LAST = {Op.DELETE: 0, Op.INSERT: 1, Op.UPDATE: 2}
_UPDATES_FIRST = {Op.UPDATE: 0, Op.DELETE: 1, Op.INSERT: 2}


def _records(change: Any) -> Patch:  # noqa: ANN401 - from one record to any number
    def changed(given: Iterable[Record]) -> Iterator[Record]:
        for record in given:
            yield from change(record)

    return result(f"{ENCODER}.encode", changed)


def _value_bytes(first: bytes, change: Any) -> Patch:  # noqa: ANN401 - bytes to bytes
    """Return the patch that changes values that begin with a byte."""
    return _records(
        lambda record: [
            replace(record, value=change(record.value))
            if record.value is not None and record.value.startswith(first)
            else record
        ]
    )


def _keyed(first: bytes) -> Patch:
    """Return the patch that gives messages a key whose values begin with a byte."""
    return _records(
        lambda record: [
            replace(record, key=first)
            if record.value is not None and record.value.startswith(first)
            else record
        ]
    )


def _without_extension(original: Any) -> Any:  # noqa: ANN401 - patched
    """Return a reader of settings that takes `avro-enable-watermark` for enough."""

    def read(values: Mapping[str, object], dialect: str) -> object:
        return replace(original(values, dialect), watermark=values.get(WATERMARK) is True)

    return read


def _two_in_one(given: Sequence[Record]) -> Iterator[Record]:
    """Yield the records, each second one of a run behind the datum of the first."""
    held: Record | None = None
    for record in given:
        if held is not None and held.value and record.value and held.topic == record.topic:
            yield replace(held, value=held.value + record.value)
            held = None
            continue
        if held is not None:
            yield held
        held = record
    if held is not None:
        yield held


def _with_nulls(op: Op, original: MakePart, encoder: Any, row: RowEvent) -> Part:  # noqa: ANN401
    """Return a value with NULL in each column that allows it and, of an update, did not change."""
    if row.op is not op or row.after is None:
        return original(encoder, row)
    rest = zip(row.after, row.before or row.after, row.table.table.columns, strict=True)
    after = tuple(None if c.nullable and new == old else new for new, old, c in rest)
    return original(encoder, replace(row, after=after))


def _before(original: MakePart, encoder: Any, row: RowEvent) -> Part:  # noqa: ANN401
    return original(encoder, row if row.op is not Op.UPDATE else replace(row, after=row.before))


def _ranked(ranks: Mapping[Op, int], events: Sequence[SourceEvent]) -> Iterable[SourceEvent]:
    run: list[RowEvent] = []
    for event in events:
        if isinstance(event, RowEvent):
            run.append(event)
            continue
        yield from sorted(run, key=lambda row: (row.commit_ts, ranks[row.op]))
        run = []
        yield event
    yield from sorted(run, key=lambda row: (row.commit_ts, ranks[row.op]))


def _unasked(first: bytes) -> Patch:
    """Return the patch that sends messages that begin with a byte, and is read so, unasked."""

    def kept(record: Record) -> list[Record]:
        value = record.value
        other = record.key is None and value is not None and not value.startswith(first)
        return [] if other else [record]

    return replace(settings(watermark=True), then=_records(kept))


def _other_bits(original: Any) -> Any:  # noqa: ANN401 - patched
    """Return an `_extension` whose wall clock is the upper 44 bits of the commit ts."""

    def extension(encoder: object, row: RowEvent) -> bytes:
        right, wrong = (varint(row.commit_ts >> bits) for bits in (18, 20))
        found: bytes = original(encoder, row)
        return found.replace(right, wrong, 1)

    return extension


def _key_not_counted(original: Callable[..., Record]) -> Callable[..., Record]:
    """Return a `row` whose limit is for the value and the 36 bytes alone."""

    def written(encoder: Any, row: RowEvent) -> Record:  # noqa: ANN401 - of a patched method
        key, _ = encoder._key(row)  # noqa: SLF001
        encoder._limit = encoder._settings.max_message_bytes + len(key or b"")  # noqa: SLF001
        return original(encoder, row)

    return written


def _spread(row: RowEvent) -> Iterable[SourceEvent]:
    return (replace(row, partition=0 if row.op is Op.INSERT else row.partition),)


def _newest_first(events: Sequence[SourceEvent]) -> Iterable[SourceEvent]:
    run: list[RowEvent] = []
    for event in events:
        if isinstance(event, RowEvent):
            run.append(event)
            continue
        yield from sorted(run, key=lambda row: -row.commit_ts)
        run = []
        yield event
    yield from sorted(run, key=lambda row: -row.commit_ts)


def _kept(_: object, changes: Iterable[Any], **__: object) -> list[Any]:
    return list(changes)


def _without_split_inserts(sent: list[Any]) -> list[Any]:
    return [change for change in sent if not (change.split and change.op is Op.INSERT)]


def _never_raw(original: Any) -> Any:  # noqa: ANN401 - patched
    def start(tidb: object, feed: Any, *rest: object, **named: object) -> None:  # noqa: ANN401
        original(tidb, replace(feed, raw_changes=False), *rest, **named)

    return start


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "avro-tables-in-one-topic",
        "avro.topic.one-table",
        "It sends the rows of all tables to one topic.",
        rows(lambda row: (replace(row, topic="ticdc"),)),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-each-row-in-two-messages",
        "avro.message.one-row",
        "It sends each row event twice.",
        _records(lambda record: (record, record)),
    ),
    WrongProducer(
        "avro-two-rows-in-a-message",
        "avro.message.one-row",
        "It sends two rows in one message.",
        result(f"{ENCODER}.encode", lambda given: _two_in_one([*given])),
    ),
    WrongProducer(
        "avro-values-as-json",
        "avro.message.avro-encoded",
        "It sends values as JSON.",
        _value_bytes(b"\x00", lambda _: b'{"id":1}'),
    ),
    WrongProducer(
        "avro-keys-as-json",
        "avro.message.avro-encoded",
        "It sends keys as JSON.",
        _records(
            lambda record: [
                record if record.key is None else replace(record, key=b'{"id":1}'),
            ]
        ),
    ),
    WrongProducer(
        "avro-deserialiser-finds-no-frame",
        "avro.consumer.confluent-deserializer",
        "It sends values without the frame of Confluent.",
        _value_bytes(b"\x00", lambda value: value[5:]),
    ),
    WrongProducer(
        "avro-deserialiser-finds-no-frame-of-keys",
        "avro.consumer.confluent-deserializer",
        "It sends keys without the frame of Confluent.",
        _records(lambda record: [replace(record, key=record.key and record.key[5:])]),
    ),
    WrongProducer(
        "avro-insert-with-nulls",
        "avro.row.insert",
        "It sends NULL for the nullable columns of an insert.",
        value_parts(partial(_with_nulls, Op.INSERT)),
    ),
    WrongProducer(
        "avro-update-of-what-changed",
        "avro.row.update",
        "It sends NULL for the nullable columns that an update did not change.",
        value_parts(partial(_with_nulls, Op.UPDATE)),
    ),
    WrongProducer(
        "avro-update-with-the-old-row",
        "avro.row.update",
        "It sends the row before the change as an update's value.",
        value_parts(_before),
        also="avro.row.no-old-value",
    ),
    WrongProducer(
        "avro-op-of-an-insert",
        "avro.extension.op",
        "It calls an insert an update in `_tidb_op`.",
        entry(f"{ENCODE}:_OPS", Op.INSERT, lambda _: b"\x02u"),
    ),
    WrongProducer(
        "avro-op-of-an-update",
        "avro.extension.op",
        "It calls an update an insert in `_tidb_op`.",
        entry(f"{ENCODE}:_OPS", Op.UPDATE, lambda _: b"\x02c"),
    ),
    WrongProducer(
        "avro-time-in-other-bits",
        "avro.extension.physical-time",
        "It takes the wall clock to be the upper 44 bits of the commit ts.",
        patch(f"{ENCODER}._extension", _other_bits),
    ),
    WrongProducer(
        "avro-start-ts-for-commit-ts",
        "avro.extension.commit-ts",
        "It writes a ts before the transaction's commit.",
        patch(
            f"{ENCODER}._extension",
            lambda original: (
                lambda encoder, row: original(encoder, replace(row, commit_ts=row.commit_ts - 1))
            ),
        ),
    ),
    WrongProducer(
        "avro-no-limit",
        "avro.message.too-large",
        "It sends messages longer than `max-message-bytes`.",
        settings(max_message_bytes=2**40),
    ),
    WrongProducer(
        "avro-limit-without-overhead",
        "avro.message.too-large",
        "It counts keys and values alone against `max-message-bytes`, not the 36 bytes.",
        constant("harness.codecs.avro.encode:RECORD_OVERHEAD", 0),
    ),
    WrongProducer(
        "avro-limit-without-keys",
        "avro.message.too-large",
        "It does not count keys against `max-message-bytes`.",
        patch(f"{ENCODER}.row", _key_not_counted),
    ),
    WrongProducer(
        "avro-limit-is-too-large",
        "avro.message.too-large",
        "It stops at a message that is as long as `max-message-bytes`.",
        result(
            "harness.codecs.avro.settings:settings",
            lambda found: replace(found, max_message_bytes=found.max_message_bytes - 1),
        ),
    ),
    WrongProducer(
        "avro-inserts-before-deletes",
        "avro.order.deletes-first",
        "It sends inserts before the deletes of their transaction.",
        emitted(partial(_ranked, _INSERTS_FIRST)),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-inserts-before-updates",
        "avro.order.deletes-first",
        "It sends inserts before the updates of their transaction.",
        emitted(partial(_ranked, _UPDATES_LAST)),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-updates-before-deletes",
        "avro.order.deletes-first",
        "It sends updates before the deletes of their transaction.",
        emitted(partial(_ranked, _UPDATES_FIRST)),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-later-versions-first",
        "avro.order.per-key",
        "It sends the rows between two other events from the newest to the oldest.",
        emitted(_newest_first),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-key-in-two-partitions",
        "avro.order.per-key",
        "It sends inserts to partition 0, and all else where it belongs.",
        rows(_spread),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-keys-move-in-one-message",
        "avro.row.pk-update-split",
        "It sends an update that changes a unique key as one message.",
        patch(SPLIT, lambda _: _kept),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-split-update-without-its-insert",
        "avro.row.pk-update-split",
        "It sends the delete alone of an update that it splits.",
        result(SPLIT, _without_split_inserts),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-handle-keys-alone-are-split",
        "avro.row.pk-update-split",
        "It sends an update that changes a unique key beside the handle key as one message.",
        instead("harness.sources.tidb.split:unique_ordinals", handle_columns),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-raw-changes-are-split",
        "avro.row.raw-change-event",
        "It ignores `output-raw-change-event`.",
        patch("harness.sources.tidb.simulator:TiDB.__init__", _never_raw),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-6-splits-updates",
        "avro.row.unsplit",
        "It splits updates of unique keys in 6.5.0 too.",
        constant("harness.sources.tidb.changefeed:_SPLITTING_NONE", frozenset[str]()),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-keyless-tables-are-sent",
        "avro.table.keyless-skipped",
        "It sends the rows of tables without a valid index.",
        returns("harness.sources.tidb.mounter:eligible", value=True),
        protocols=AVRO,
    ),
    WrongProducer(
        "avro-watermark-without-being-asked",
        "avro.watermark.none",
        "It sends watermarks without `avro-enable-watermark`.",
        _unasked(b"\x02"),
    ),
    WrongProducer(
        "avro-ddl-without-being-asked",
        "avro.ddl.none",
        "It sends DDL events without `avro-enable-watermark`.",
        _unasked(b"\x01"),
    ),
    WrongProducer(
        "avro-watermark-little-endian",
        "avro.watermark.extension",
        "It writes a watermark's ts with its lowest byte first.",
        _value_bytes(b"\x02", lambda value: value[:1] + value[:0:-1]),
    ),
    WrongProducer(
        "avro-watermark-in-4-bytes",
        "avro.watermark.extension",
        "It writes the last 4 bytes alone of a watermark's ts.",
        _value_bytes(b"\x02", lambda value: value[:1] + value[5:]),
    ),
    WrongProducer(
        "avro-watermark-of-the-wall-clock",
        "avro.watermark.extension",
        "It writes the milliseconds of a watermark's ts for the ts.",
        _value_bytes(
            b"\x02",
            lambda value: value[:1] + (int.from_bytes(value[1:], "big") >> 18).to_bytes(8, "big"),
        ),
    ),
    WrongProducer(
        "avro-watermark-with-another-first-byte",
        "avro.watermark.extension",
        "It begins a watermark with the byte 0x03.",
        _value_bytes(b"\x02", lambda value: b"\x03" + value[1:]),
    ),
    *(
        WrongProducer(
            f"avro-{word}-with-a-key",
            f"avro.{word}.extension",
            f"It gives a {word if word != 'ddl' else 'DDL event'} a key.",
            _keyed(first),
        )
        for word, first in (("watermark", b"\x02"), ("ddl", b"\x01"))
    ),
    WrongProducer(
        "avro-ddl-with-another-first-byte",
        "avro.ddl.extension",
        "It begins a DDL event with the byte 0x03.",
        _value_bytes(b"\x01", lambda value: b"\x03" + value[1:]),
    ),
    WrongProducer(
        "avro-watermark-never",
        "avro.watermark.extension",
        "It ignores `avro-enable-watermark`.",
        settings(watermark=False),
        also="avro.ddl.extension",
    ),
    WrongProducer(
        "avro-watermark-without-the-extension",
        "avro.watermark.none",
        "It sends watermarks and DDL where `avro-enable-watermark` is set without the extension.",
        patch("harness.codecs.avro.settings:settings", _without_extension),
        also="avro.ddl.none",
    ),
    WrongProducer(
        "avro-watermark-in-a-frame",
        "avro.watermark.not-avro",
        "It begins watermarks with the byte 0x00, as Avro does.",
        _value_bytes(b"\x02", lambda value: b"\x00" + value[1:]),
    ),
    WrongProducer(
        "avro-ddl-in-a-frame",
        "avro.watermark.not-avro",
        "It begins DDL messages with the byte 0x00, as Avro does.",
        _value_bytes(b"\x01", lambda value: b"\x00" + value[1:]),
        also="avro.ddl.extension",
    ),
    *(
        WrongProducer(
            f"avro-ddl-without-{name.lower()}",
            "avro.ddl.extension",
            f"It gives `{name}` of a DDL event another name.",
            _value_bytes(
                b"\x01",
                lambda value, name=name: value.replace(f'"{name}":'.encode(), b'"other":', 1),
            ),
        )
        for name in ("query", "type", "schema", "table", "commitTs")
    ),
)

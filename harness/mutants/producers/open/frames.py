"""Messages: frames, batches, partitions, headers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from struct import pack, unpack_from

from harness.codecs.open.reference import BATCH_SIZE
from harness.model.record import Record
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.open.edits import Pairs, each_record, frames, records, settings
from harness.mutants.producers.patch import Patch, constant, instead
from harness.wire.framing import frame_keys, frame_values

VERSION = 8


def _key(change: Callable[[bytes], bytes]) -> Patch:
    return each_record(lambda r: [replace(r, key=None if r.key is None else change(r.key))])


def _value(change: Callable[[bytes], bytes]) -> Patch:
    return each_record(lambda r: [replace(r, value=None if r.value is None else change(r.value))])


def _lengths(data: bytes, written: Callable[[int], bytes]) -> bytes:
    """Return frames with their lengths written in another way."""
    parts: list[bytes] = []
    at = 0
    while at < len(data):
        (length,) = unpack_from(">q", data, at)
        parts += [written(length), data[at + 8 : at + 8 + length]]
        at += 8 + length
    return b"".join(parts)


def _short(data: bytes) -> bytes:
    return _lengths(data, lambda length: pack(">i", length))


def _little(data: bytes) -> bytes:
    return _lengths(data, lambda length: pack("<q", length))


def _turned(pairs: Pairs) -> Pairs:
    keys, values = zip(*pairs, strict=True)
    return [*zip(keys, reversed(values), strict=True)]


def _fourth_kind(record: Record) -> Iterable[Record]:
    yield record
    key = frame_keys([b'{"ts":1,"t":4}'])
    yield replace(record, key=key, value=frame_values([b""]), origins=record.origins[:1])


def _empty_behind(record: Record) -> Iterable[Record]:
    yield record
    yield replace(record, key=frame_keys([]), value=b"", origins=())


def _together(kind: bytes, given: Sequence[Record]) -> Iterable[Record]:
    """Return the records, each of a kind within the message before it in its partition."""
    done: list[Record] = []
    for record in given:
        last = done[-1] if done else None
        alone = record.key is not None and record.key.endswith(kind)
        if (
            not alone
            or last is None
            or (last.topic, last.partition)
            != (
                record.topic,
                record.partition,
            )
        ):
            done.append(record)
            continue
        done[-1] = replace(
            last,
            key=(last.key or b"") + (record.key or b"")[VERSION:],
            value=(last.value or b"") + (record.value or b""),
            origins=(*last.origins, *record.origins),
        )
    return done


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "open-fourth-kind-of-event",
        "open.event.kinds",
        "It sends an event of kind 4 behind each message.",
        each_record(_fourth_kind),
    ),
    WrongProducer(
        "open-message-without-events",
        "open.frame.batch",
        "It sends a message without any event behind each message.",
        each_record(_empty_behind),
    ),
    WrongProducer(
        "open-key-without-version",
        "open.frame.key-version",
        "It begins a message key with the first event key's length.",
        _key(lambda key: key[VERSION:]),
    ),
    WrongProducer(
        "open-version-in-4-bytes",
        "open.frame.key-version",
        "It writes the version number in 4 bytes.",
        _key(lambda key: key[4:]),
        also="open.frame.big-endian",
    ),
    WrongProducer(
        "open-version-2",
        "open.frame.version-1",
        "It gives version 2 as the protocol's.",
        _key(lambda key: pack(">q", 2) + key[VERSION:]),
    ),
    WrongProducer(
        "open-key-lengths-in-4-bytes",
        "open.frame.key-length",
        "It writes the length of an event key in 4 bytes.",
        _key(lambda key: key[:VERSION] + _short(key[VERSION:])),
        also="open.frame.big-endian",
    ),
    WrongProducer(
        "open-key-length-counts-itself",
        "open.frame.key-length",
        "It counts the 8 bytes of a length as part of the event key.",
        _key(lambda key: key[:VERSION] + _lengths(key[VERSION:], lambda n: pack(">q", n + 8))),
    ),
    WrongProducer(
        "open-value-lengths-in-4-bytes",
        "open.frame.value-length",
        "It writes the length of an event value in 4 bytes.",
        _value(_short),
        also="open.frame.big-endian",
    ),
    WrongProducer(
        "open-value-with-version",
        "open.frame.value-length",
        "It begins a message value with the version number.",
        _value(lambda value: pack(">q", 1) + value),
    ),
    WrongProducer(
        "open-lengths-little-endian",
        "open.frame.big-endian",
        "It writes the lengths in a key as little-endian integers.",
        _key(lambda key: key[:VERSION] + _little(key[VERSION:])),
    ),
    WrongProducer(
        "open-value-lengths-little-endian",
        "open.frame.big-endian",
        "It writes the lengths in a value as little-endian integers.",
        _value(_little),
    ),
    WrongProducer(
        "open-version-little-endian",
        "open.frame.big-endian",
        "It writes the version number as a little-endian integer.",
        _key(lambda key: pack("<q", 1) + key[VERSION:]),
    ),
    WrongProducer(
        "open-values-in-turned-order",
        "open.frame.pairing",
        "It writes the event values of a message from the last to the first.",
        frames(_turned),
    ),
    WrongProducer(
        "open-marks-in-batches",
        "open.frame.alone",
        "It puts resolved events into the message before them.",
        records(partial(_together, b'"t":3}')),
    ),
    WrongProducer(
        "open-ddl-in-batches",
        "open.frame.alone",
        "It puts DDL events into the message before them.",
        records(partial(_together, b'"t":2}')),
    ),
    WrongProducer(
        "open-with-a-header",
        "open.frame.no-headers",
        "It sends each message with a header.",
        each_record(lambda record: [replace(record, headers=(("protocol", b"open"),))]),
    ),
    WrongProducer(
        "open-batch-of-one-more",
        "open.batch.size",
        "It takes one event more into a message than `max-batch-size`.",
        settings(lambda given: {"max_batch_size": given.max_batch_size + 1}),
    ),
    WrongProducer(
        "open-batch-of-another-default",
        "open.batch.size",
        "It takes 4096 events into a message by default, as before 4.0.13.",
        settings(
            lambda given: {"max_batch_size": 4096} if given.max_batch_size == BATCH_SIZE else {}
        ),
    ),
    WrongProducer(
        "open-batch-lengths-not-counted",
        "open.batch.bytes",
        "It counts no lengths of event keys and values against `max-message-bytes`.",
        constant("harness.codecs.open.batch:EVENT_OVERHEAD", 0),
    ),
    WrongProducer(
        "open-batch-overhead-not-counted",
        "open.batch.bytes",
        "It counts no overhead of Kafka's against `max-message-bytes`.",
        constant("harness.codecs.ticdc.settings:RECORD_OVERHEAD", 0),
    ),
    *(
        WrongProducer(
            f"open-batch-{words}s-not-counted",
            "open.batch.bytes",
            f"It counts no event {words}s against `max-message-bytes`.",
            instead("harness.codecs.open.encode:_sizes", counted),
        )
        for words, counted in (
            ("key", lambda _, values: [*map(len, values)]),
            ("value", lambda keys, _: [*map(len, keys)]),
        )
    ),
    WrongProducer(
        "open-batch-bytes-not-minded",
        "open.batch.bytes",
        "It fills a message beyond `max-message-bytes`.",
        settings(lambda _: {"max_message_bytes": 1 << 30}),
    ),
    WrongProducer(
        "open-too-large-passes",
        "open.batch.too-large",
        "It sends a row that alone exceeds `max-message-bytes`.",
        settings(lambda _: {"max_message_bytes": 1 << 30}),
    ),
)

"""Large rows and compression."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from harness.codecs.open.encode_rows import ReducedRow
from harness.model.record import Record
from harness.model.source_events import RowEvent
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.open.edits import (
    ROW,
    Json,
    Pairs,
    each_record,
    events,
    frames,
    settings,
)
from harness.mutants.producers.patch import patch, result
from harness.wire.compression import compressed, decompressed
from harness.wire.framing import frame_values, unframe

_LZ4 = bytes.fromhex("04224d18")


def _with_last_column(columns: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the columns of a table with its last one among those that a large row keeps."""
    last = max(column.ordinal for column in columns)
    return tuple(replace(c, handle=c.handle or c.ordinal == last) for c in columns)


def _way(value: bytes) -> str:
    """Return how an event value is compressed: LZ4's frames begin with a magic number."""
    if value[:2] in {b"", b'{"'}:
        return "none"
    return "lz4" if value.startswith(_LZ4) else "snappy"


def _keys_too(pairs: Pairs) -> Pairs:
    return [(compressed(key, _way(value)), value) for key, value in pairs]


def _plain(kind: bytes, pairs: Pairs) -> Pairs:
    """Return the pairs with the values of a kind as they were before they were compressed."""
    return [
        (key, decompressed(value, _way(value)) if kind in key else value) for key, value in pairs
    ]


def _together(record: Record) -> Iterable[Record]:
    """Yield the record with the frames of its value compressed as one."""
    pairs = [*unframe(record.key or b"", record.value or b"")]
    ways = {_way(value) for _, value in pairs}
    if ways and "none" not in ways:
        (way,) = ways
        whole = frame_values([decompressed(value, way) for _, value in pairs])
        record = replace(record, value=compressed(whole, way))
    yield record


def _first_handle_column(key: Json, value: Json) -> None:
    """Leave the first handle column alone in each image of a row that was too large."""
    if key.get("ohk") and "ccl" not in key:
        for image, columns in value.items():
            value[image] = dict([*columns.items()][:1])


def _another_file(key: Json, _: Json) -> None:
    if "ccl" in key:
        key["ccl"] += "x"


def _whatever_its_size(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `_reduced` that does not ask whether the handle columns fit."""

    def reduced(encoder: Any, row: RowEvent, key: bytes, value: bytes) -> Any:  # noqa: ANN401 - as patched
        if vars(encoder)["_settings"].large != "handle-key-only":
            return original(encoder, row, key, value)
        return vars(encoder)["_rows"].reduced(row, ReducedRow())

    return reduced


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "open-large-row-with-another-column",
        "open.large.handle-key-only",
        "It sends the table's last column as well of a row that is too large.",
        result("harness.codecs.open.encode_rows:RowTexts._table_columns", _with_last_column),
    ),
    WrongProducer(
        "open-large-row-with-first-handle-column",
        "open.large.handle-key-only",
        "It sends the first of the handle columns alone of a row that is too large.",
        events(ROW, _first_handle_column),
    ),
    WrongProducer(
        "open-large-handle-passes",
        "open.large.handle-key-only",
        "It sends the handle columns of a row even where they alone are too large.",
        patch("harness.codecs.open.encode:OpenEncoder._reduced", _whatever_its_size),
    ),
    WrongProducer(
        "open-large-row-without-ohk",
        "open.large.handle-key-only",
        "It leaves `ohk` out of the key of a row that was too large.",
        events(ROW, lambda key, _: key.pop("ohk", None)),
    ),
    WrongProducer(
        "open-large-row-in-the-message",
        "open.large.claim-check",
        "It sends the handle columns instead of a claim check.",
        settings(
            lambda given: {"large": "handle-key-only"} if given.large == "claim-check" else {}
        ),
    ),
    WrongProducer(
        "open-claim-check-without-its-place",
        "open.large.claim-check",
        "It leaves `ccl` out of the key.",
        events(ROW, lambda key, _: key.pop("ccl", None)),
    ),
    WrongProducer(
        "open-claim-check-of-another-file",
        "open.large.claim-check",
        "It names a file under `ccl` that is not there.",
        events(ROW, _another_file),
    ),
    WrongProducer(
        "open-rows-not-compressed",
        "open.frame.compressed",
        "It compresses no row.",
        frames(partial(_plain, b'"t":1')),
    ),
    WrongProducer(
        "open-ddl-not-compressed",
        "open.frame.compressed",
        "It compresses no DDL event.",
        frames(partial(_plain, b'"t":2')),
    ),
    WrongProducer(
        "open-frames-compressed-together",
        "open.frame.compressed",
        "It compresses the frames of a message's value together.",
        each_record(_together),
    ),
    WrongProducer(
        "open-keys-compressed",
        "open.frame.compressed",
        "It compresses the event keys as well.",
        frames(_keys_too),
    ),
)

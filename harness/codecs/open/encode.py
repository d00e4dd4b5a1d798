"""Vendor input to Kafka records: event JSON, then batches.

Rows are written many at a time, which asks for up to `RUN` events before the first record is given.

Source: TiCDC codec notes §2.1, 2.7, 2.8; TiCDC Open Protocol, 2020, §Message format, §Event format;
tiflow c7b2588 open_protocol_encoder.go:81 `AppendRowChangedEvent`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import add
from typing import assert_never

from harness.codecs.open.batch import (
    SINGLE_OVERHEAD,
    Batches,
    EncodedRows,
    OpenMessages,
    Singles,
)
from harness.codecs.open.encode_rows import ReducedRow, RowTexts
from harness.codecs.open.settings import OpenSettings
from harness.codecs.ticdc.claim_check import ClaimCheck, content, location, names
from harness.errors import SourceStopped
from harness.model.record import Record
from harness.model.source_events import DdlEvent, ResolvedEvent, RowEvent, SourceEvent
from harness.wire.compression import compressed
from harness.wire.framing import frame_keys, frame_values
from harness.wire.json_text import bare, html_safe

RUN = 256


class OpenEncoder:
    """Turns one changefeed's vendor input into records.

    `store` is given each file that a record names, before the record; the names follow from `seed`.
    """

    def __init__(
        self, settings: OpenSettings, store: Callable[[ClaimCheck], None], seed: int
    ) -> None:
        """Take the changefeed's settings."""
        self._settings = settings
        self._store = store
        self._rows = RowTexts(settings)
        self._names = names(seed)
        self._escaped = html_safe if settings.dialect.html_escapes else bare

    def encode(self, events: Iterable[SourceEvent]) -> Iterator[Record]:
        """Yield the records in emission order.

        Rows are batched by partition until the batch is full or a DDL or resolved event follows;
        the vendor's own batches also depend on timing (TiCDC codec notes §2.7). Raises
        SourceStopped where TiCDC would stop, EncodingError for a value that no column has.
        """
        waiting: OpenMessages = (
            Singles() if self._settings.max_batch_size == 1 else Batches(self._settings)
        )
        run: list[RowEvent] = []
        for event in events:
            if isinstance(event, RowEvent):
                run.append(event)
                if len(run) == RUN:
                    yield from waiting.add(self._written(run))
                    run.clear()
                continue
            if run:
                yield from waiting.add(self._written(run))
                run.clear()
            match event:
                case DdlEvent():
                    yield from waiting.flush(event.topic)
                    yield from self._ddl(event)
                case ResolvedEvent():
                    yield from waiting.close((event.topic, event.partition))
                    yield _resolved(event)
                case _:
                    assert_never(event)
        if run:
            yield from waiting.add(self._written(run))
        yield from waiting.flush()

    def _written(self, rows: Sequence[RowEvent]) -> EncodedRows:
        settings = self._settings
        keys, values = self._rows.pairs(rows)
        if settings.compression != "none":
            values = [compressed(value, settings.compression) for value in values]
        largest = settings.max_message_bytes - SINGLE_OVERHEAD
        sizes = _sizes(keys, values)
        if sizes and max(sizes) > largest:
            for number, size in enumerate(sizes):
                if size > largest:
                    keys[number], values[number] = self._reduced(
                        rows[number], keys[number], values[number]
                    )
            sizes = _sizes(keys, values)
        return EncodedRows(rows, keys, values, sizes)

    def _reduced(self, row: RowEvent, key: bytes, value: bytes) -> tuple[bytes, bytes]:
        """Return what is sent instead of a row that is too large."""
        settings = self._settings
        if settings.large == "none":
            raise _too_large(row, key, value, settings)
        how = ReducedRow()
        if settings.large == "claim-check":
            name = next(self._names)
            self._store(ClaimCheck(name, content(key, value)))
            how = ReducedRow(location(settings.storage_uri, name))
        key, value = self._rows.reduced(row, how)
        value = compressed(value, settings.compression)
        if len(key) + len(value) + SINGLE_OVERHEAD > settings.max_message_bytes:
            raise _too_large(row, key, value, settings)
        return key, value

    def _ddl(self, event: DdlEvent) -> Iterator[Record]:
        dialect = self._settings.dialect
        query = event.query if dialect.restored_query else event.source
        scm, tbl, q = (self._escaped([text])[0] for text in (event.schema, event.table, query))
        schema = f',"scm":"{scm}"' if scm or dialect.empty_members else ""
        table = f',"tbl":"{tbl}"' if tbl or dialect.empty_members else ""
        named = f'{{"ts":{event.commit_ts}{schema}{table},"t":2}}'
        key = frame_keys([named.encode("utf-8", "surrogateescape")])
        text = f'{{"q":"{q}","t":{event.type}}}'.encode("utf-8", "surrogateescape")
        value = frame_values([compressed(text, self._settings.compression)])
        for partition in range(event.partitions):
            yield Record(event.topic, partition, key, value, (event.origin,))


def _sizes(keys: Sequence[bytes], values: Sequence[bytes]) -> list[int]:
    return [*map(add, map(len, keys), map(len, values))]


def _resolved(mark: ResolvedEvent) -> Record:
    key = frame_keys([f'{{"ts":{mark.ts},"t":3}}'.encode()])
    return Record(mark.topic, mark.partition, key, frame_values([b""]), (mark.origin,))


def _too_large(row: RowEvent, key: bytes, value: bytes, settings: OpenSettings) -> SourceStopped:
    size = len(key) + len(value) + SINGLE_OVERHEAD
    return SourceStopped(
        "ErrMessageTooLarge",
        f"a row of {row.table.table.id} needs {size} bytes, max-message-bytes is "
        f"{settings.max_message_bytes}",
        hint="raise max-message-bytes, or set large-message-handle-option",
    )

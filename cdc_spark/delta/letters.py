"""Dead letters: the messages that were set aside, in a Delta table beside the others.

A line has all that was in Kafka, so a message can be decoded again when its reason is gone, and
sent again as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cdc_spark import rows
from cdc_spark.set_aside import COLUMNS, unpacked
from cdc_spark.untyped import ArrowBatch, pa

NAME = "_dead_letters"
SHAPE = (
    f"feed int, topic string, partition int, offset bigint, {COLUMNS}, reason string, batch bigint"
)
_HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
_SCHEMA = pa.schema(
    [
        ("feed", pa.int32()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", _HEADERS),
        ("timestamp", pa.int64()),
        ("reason", pa.string()),
        ("batch", pa.int64()),
    ]
)


@dataclass(frozen=True, slots=True)
class Letters:
    """Applied changes of kind ERROR -> dead letters; `topics` are names by changefeed."""

    topics: Mapping[int, Sequence[str]]
    batch: int

    def rows(self, batches: Iterator[ArrowBatch]) -> Iterator[ArrowBatch]:
        """Yield the letters of a partition."""
        for batch in batches:
            found: list[dict[str, Any]] = []
            for feed, *_, payload, topic, partition, offset in rows.tuples(batch):
                reason, content = unpacked(payload)
                place = {"topic": self.topics[feed][topic], "partition": partition}
                line = {"feed": feed, **place, "offset": offset, **content, "reason": reason}
                found.append({**line, "batch": self.batch})
            yield pa.RecordBatch.from_pylist(found, schema=_SCHEMA)

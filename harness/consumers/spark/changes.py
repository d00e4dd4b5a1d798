"""Events as an Arrow batch of the public shape, built column by column.

Law: nothing is parsed that was parsed before, and no value becomes a Python object that Arrow can
take as bytes: decimals go in as the two words that they are, structs as their fields' arrays. Rows
of tuples turned into structs and decimals by Arrow cost as much as reading the messages.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

import orjson
import pyarrow as pa

from harness.consumers.spark.events import Event, Images, Kind
from harness.consumers.spark.untyped import ArrowBatch

Place = tuple[str, int, int, int]  # topic, partition, offset, slot

OPS: Mapping[Kind, str] = {
    Kind.UPSERT: "upsert",
    Kind.DELETE: "delete",
    Kind.DDL: "ddl",
    Kind.RESOLVED: "resolved",
    Kind.TOMBSTONE: "tombstone",
    Kind.BEGIN: "begin",
    Kind.END: "end",
    Kind.ERROR: "poison",
}
_STRING: Any = pa.string()
# A transaction's fields: their names here and in an event's JSON, and their types.
_TRANSACTION: Sequence[tuple[str, str, Any]] = (
    ("id", "id", _STRING),
    ("total_order", "n", pa.int64()),
    ("shard", "shard", _STRING),
    ("epoch", "epoch", pa.int64()),
    ("rank", "rank", _STRING),
    ("event_count", "count", pa.int64()),
)
_TRANSACTION_TYPE: Any = pa.struct([(name, kind) for name, _, kind in _TRANSACTION])
_WORD = 2**64 - 1
_COMMIT_TS: Any = pa.decimal128(20, 0)
NAMES = (
    *("op", "schema", "table", "identity", "key", "before", "after", "commit_ts", "query"),
    *("transaction", "reason", "topic", "partition", "offset", "slot", "change"),
)


def change_batch(events: Sequence[Event], places: Sequence[Place]) -> ArrowBatch:
    """Return events, each with its place, as rows of the shape `decoding.CHANGE`."""
    topics, partitions, offsets, slots = zip(*places, strict=True) if places else ((),) * 4
    images = [event.images for event in events]
    arrays: list[Any] = [
        pa.array([OPS[event.kind] for event in events], _STRING),
        pa.array([event.schema for event in events], _STRING),
        pa.array([event.table for event in events], _STRING),
        pa.array([event.identity if event.images else "" for event in events], _STRING),
        _lists([() if one is None else one.key for one in images]),
        pa.array([None if one is None else one.before for one in images], _STRING),
        pa.array([None if one is None else one.after for one in images], _STRING),
        _decimals([event.ts for event in events]),
        pa.array([_query(event) for event in events], _STRING),
        _transactions([event.transaction for event in events]),
        pa.array([e.payload if e.kind is Kind.ERROR else None for e in events], _STRING),
        pa.array(topics, _STRING),
        pa.array(partitions, pa.int32()),
        pa.array(offsets, pa.int64()),
        pa.array(slots, pa.int32()),
        pa.array([None if one is None else _change(one) for one in images], _STRING),
    ]
    batch: ArrowBatch = pa.RecordBatch.from_arrays(arrays, names=list(NAMES))
    return batch


def _query(event: Event) -> str | None:
    return orjson.loads(event.payload)["q"] if event.kind is Kind.DDL else None


def _change(images: Images) -> str | None:
    """Return what a row's event is, where the message says it: an old row beside a new one does."""
    if images.change:
        return images.change
    return "update" if images.before is not None and images.after is not None else None


def _lists(lists: Sequence[Sequence[str]]) -> Any:  # noqa: ANN401 - an Arrow array
    ends = pa.array([0, *accumulate(map(len, lists))], pa.int32())
    return pa.ListArray.from_arrays(ends, pa.array(list(chain.from_iterable(lists)), _STRING))


def _decimals(numbers: Sequence[int]) -> Any:  # noqa: ANN401 - an Arrow array
    """Return numbers of up to 64 bits as decimals; 0 is null.

    A decimal is a two's complement of two words of 64 bits, in the machine's order.
    """
    words = array("Q", bytes(16 * len(numbers)))
    lower, upper = (0, 1) if sys.byteorder == "little" else (1, 0)
    words[lower::2] = array("Q", [number & _WORD for number in numbers])
    words[upper::2] = array("Q", [_WORD if number < 0 else 0 for number in numbers])
    known = pa.array([bool(number) for number in numbers], pa.bool_())
    return pa.Array.from_buffers(
        _COMMIT_TS, len(numbers), [known.buffers()[1], pa.py_buffer(words.tobytes())]
    )


def _transactions(texts: Sequence[str]) -> Any:  # noqa: ANN401 - an Arrow array
    if not any(texts):
        return pa.nulls(len(texts), _TRANSACTION_TYPE)
    nothing: Mapping[str, Any] = {}
    told = [orjson.loads(text) if text else nothing for text in texts]
    fields = [pa.array([one.get(name) for one in told], kind) for _, name, kind in _TRANSACTION]
    missing = pa.array([not text for text in texts], pa.bool_())
    return pa.StructArray.from_arrays(fields, fields=list(_TRANSACTION_TYPE), mask=missing)

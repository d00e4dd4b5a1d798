"""Events of a batch of messages as columns of Arrow's, and the rows that Spark is given of them.

A block says of each event in which message it stood and where in it (`order`); whatever read
it, blocks of one batch are put together in that order. A message has either all of its events here
or none.

| column | content |
| --- | --- |
| order | the message's number in the batch, times 2^20, plus the event's place in it |
| kind, ts, schema, table, identity, transaction | as in `events.Event` |
| change | of an upsert `insert` or `update`, where its message has a word for it, else null |
| before, after, key | a row's images and the names of its key; null where the payload has them |
| payload | as in `events.Event`; null where before, after and key are filled |
| position | as in `events.Event`; null for none |
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import accumulate, chain
from typing import Any

import orjson

from cdc_spark.events import Event, Images, Kind
from cdc_spark.untyped import ArrowBatch, Column, np, pa, pc

PLACES = 20  # bits of `order` that say where in its message an event stands
_STRING: Any = pa.string()
_WORD = 2**64 - 1
COMMIT_TS: Any = pa.decimal128(20, 0)
NAMES: Any = pa.list_(_STRING)
BLOCK: Mapping[str, Any] = {
    "order": pa.int64(),
    "kind": pa.int32(),
    "ts": COMMIT_TS,
    "schema": _STRING,
    "table": _STRING,
    "identity": _STRING,
    "before": _STRING,
    "after": _STRING,
    "key": NAMES,
    "change": _STRING,
    "payload": _STRING,
    "transaction": _STRING,
    "position": _STRING,
}
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
_OPS: Any = pa.array([OPS.get(kind, "") for kind in Kind], _STRING)
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
_NO_NAMES: Any = pa.scalar([], NAMES)
NO_TS: Any = pa.scalar(Decimal(0), COMMIT_TS)
PUBLIC = (
    *("op", "schema", "table", "identity", "key", "before", "after", "commit_ts", "query"),
    *("transaction", "reason", "topic", "partition", "offset", "slot", "change", "message"),
    "position",
)
_HEADERS: Any = pa.list_(pa.struct([("key", _STRING), ("value", pa.binary())]))
_CONTENT: Mapping[str, Any] = {
    "key": pa.binary(),
    "value": pa.binary(),
    "headers": _HEADERS,
    "timestamp": pa.int64(),
}


def from_columns(columns: Mapping[str, Column]) -> ArrowBatch:
    """Return a block of these columns; those that are not among them are null, or ""."""
    size = len(columns["order"])
    return pa.RecordBatch.from_arrays(
        [
            columns[name] if name in columns else _missing(name, kind, size)
            for name, kind in BLOCK.items()
        ],
        names=list(BLOCK),
    )


def _missing(name: str, kind: Any, size: int) -> Column:  # noqa: ANN401 - an Arrow type
    return same("", size) if name == "transaction" else pa.nulls(size, kind)


def same(text: str, size: int) -> Column:
    """Return a column of one text."""
    return pa.repeat(text, size)


def same_names(names: Sequence[str], size: int) -> Column:
    """Return a column of one list of names."""
    ends = pa.array(np.arange(size + 1) * len(names), pa.int32())
    chosen = pa.array(np.tile(np.arange(len(names)), size))
    return pa.ListArray.from_arrays(ends, pa.array(names, _STRING).take(chosen))


def block_of(numbered: Iterable[tuple[int, Sequence[Event]]]) -> ArrowBatch:
    """Return the events of messages, each with its number in the batch."""
    events: list[Event] = []
    order: list[int] = []
    for message, found in numbered:
        order.extend(range(message << PLACES, (message << PLACES) + len(found)))
        events.extend(found)
    images = [event.images for event in events]
    return from_columns(
        {
            "order": pa.array(order, pa.int64()),
            "kind": pa.array([event.kind for event in events], pa.int32()),
            "ts": _decimals([event.ts for event in events]),
            "schema": pa.array([event.schema for event in events], _STRING),
            "table": pa.array([event.table for event in events], _STRING),
            "identity": pa.array([event.identity for event in events], _STRING),
            "before": pa.array([None if one is None else one.before for one in images], _STRING),
            "after": pa.array([None if one is None else one.after for one in images], _STRING),
            "key": _lists([None if one is None else one.key for one in images]),
            "change": pa.array([_change(one) for one in images], _STRING),
            "payload": pa.array([event.payload for event in events], _STRING),
            "transaction": pa.array([event.transaction for event in events], _STRING),
            "position": pa.array([event.position or None for event in events], _STRING),
        }
    )


def _change(images: Images | None) -> str | None:
    """Return what a row's event is, where the message says it: an old row beside a new one does."""
    if images is None or images.change:
        return images and images.change
    return "update" if images.before is not None and images.after is not None else None


def together(blocks: Sequence[ArrowBatch]) -> ArrowBatch:
    """Return blocks of one batch as one, in order."""
    filled = [one for one in blocks if one.num_rows]
    if len(filled) == 1 and _sorted(filled[0]):
        return filled[0]
    table = pa.Table.from_batches(filled or blocks[:1], schema=pa.schema(list(BLOCK.items())))
    (batch,) = table.combine_chunks().to_batches() or [blocks[0]]
    return batch.take(pc.sort_indices(batch["order"]))


def _sorted(block: ArrowBatch) -> bool:
    order = block["order"].to_numpy()
    return bool(np.all(order[1:] > order[:-1]))


def places(block: ArrowBatch) -> tuple[Column, Column]:
    """Return of each event the number of its message, and its slot there."""
    messages = block["order"].to_numpy() >> PLACES
    first = np.flatnonzero(np.diff(messages, prepend=-1))
    sizes = np.diff(first, append=len(messages))
    slots = np.arange(len(messages)) - np.repeat(first, sizes)
    return pa.array(messages, pa.int64()), pa.array(slots, pa.int32())


def public(block: ArrowBatch, messages: ArrowBatch) -> ArrowBatch:
    """Return events as rows of `decoding.EVENT_SCHEMA`; `messages` is the batch they are of."""
    numbers, slots = places(block)
    ts, kind = block["ts"], block["kind"]
    arrays = [
        _OPS.take(kind),
        block["schema"],
        block["table"],
        pc.if_else(pc.is_valid(block["key"]), block["identity"], ""),
        pc.if_else(pc.is_valid(block["key"]), block["key"], _NO_NAMES),
        block["before"],
        block["after"],
        pc.if_else(pc.equal(ts, NO_TS), pa.scalar(None, COMMIT_TS), ts),
        _queries(block),
        _transactions(block["transaction"]),
        pc.if_else(pc.equal(kind, Kind.ERROR), block["payload"], pa.scalar(None, _STRING)),
        *(messages[name].take(numbers) for name in ("topic", "partition", "offset")),
        slots,
        block["change"],
        _contents(pc.equal(kind, Kind.ERROR), numbers, messages),
        block["position"],
    ]
    return pa.RecordBatch.from_arrays(arrays, names=list(PUBLIC))


def with_positions(transactions: Column, positions: Column) -> Column:
    """Return what orders rows as one JSON object, the transaction's block first: `events.ordered`.

    It is that of the transaction alone where nothing says where a row stands.
    """
    if positions.null_count == len(positions):
        return transactions
    block = pc.utf8_slice_codeunits(transactions, 0, -1)
    place = pc.utf8_slice_codeunits(positions, 1)
    both = pc.binary_join_element_wise(block, place, ",")
    known = pc.if_else(pc.equal(transactions, ""), positions, both)
    return pc.if_else(pc.is_valid(positions), known, transactions)


def _contents(poison: Column, numbers: Column, messages: ArrowBatch) -> Column:
    """Return what was in Kafka where a message could not be read, null elsewhere."""
    fields = [pa.field(name, kind) for name, kind in _CONTENT.items()]
    if not pc.any(poison, min_count=0).as_py():
        return pa.nulls(len(numbers), pa.struct(fields))
    which = pc.if_else(poison, numbers, pa.scalar(None, pa.int64()))
    names = messages.schema.names
    parts = [
        messages[name].cast(kind).take(which) if name in names else pa.nulls(len(numbers), kind)
        for name, kind in _CONTENT.items()
    ]
    return pa.StructArray.from_arrays(parts, fields=fields, mask=pc.invert(poison))


def _queries(block: ArrowBatch) -> Column:
    """Return the statements of DDL, null elsewhere."""
    ddl = pc.equal(block["kind"], Kind.DDL)
    texts = block["payload"].filter(ddl).to_pylist()
    if not texts:
        return pa.nulls(block.num_rows, _STRING)
    queries = pa.array([orjson.loads(text)["q"] for text in texts], _STRING)
    return pc.replace_with_mask(pa.nulls(block.num_rows, _STRING), ddl, queries)


def _lists(lists: Sequence[Sequence[str] | None]) -> Column:
    ends = pa.array([0, *accumulate(len(one or ()) for one in lists)], pa.int32())
    names = pa.array(list(chain.from_iterable(one for one in lists if one is not None)), _STRING)
    missing = pa.array([one is None for one in lists], pa.bool_())
    return pa.ListArray.from_arrays(ends, names, mask=missing)


def _decimals(numbers: Sequence[int]) -> Column:
    """Return numbers of up to 64 bits as decimals.

    A decimal is a two's complement of two words of 64 bits, in the machine's order.
    """
    words = array("Q", bytes(16 * len(numbers)))
    lower, upper = (0, 1) if sys.byteorder == "little" else (1, 0)
    words[lower::2] = array("Q", [number & _WORD for number in numbers])
    words[upper::2] = array("Q", [_WORD if number < 0 else 0 for number in numbers])
    return pa.Array.from_buffers(COMMIT_TS, len(numbers), [None, pa.py_buffer(words.tobytes())])


def _transactions(texts: Column) -> Column:
    if not pc.any(pc.not_equal(texts, ""), min_count=0).as_py():
        return pa.nulls(len(texts), _TRANSACTION_TYPE)
    nothing: Mapping[str, Any] = {}
    found = [orjson.loads(text) if text else nothing for text in texts.to_pylist()]
    fields = [pa.array([one.get(name) for one in found], kind) for _, name, kind in _TRANSACTION]
    missing = pa.array([not one for one in found], pa.bool_())
    return pa.StructArray.from_arrays(fields, fields=list(_TRANSACTION_TYPE), mask=missing)

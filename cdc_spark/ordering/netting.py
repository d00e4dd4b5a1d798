"""Of rows of a key that take effect at once only the last, for tables: they forget the others.

It is done where rows take effect (`last_of_key`), and where they are decoded (`netted`) for streams
in which rows wait for nothing: what a row of its own batch is sure to replace need not go to its
bucket.
"""

from __future__ import annotations

from collections.abc import Sequence

from cdc_spark.ordering.columns import Array, Block, codes, firsts, is_row, pairs
from cdc_spark.ordering.places import before, places_of
from cdc_spark.untyped import ArrowBatch, Column, np, pa, pc

_TABLE = ("schema", "table")
_SHAPE = '"shape":'  # behind it stands a payload's shape; within a text its quotes are escaped
_UNDATED = -(1 << 63)  # of a row without a commit ts, as `buckets.shifted` has it
_ROWID = "}]"  # how the identity of a row id ends, and that of no key


def last_of_key(block: Block, since: Array) -> Array:
    """Return a mask of the rows that a later row of their key does not replace.

    Nothing may have come between the two: `since` says, by a number, between which marks a row
    stands. Rows without a key stay, and so does what is no row. Where rows have shapes, a delete,
    which has none, replaces deletes alone, and no row replaces one from before its table's last
    change of shape: that changes all rows of the table.
    """
    identities, payloads = (pa.array(block[name], pa.string()) for name in ("identity", "payload"))
    kind = block["kind"]
    free = np.flatnonzero(_replaceable(kind, identities))
    who = [codes(identities), since, *_shaped(block, payloads)]
    mask = np.ones(len(kind), bool)
    mask[free] = _last(pairs(*who)[free])
    return mask


def netted(events: ArrowBatch) -> ArrowBatch:
    """Return decoded events without the rows that `last_of_key` is sure to leave out later.

    A row's place must be behind that of no later row of its key, in its partition of the batch and
    with nothing but rows between them: then the last is no older than what is known of the key, or
    none of them is. So what takes effect does not depend on how a stream is cut into batches.
    """
    kind, identities = events["kind"].to_numpy(), events["identity"]
    marks = np.cumsum(~is_row(kind))
    free = np.flatnonzero(_replaceable(kind, identities))
    key = pairs(codes(identities), events["partition"].to_numpy(), marks)[free]
    order = np.argsort(key, kind="stable")  # by key, and there as they came
    at, key = free[order], key[order]
    follows = np.flatnonzero(key[1:] == key[:-1])
    if not len(follows):
        return events
    fallen = key[follows[~_risen(events, at[follows], at[follows + 1])]]
    risen = ~np.isin(key, fallen)
    at, key = at[risen], key[risen]
    shaped = _shaped({name: events[name] for name in ("kind", *_TABLE)}, events["payload"])
    kept = np.ones(len(kind), bool)
    kept[at] = _last(pairs(key, *(one[at] for one in shaped)))
    return events.filter(pa.array(kept))


def _replaceable(kind: Array, identities: Column) -> Array:
    """Return a mask of the rows with a key."""
    keyed = pc.and_not(pc.not_equal(identities, ""), pc.ends_with(identities, _ROWID))
    return is_row(kind) & keyed.to_numpy(zero_copy_only=False)


def _last(numbers: Array) -> Array:
    """Return a mask of where each number stands last."""
    return firsts(numbers[::-1])[::-1]


def _risen(events: ArrowBatch, earlier: Array, later: Array) -> Array:
    """Return a mask of the later rows that are not the older ones, by no time and by no place."""
    at = pa.array(np.concatenate([later, earlier]))
    ts = events["ts"].take(at).to_numpy()
    found = places_of(events["transaction"].take(at), ts).places
    found["time"] = np.zeros(len(at), np.int64)  # a later time excuses no lower place
    first, second = slice(len(later)), slice(len(later), None)
    new, old = ({name: one[half] for name, one in found.items()} for half in (first, second))
    dated = ts != _UNDATED
    mask: Array = (ts[first] >= ts[second]) & (dated[first] == dated[second])
    return mask & (new["log"] == old["log"]) & ~before(new, old)


def _shaped(block: Block, payloads: Column) -> Sequence[Array]:
    """Return what else rows must share with those that they replace, where rows have shapes."""
    shaped = pc.match_substring(payloads, _SHAPE)
    if not pc.any(shaped, min_count=0).as_py():
        return ()
    shapes = np.full(len(payloads), -1)
    shapes[shaped.to_numpy(zero_copy_only=False)] = _shapes(payloads.filter(shaped))
    return np.asarray(block["kind"]), _runs(pairs(*(codes(block[name]) for name in _TABLE)), shapes)


def _shapes(payloads: Column) -> Array:
    """Return a number for each shape; most often all rows have one."""
    shape = payloads[0].as_py().rpartition(_SHAPE)[2]
    if pc.all(pc.ends_with(payloads, f"{_SHAPE}{shape}")).as_py():
        return np.zeros(len(payloads), np.int64)
    return codes([one.rpartition(_SHAPE)[2] for one in payloads.to_pylist()])


def _runs(tables: Array, shapes: Array) -> Array:
    """Return how many changes of shape stand before each row of its table; -1 is no shape."""
    order = np.argsort(tables, kind="stable")
    table, shape, places = tables[order], shapes[order], np.arange(len(order))
    starts = np.append([True], table[1:] != table[:-1])
    last = np.maximum.accumulate(np.where(starts | (shape >= 0), places, 0))
    shape = shape[last]  # of a row without one, that of the row before it
    turns = ~starts[1:] & (shape[1:] != shape[:-1]) & (shape[:-1] >= 0)
    runs = np.zeros(len(order), np.int64)
    runs[order[1:]] = np.cumsum(turns)
    return runs

"""Events of a bucket as columns: what is asked of every row is asked of all of them at once.

A `Block` has an array for each of `COLUMNS`, all of one length, in the order in which the events
came: whole numbers as NumPy's, texts as objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cdc_spark.events import Kind
from cdc_spark.untyped import np, pa, pc

Array = Any  # numpy.ndarray
Block = Mapping[str, Array]

COLUMNS: Mapping[str, Any] = {
    "topic": np.int64,
    "partition": np.int64,
    "offset": np.int64,
    "kind": np.int64,
    "ts": np.uint64,
    "schema": object,
    "table": object,
    "identity": object,
    "payload": object,
    "transaction": object,
}
_SHAPE = '"shape":'  # behind it stands a payload's shape; within a text its quotes are escaped
_ROWID = "}]"  # how the identity of a row id ends, and that of no key


def block_of(columns: Mapping[str, Sequence[Any]]) -> Block:
    """Return a block of these values by column."""
    return {name: _array(columns[name], kind) for name, kind in COLUMNS.items()}


def _array(values: Sequence[Any], kind: Any) -> Array:  # noqa: ANN401 - a type of NumPy
    found = np.empty(len(values), kind)
    found[:] = values
    return found


NOTHING = block_of(dict.fromkeys(COLUMNS, ()))


def size(block: Block) -> int:
    """Return the number of events."""
    return len(block["kind"])


def chosen(block: Block, which: Array) -> Block:
    """Return some events: those at these places, or where a mask is true."""
    return {name: values[which] for name, values in block.items()}


def joined(*blocks: Block) -> Block:
    """Return the events of blocks, one after the other."""
    filled = [one for one in blocks if size(one)]
    if len(filled) < 2:
        return filled[0] if filled else NOTHING
    return {name: np.concatenate([one[name] for one in filled]) for name in filled[0]}


def codes(texts: Array) -> Array:
    """Return a number for each text, equal for equal ones, dense from 0 in the order they come."""
    return pa.array(texts, pa.string()).dictionary_encode().indices.to_numpy()


def pairs(*numbers: Array) -> Array:
    """Return a number for each combination of numbers, equal for equal ones."""
    found = numbers[0]
    for others in numbers[1:]:
        _, dense = np.unique(others, return_inverse=True)
        found = found * (int(dense.max(initial=0)) + 1) + dense
        _, found = np.unique(found, return_inverse=True)
    return found


def firsts(numbers: Array) -> Array:
    """Return a mask of where each number stands first."""
    _, places = np.unique(numbers, return_index=True)
    mask = np.zeros(len(numbers), bool)
    mask[places] = True
    return mask


def last_of_key(block: Block, since: Array) -> Array:
    """Return a mask of the rows that a later row of their key does not replace.

    Nothing may have come between the two: `since` says, by a number, between which marks a row
    stands. Rows without a key stay, and so does what is no row. Where rows have shapes, a delete,
    which has none, replaces deletes alone, and a table that more than one shape has keeps all its
    rows: a shape changes the other rows of its table.
    """
    identities = pa.array(block["identity"], pa.string())
    kind = block["kind"]
    keyed = pc.and_not(pc.not_equal(identities, ""), pc.ends_with(identities, _ROWID))
    free = keyed.to_numpy(zero_copy_only=False) & ((kind == Kind.DELETE) | (kind == Kind.UPSERT))
    who = [codes(block["identity"]), since]
    shaped = pc.match_substring(pa.array(block["payload"], pa.string()), _SHAPE)
    if pc.any(shaped, min_count=0).as_py():
        who.append(kind)
        free &= ~_of_many_shapes(block)
    numbers = pairs(*who)
    mask = ~free
    places = np.flatnonzero(free)
    mask[places[::-1][firsts(numbers[places][::-1])]] = True
    return mask


def _of_many_shapes(block: Block) -> Array:
    """Return a mask of the rows of tables whose rows here have more than one shape."""
    tables = pairs(codes(block["schema"]), codes(block["table"]))
    shapes = [shape if mark else "" for _, mark, shape in map(_by_shape, block["payload"])]
    each = pairs(tables, codes(shapes))
    kept = firsts(each) & np.array([bool(one) for one in shapes])
    return np.bincount(tables[kept], minlength=len(tables))[tables] > 1


def _by_shape(payload: str) -> tuple[str, str, str]:
    return payload.rpartition(_SHAPE)

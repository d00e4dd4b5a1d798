"""Events of a bucket as columns: what is asked of every row is asked of all of them at once.

A `Block` has an array for each of `COLUMNS`, all of one length, in the order in which the events
came: whole numbers as NumPy's, texts as objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cdc_spark.events import Kind
from cdc_spark.untyped import np, pa

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


def is_row(kinds: Array) -> Array:
    """Return a mask of the events that are rows."""
    return (kinds == Kind.DELETE) | (kinds == Kind.UPSERT)


def codes(texts: Any) -> Array:  # noqa: ANN401 - an array, a list, or a column of Arrow's
    """Return a number for each text, equal for equal ones, dense from 0 in the order they come."""
    column = texts if isinstance(texts, pa.Array) else pa.array(texts, pa.string())
    return column.dictionary_encode().indices.to_numpy()


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

"""What keys of a Debezium stream have seen: the place of their newest row, and whether it went.

Columns, sorted by the digest of the key, which are state as they are. A key is kept for as long as
there is something to know of it, and with a retention for so long after its last change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from cdc_spark.ordering.ages import Age
from cdc_spark.ordering.columns import Array
from cdc_spark.ordering.memory import DIGEST, searched
from cdc_spark.untyped import np

_END = b"\n"
NO_LOG = -1
PLACE = ("log", "epoch", "rank", "order", "time")  # of `ages.Age`; a log is its number
NUMBERS = (*PLACE, "gone", "touched")
Places = dict[str, Array]


def numbers(values: Sequence[int]) -> Array:
    """Return whole numbers of any size: as int64 where all of them fit, else as objects."""
    try:
        return np.array(values, np.int64)
    except OverflowError:
        return np.array(values, object)


def before(one: Mapping[str, Array], other: Mapping[str, Array]) -> Array:
    """Return a mask of the places that are older than others, as `Age.before` has it."""
    older = one["order"] < other["order"]
    for name in ("rank", "epoch"):
        older = (one[name] < other[name]) | ((one[name] == other[name]) & older)
    known = (one["log"] != NO_LOG) & (one["log"] == other["log"])
    found: Array = (known & older & (one["time"] <= other["time"])).astype(bool)
    return found


class KeyMemory:
    """What is known of keys; `retention_ms` 0 is for ever."""

    def __init__(self, retention_ms: int = 0) -> None:
        """Start without keys."""
        self.retention_ms = retention_ms
        self._logs: dict[str, int] = {}
        self._keys: Array = np.empty(0, f"S{DIGEST}")
        self._known: Places = {name: np.empty(0, np.int64) for name in NUMBERS}

    def __len__(self) -> int:
        """Return the number of keys that are known."""
        return len(self._keys)

    def places(self, ages: Iterable[Age | None]) -> Places:
        """Return ages as columns."""
        logs = self._logs
        rows = [
            (NO_LOG, 0, 0, 0, 0) if one is None else (logs.setdefault(one[0], len(logs)), *one[1:])
            for one in ages
        ]
        columns = list(zip(*rows, strict=True)) or [()] * len(PLACE)
        return {name: numbers(one) for name, one in zip(PLACE, columns, strict=True)}

    def of(self, digests: Array) -> Places:
        """Return what is known of each key; nothing of one that is new."""
        found = {name: np.zeros(len(digests), one.dtype) for name, one in self._known.items()}
        found["log"][:] = NO_LOG
        places, known = searched(self._keys, digests)
        for name, one in found.items():
            one[known] = self._known[name][places[known]]
        return found

    def keep(self, digests: Array, seen: Places) -> None:
        """Take what is known of keys, each once, and forget what need not be known any more."""
        _, known = searched(self._keys, digests)
        stay = ~np.isin(self._keys, digests[known])
        keys = np.concatenate([self._keys[stay], digests])
        order = np.argsort(keys)
        columns = {
            name: np.concatenate([one[stay], seen[name]])[order]
            for name, one in self._known.items()
        }
        needed = (columns["log"] != NO_LOG) | (columns["gone"] != 0)
        if self.retention_ms and len(keys):
            needed &= columns["touched"] + self.retention_ms >= columns["touched"].max()
        self._keys = keys[order][needed]
        self._known = {name: one[needed] for name, one in columns.items()}

    def newest(self) -> int:
        """Return the time of the last change of all keys."""
        return int(self._known["touched"].max(initial=0))

    def dump(self) -> bytes:
        """Return the keys as bytes, numbers that are too large in a line before them."""
        columns = {name: numbers(one.tolist()) for name, one in self._known.items()}
        wide = {
            name: [str(each) for each in one.tolist()]
            for name, one in columns.items()
            if one.dtype == object
        }
        narrow = [one.astype("<i8").tobytes() for name, one in columns.items() if name not in wide]
        head = {"keys": len(self), "logs": list(self._logs), "wide": wide}
        return orjson.dumps(head) + _END + bytes(self._keys.tobytes()) + b"".join(narrow)

    def load(self, state: bytes) -> None:
        """Take up the keys that `dump` gave."""
        first, _, rest = state.partition(_END)
        head: dict[str, Any] = orjson.loads(first)
        size: int = head["keys"]
        self._logs = {name: at for at, name in enumerate(head["logs"])}
        self._keys = np.frombuffer(rest, f"S{DIGEST}", size).copy()
        at = size * DIGEST
        for name in NUMBERS:
            if name in head["wide"]:
                self._known[name] = np.array([int(one) for one in head["wide"][name]], object)
                continue
            self._known[name] = np.frombuffer(rest, "<i8", size, at).astype(np.int64)
            at += size * 8

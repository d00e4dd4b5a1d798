"""What keys of a Debezium stream have seen: the place of their newest row, and whether it went.

Columns, sorted by the digest of the key, which are state as they are. A key is kept for as long as
there is something to know of it, and with a retention for so long after its last change.
"""

from __future__ import annotations

from typing import Any

import orjson

from cdc_spark.ordering.columns import Array
from cdc_spark.ordering.memory import DIGEST, searched
from cdc_spark.ordering.places import NO_LOG, PLACE, Placed, Places, numbers
from cdc_spark.untyped import np

_END = b"\n"
NUMBERS = (*PLACE, "gone", "touched")


class KeyMemory:
    """What is known of keys; `retention_ms` 0 is for ever."""

    def __init__(self, retention_ms: int = 0) -> None:
        """Start without keys."""
        self.retention_ms = retention_ms
        self.newest = 0  # the time of the last change of all keys, with a retention
        self._logs: dict[str, int] = {}
        self._keys: Array = np.empty(0, f"S{DIGEST}")
        self._known: Places = {name: np.empty(0, np.int64) for name in NUMBERS}

    def __len__(self) -> int:
        """Return the number of keys that are known."""
        return len(self._keys)

    def places(self, placed: Placed) -> Places:
        """Return places whose logs have the numbers that they have here."""
        logs = self._logs
        own = np.array(
            [logs.setdefault(one, len(logs)) for one in placed.logs] + [NO_LOG], np.int64
        )
        return {**placed.places, "log": own[placed.places["log"]]}

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
        if self.retention_ms:
            self.newest = max(self.newest, int(columns["touched"].max(initial=0)))
            needed &= columns["touched"] + self.retention_ms >= self.newest
        self._keys = keys[order][needed]
        self._known = {name: one[needed] for name, one in columns.items()}

    def dump(self) -> bytes:
        """Return the keys as bytes, numbers that are too large in a line before them."""
        columns = {name: numbers(one.tolist()) for name, one in self._known.items()}
        wide = {
            name: [str(each) for each in one.tolist()]
            for name, one in columns.items()
            if one.dtype == object
        }
        narrow = [one.astype("<i8").tobytes() for name, one in columns.items() if name not in wide]
        head = {"keys": len(self), "logs": list(self._logs), "wide": wide, "newest": self.newest}
        return orjson.dumps(head) + _END + bytes(self._keys.tobytes()) + b"".join(narrow)

    def load(self, state: bytes) -> None:
        """Take up the keys that `dump` gave."""
        first, _, rest = state.partition(_END)
        head: dict[str, Any] = orjson.loads(first)
        size: int = head["keys"]
        self._logs = {name: at for at, name in enumerate(head["logs"])}
        self.newest = head.get("newest", 0)  # a state of an earlier version has none
        self._keys = np.frombuffer(rest, f"S{DIGEST}", size).copy()
        at = size * DIGEST
        for name in NUMBERS:
            if name in head["wide"]:
                self._known[name] = np.array([int(one) for one in head["wide"][name]], object)
                continue
            self._known[name] = np.frombuffer(rest, "<i8", size, at).astype(np.int64)
            at += size * 8

"""What keys have seen: the greatest commit ts of each, for as long as it is to be known.

A key is its digest of 16 bytes, so a key costs 24 bytes, whatever is in it. What is remembered is
sorted by digest: two arrays, which are state as they are.

With a retention a key is forgotten when its greatest is that much older than the newest of all. A
row that is older than the retention and comes again is then taken for news; nothing is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from cdc_spark.ordering.columns import Array
from cdc_spark.untyped import np

DIGEST = 16  # bytes
_TSO_BITS = 18  # of a commit ts: its logical part, below the milliseconds


class Memory:
    """The greatest commit ts of keys; `retention_ms` 0 is for ever."""

    def __init__(self, retention_ms: int = 0) -> None:
        """Start without keys."""
        self.retention_ms = retention_ms
        self._keys: Array = np.empty(0, f"S{DIGEST}")
        self._greatest: Array = np.empty(0, np.uint64)

    def __len__(self) -> int:
        """Return the number of keys that are known."""
        return len(self._keys)

    def of(self, digests: Array) -> Array:
        """Return the greatest of each key, 0 of one that is not known."""
        found = np.zeros(len(digests), np.uint64)
        places, known = searched(self._keys, digests)
        found[known] = self._greatest[places[known]]
        return found

    def keep(self, digests: Array, greatest: Array) -> None:
        """Take the greatest of keys, each once, and forget what is older than the retention."""
        places, known = searched(self._keys, digests)
        self._greatest[places[known]] = greatest[known]
        new = np.flatnonzero(~known)
        new = new[np.argsort(digests[new])]
        self._keys = np.insert(self._keys, places[new], digests[new])
        self._greatest = np.insert(self._greatest, places[new], greatest[new])
        if self.retention_ms and len(self._keys):
            times = self._greatest >> np.uint64(_TSO_BITS)
            young = times + np.uint64(self.retention_ms) >= times.max()
            self._keys, self._greatest = self._keys[young], self._greatest[young]

    def dump(self) -> bytes:
        """Return the keys as bytes; `load` is the way back."""
        greatest: bytes = self._greatest.astype("<u8").tobytes()
        return bytes(self._keys.tobytes()) + greatest

    def load(self, state: bytes) -> None:
        """Take up the keys that `dump` gave."""
        number = len(state) // (DIGEST + 8)
        self._keys = np.frombuffer(state, f"S{DIGEST}", number).copy()
        self._greatest = np.frombuffer(state, "<u8", number, number * DIGEST).astype(np.uint64)


def searched(keys: Array, digests: Array) -> tuple[Array, Array]:
    """Return where digests are or belong in sorted keys, and a mask of those that are there."""
    places = np.searchsorted(keys, digests)
    known = np.zeros(len(digests), bool)
    inside = places < len(keys)
    known[inside] = keys[places[inside]] == digests[inside]
    return places, known


def digests_of(keys: Sequence[str]) -> Array:
    """Return the digests of keys."""
    return np.array(
        [blake2b(one.encode(), digest_size=DIGEST).digest() for one in keys], f"S{DIGEST}"
    )

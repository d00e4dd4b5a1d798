"""The topics and the number of buckets that a state was made with, in front of it.

A state knows a topic by its ordinal. Topics and partitions may be added behind those that were
there; any other change would give a partition's past to another one, and another number of buckets
would give a key's.
"""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from cdc_spark.errors import GrowthError, UsageError

_END = b"\n"


def sealed(state: bytes, topics: Mapping[str, int], buckets: int = 1) -> bytes:
    """Return a state with its topics and buckets, if there are topics to remember."""
    if not topics:
        return state
    return orjson.dumps({"topics": list(topics.items()), "buckets": buckets}) + _END + state


def opened(stored: bytes, topics: Mapping[str, int], buckets: int = 1) -> bytes:
    """Return the state of what `sealed` gave.

    Raises GrowthError where topics do not fit it, UsageError where the number of buckets does not.
    """
    if not topics:
        return stored
    known, begun, state = parts_of(stored)
    if begun != buckets:
        raise UsageError(
            f"the checkpoint was begun with {begun} buckets, and the changefeed has {buckets}",
            expected=f"buckets={begun}",
            hint=f"Changefeed(…, buckets={begun}) goes on with it; without `buckets` it is the"
            " cluster's default parallelism, which has changed",
        )
    now = [*topics.items(), *(("", 0) for _ in known)]
    for (name, partitions), (other, others) in zip(known, now[: len(known)], strict=True):
        if name == other and partitions <= others:
            continue
        wrong = f"has {others} partitions and had {partitions}" if name == other else "is not"
        raise GrowthError(
            f"topic {name} {wrong} where the checkpoint knows it",
            expected=f"topics that begin with {', '.join(f'{n} ({p})' for n, p in known)}, each"
            " with that many partitions or more",
            hint="list the old topics first, in their order; a topic that is gone stays in the"
            " list, other topics need a new checkpoint and a new root",
        )
    return state


def parts_of(stored: bytes) -> tuple[list[tuple[str, int]], int, bytes]:
    """Return the topics with their partitions, the buckets and the state of what `sealed` gave."""
    first, _, state = stored.partition(_END)
    known = orjson.loads(first)
    return [(name, number) for name, number in known["topics"]], int(known["buckets"]), state

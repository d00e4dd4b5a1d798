"""The topics that a state was made with, in front of it.

A state knows a topic by its ordinal. Topics and partitions may be added behind those that were
there; any other change would give a partition's past to another one.
"""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from cdc_spark.errors import GrowthError

_END = b"\n"


def sealed(state: bytes, topics: Mapping[str, int]) -> bytes:
    """Return a state with its topics, if there are any to remember."""
    return orjson.dumps(list(topics.items())) + _END + state if topics else state


def opened(stored: bytes, topics: Mapping[str, int]) -> bytes:
    """Return the state of what `sealed` gave; raises GrowthError where topics do not fit it."""
    if not topics:
        return stored
    known, state = topics_of(stored)
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


def topics_of(stored: bytes) -> tuple[list[tuple[str, int]], bytes]:
    """Return the topics with their partitions, and the state, of what `sealed` gave."""
    first, end, state = stored.partition(_END)
    if not end:
        return [], stored  # of a time when states did not have their topics
    return [(name, number) for name, number in orjson.loads(first)], state

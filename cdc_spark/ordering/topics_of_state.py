"""What a state was made with, in front of it: its format, the topics and the number of buckets.

`FORMAT` rises with whatever a checkpoint, or the tables that belong to it, keep otherwise than
before: a state of another one is refused, because what it holds would be read wrong or not at all.

A state knows a topic by its ordinal. Topics and partitions may be added behind those that were
there; any other change would give a partition's past to another one, and another number of buckets
would give a key's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import orjson

from cdc_spark.errors import GrowthError, UsageError, state_format_error

FORMAT = 2  # states of before had no number
_END = b"\n"
Topics = list[tuple[str, int]]


class Parts(NamedTuple):
    """What `sealed` puts together: the topics with their partitions, the buckets, the state."""

    topics: Topics
    buckets: int
    state: bytes


def sealed(state: bytes, topics: Mapping[str, int], buckets: int = 1) -> bytes:
    """Return a state with its format, and the topics and buckets that are to be remembered."""
    made = {"format": FORMAT, "topics": list(topics.items()), "buckets": buckets}
    return orjson.dumps(made) + _END + state


def opened(stored: bytes, topics: Mapping[str, int], buckets: int = 1) -> bytes:
    """Return the state of what `sealed` gave; without topics none are compared.

    Raises GrowthError where topics do not fit it, UsageError where the number of buckets does not,
    StateFormatError for a state of another version of this package.
    """
    known, begun, state = parts_of(stored)
    if not topics:
        return state
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


def parts_of(stored: bytes) -> Parts:
    """Return what `sealed` put together; raises StateFormatError for what another version did."""
    first, _, state = stored.partition(_END)
    try:
        said: Any = orjson.loads(first)
    except orjson.JSONDecodeError:
        said = None
    made = cast("dict[str, Any]", said) if isinstance(said, dict) else {}
    if made.get("format") != FORMAT:
        found = made.get("format", "an earlier one")
        raise state_format_error(f"its format is {found}", f"format {FORMAT}")
    topics = [(name, number) for name, number in made["topics"]]
    return Parts(topics, int(made["buckets"]), state)

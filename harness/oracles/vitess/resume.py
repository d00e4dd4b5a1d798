"""What VTGate sends a stream that does not begin at the beginning.

A stream is sent what each of its shards committed behind the GTID that it asks for. It is a new
stream: VTGate describes each table again before the table's first row (Vitess vstreamer: a new
table map for each stream).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from harness.model.vstream import FieldEvent, ShardGtid, VEvent, Vgtid, VRowEvent, VStreamResponse

# What a request says of a shard whose stream begins with a copy, or with what happens from now on.
NOWHERE: Final = frozenset({"", "current"})


def behind(
    responses: Sequence[VStreamResponse], asked: Mapping[str, str]
) -> Iterator[VStreamResponse]:
    """Yield what is sent to a stream that asks for what is behind a GTID of each shard.

    `responses` is all that was ever sent, from the beginning of each log on.
    """
    described: dict[tuple[str, str], FieldEvent] = {}
    sent: set[tuple[str, str]] = set()
    for response in responses:
        if response.only_shard is not None and response.only_shard not in asked:
            continue
        for event in response.events:
            if isinstance(event, FieldEvent):
                described[event.shard, event.table] = event
        if _is_behind(response, asked):
            yield replace(response, events=tuple(_described(response.events, described, sent)))


def _is_behind(response: VStreamResponse, asked: Mapping[str, str]) -> bool:
    """Return whether a response is behind what was asked for; one of a copy has no position."""
    reached = _reached(response.events)
    if reached is None:
        return set(asked.values()) <= NOWHERE
    wanted = asked.get(reached.shard, "")
    return wanted in NOWHERE or _number(reached.gtid) > _number(wanted)


def _reached(events: Iterable[VEvent]) -> ShardGtid | None:
    """Return how far a response moves the shard that it is of; None if it moves none."""
    for event in events:
        if isinstance(event, Vgtid):
            return next((one for one in event.shard_gtids if one.shard == event.shard), None)
    return None


def _described(
    events: Iterable[VEvent],
    described: Mapping[tuple[str, str], FieldEvent],
    sent: set[tuple[str, str]],
) -> Iterator[VEvent]:
    for event in events:
        if isinstance(event, FieldEvent):
            sent.add((event.shard, event.table))
        if isinstance(event, VRowEvent) and (event.shard, event.table) not in sent:
            sent.add((event.shard, event.table))
            known = described[event.shard, event.table]
            yield replace(known, timestamp=event.timestamp)
        yield event


def _number(gtid: str) -> int:
    """Return the number that a GTID set ends with."""
    return int(gtid.rpartition("-")[2])

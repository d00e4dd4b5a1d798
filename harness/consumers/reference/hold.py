"""Rows and DDL wait until the resolved marks of all partitions have passed them.

Rules: the global resolved ts is the least over all partitions of each partition's greatest mark (a
mark may go backwards and means nothing then). What is complete is applied in commit order; at one
commit ts DDL first, then deletes, then puts. Repeated events are dropped by (commit ts, table, row,
kind); an event at or below the ts that was already applied is a replay. A row merely below the
highest ts seen is not.

Source: TiCDC Open Protocol, 2020, §Constraints; tiflow c7b2588 cmd/kafka-consumer/writer.go:224,
469, 486.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from harness.model.decoded import DecodedEvent, EventKind

Place = tuple[str, int, int]
_RANK = {EventKind.DDL: 0, EventKind.DELETE: 1}
_PUTS = frozenset({EventKind.INSERT, EventKind.UPDATE, EventKind.UPSERT})


@dataclass(frozen=True, slots=True)
class Ready:
    """An event whose time has come, with the record that carried it (topic, partition, offset)."""

    event: DecodedEvent
    place: Place


class Hold:
    """The waiting room of one changefeed."""

    def __init__(self, partitions: set[tuple[str, int]], complete: str) -> None:
        """Take the topic partitions that must all be heard; `complete` as in job.json."""
        self._marks = dict.fromkeys(partitions, 0)
        self._below = complete == "below"
        self._waiting: list[tuple[int, int, int, Ready]] = []
        self._seen: set[Hashable] = set()
        self._applied = 0
        self._arrival = 0

    def take(self, event: DecodedEvent, place: Place) -> Iterator[Ready]:
        """Take an event in arrival order; yield what becomes complete by it."""
        if event.kind is EventKind.RESOLVED:
            partition = place[:2]
            self._marks[partition] = max(self._marks[partition], event.commit_ts)
            yield from self._release()
            return
        if event.commit_ts <= self._applied:
            return
        identity = _identity(event)
        if identity in self._seen:
            return
        self._seen.add(identity)
        self._arrival += 1
        rank = _RANK.get(event.kind, 2)
        self._waiting.append((event.commit_ts, rank, self._arrival, Ready(event, place)))

    def _release(self) -> Iterator[Ready]:
        limit = min(self._marks.values()) - (1 if self._below else 0)
        if limit <= self._applied:
            return
        self._applied = limit
        due = sorted(entry for entry in self._waiting if entry[0] <= limit)
        self._waiting = [entry for entry in self._waiting if entry[0] > limit]
        for _, _, _, ready in due:
            self._seen.discard(_identity(ready.event))
            yield ready


def _identity(event: DecodedEvent) -> Hashable:
    if event.kind is EventKind.DDL:
        return (event.commit_ts, event.query)
    image = event.before if event.kind is EventKind.DELETE else event.after
    assert image is not None
    names = event.handle or tuple(image)
    values = tuple(image[name] for name in names)
    put = event.kind in _PUTS
    row_id = None if event.handle else event.row_id
    return (event.commit_ts, event.schema, event.table, row_id, values, put)

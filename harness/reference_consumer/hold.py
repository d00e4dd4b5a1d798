"""Rows and DDL wait until the resolved events of all partitions have passed them.

Rules: the global resolved ts is the least over all partitions of each partition's greatest (one
that goes back means nothing). What is complete is applied in commit order; at one commit ts DDL
first, then deletes, then puts. Repeated events are dropped by (commit ts, table, row, kind); an
event at or below the ts that was already applied is a replay, but for a DDL of that very ts, which
may come behind its resolved event. A row merely below the highest ts seen is not.

Of TiCDC Avro with the watermark a delete carries no commit ts. A partition is in the order of
commit ts, so it waits for the next event of its partition that carries one, and takes its place by
that.

Source: TiCDC Open Protocol, 2020, §Constraints; tiflow c7b2588 cmd/kafka-consumer/writer.go:224,
469, 486.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

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
    """The waiting room of one changefeed.

    Each rule is a step of its own (`is_known`, `identity_of`, `rank`, `limit`, `release`), which a
    wrong consumer replaces. `marks` are the resolved ts of the partitions, `waiting` is what is not
    complete, `seen` what waits or has just been applied, `applied` the ts up to which that is all.
    """

    def __init__(self, partitions: set[tuple[str, int]], complete: str) -> None:
        """Take the topic partitions that must all be heard; `complete` as in job.json."""
        self.marks = dict.fromkeys(partitions, 0)
        self._below = complete == "below"
        self.waiting: list[tuple[int, int, int, Ready, DecodedEvent]] = []
        self._undated: dict[tuple[str, int], list[Ready]] = {}
        self.seen: set[Hashable] = set()
        self._executed: set[Hashable] = set()  # DDL of the ts that is applied
        self.applied = 0
        self._arrival = 0

    def take(self, event: DecodedEvent, place: Place) -> Iterator[Ready]:
        """Take an event in arrival order; yield what becomes complete by it."""
        partition = place[:2]
        if event.kind is EventKind.DELETE and not event.commit_ts:
            self._undated.setdefault(partition, []).append(Ready(event, place))
            return
        for ready in self._undated.pop(partition, ()):
            self._enter(replace(ready.event, commit_ts=event.commit_ts), ready)
        if event.kind is EventKind.RESOLVED:
            self.marks[partition] = max(self.marks[partition], event.commit_ts)
            yield from self.release()
            return
        self._enter(event, Ready(event, place))
        if event.kind is EventKind.DDL and event.commit_ts == self.applied:
            yield from self.release()

    def _enter(self, event: DecodedEvent, ready: Ready) -> None:
        """Let what is ready wait in the place of the event, unless it is known."""
        if self.is_known(event):
            return
        self.seen.add(self.identity_of(event))
        self._arrival += 1
        self.waiting.append((*self.rank(event), self._arrival, ready, event))

    def is_known(self, event: DecodedEvent) -> bool:
        """Return whether an event is a copy of one that waits, or was applied."""
        if event.kind is EventKind.DDL and event.commit_ts == self.applied:
            return self.identity_of(event) in self._executed
        return event.commit_ts <= self.applied or self.identity_of(event) in self.seen

    def identity_of(self, event: DecodedEvent) -> Hashable:
        """Return what its copies have in common with the event."""
        return identity(event)

    def rank(self, event: DecodedEvent) -> tuple[int, int]:
        """Return the event's place in the order of applying: its ts, and its kind at that ts."""
        return (event.commit_ts, _RANK.get(event.kind, 2))

    def limit(self) -> int:
        """Return the greatest ts that is complete."""
        return min(self.marks.values()) - (1 if self._below else 0)

    def release(self) -> Iterator[Ready]:
        """Yield what is complete by now, in the order of applying."""
        limit = self.limit()
        if limit < self.applied:
            return
        if limit > self.applied:
            self._executed.clear()
        self.applied = limit
        due = sorted(
            (entry for entry in self.waiting if entry[4].commit_ts <= limit),
            key=lambda entry: entry[:3],
        )
        self.waiting = [entry for entry in self.waiting if entry[4].commit_ts > limit]
        for _, _, _, ready, event in due:
            self.seen.discard(self.identity_of(event))
            if event.kind is EventKind.DDL and event.commit_ts == limit:
                self._executed.add(self.identity_of(event))
            yield ready


def identity(event: DecodedEvent) -> Hashable:
    """Return what two copies of one event have in common, and no other event has."""
    if event.kind is EventKind.DDL:
        return (event.commit_ts, event.query)
    image = event.before if event.kind is EventKind.DELETE else event.after
    image = event.key if image is None else image
    assert image is not None
    names = event.handle or tuple(image)
    values = tuple(image[name] for name in names)
    put = event.kind in _PUTS
    if event.handle:
        return (event.commit_ts, event.schema, event.table, values, put)
    # An update into a row that is inserted at the same ts is another event.
    old = None if event.before is None else tuple(event.before.items())
    return (event.commit_ts, event.schema, event.table, event.row_id, old, values, put)

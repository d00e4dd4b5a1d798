"""Plays that stop in the middle and go on from what Connect stored.

A connector is stopped behind a transaction, while a transaction is being sent, and where its task
fails between two records of one transaction. What was stored then is compared with ours, then the
position that the restarted connector asks for, then the records of both runs together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from harness.codecs.connect.schema import ConnectRecord, Offset
from harness.codecs.debezium_vitess.codec import bind
from harness.codecs.debezium_vitess.encode import offsets_of
from harness.codecs.debezium_vitess.tasks import NO_OFFSETS, Offsets
from harness.codecs.debezium_vitess.vgtid import VgtidPosition
from harness.errors import HarnessError
from harness.model.record import Record
from harness.model.vstream import Commit, Vgtid, VRowEvent, VStreamResponse
from harness.oracles.compare import message
from harness.oracles.vitess.plays import AGAIN, Play, play_of
from harness.oracles.vitess.resume import NOWHERE, behind

# A scenario that cites one of these is about what is stored, or where a stream begins.
CLAUSES: Final = (
    "vitess.offset.",
    "vitess.stop.",
    "vitess.task.",
    "vitess.ordered.epoch-start",
)
UNCUT: Final = "it stops by itself"
RESHARDED: Final = "the shards change, and the server does not know which position is whose heir"
TIMED: Final = "a heartbeat stores its position when a timer runs out"
IN_COPY: Final = "the server cannot go on behind the last key of a copy"
NOTHING_STORED: Final = "nothing is stored yet: the stream would begin with what is there by then"


@dataclass(frozen=True, slots=True)
class Restart:
    """A play with a stop.

    `at` says where. `first` is what is sent before the stop; with `fails` the task fails at its
    first tombstone, else the connector is stopped when it has sent `awaited` records. `stored` is
    what ours has stored by then, `asked` the positions from which our tasks go on. `offsets` are
    all that each task's records had before.
    """

    play: Play
    at: str
    first: tuple[VStreamResponse, ...]
    fails: bool
    awaited: int
    stored: Offsets
    asked: tuple[VgtidPosition, ...]
    offsets: Sequence[Offsets] = ()

    @property
    def name(self) -> str:
        """Return what reports call it."""
        return f"{self.play.cases[0].id} stopped {self.at}"


@dataclass(frozen=True, slots=True)
class Restarts:
    """All restarts of some plays, and those that cannot be played, with the reason of each."""

    restarts: tuple[Restart, ...]
    unplayable: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Cut:
    at: str
    first: tuple[VStreamResponse, ...]
    fails: bool = False


def restarts(plays: Iterable[Play]) -> Restarts:
    """Plan the restarts of the plays whose scenarios are about them."""
    found: list[Restart] = []
    unplayable: dict[str, str] = {}
    numbers = count()
    planned: set[tuple[str, str | None]] = set()
    for play in plays:
        case = play.cases[0]
        about = any(clause.startswith(CLAUSES) for clause in case.scenario.clauses)
        if not about or (case.scenario.id, case.profile) in planned:
            continue  # a stop is the same whatever the number of partitions
        planned.add((case.scenario.id, case.profile))
        why = _uncut(play)
        for cut in () if why else _cuts(play.responses):
            made = _restart(f"r{next(numbers)}", play, cut)
            if isinstance(made, str):
                unplayable[f"{case.id} stopped {cut.at}"] = made
            else:
                found.append(made)
        if why:
            unplayable[f"{case.id} stopped"] = why
    return Restarts(tuple(found), unplayable)


def again(restart: Restart) -> Restart:
    """Return the same restart under another name; what was planned once can be planned again."""
    cut = _Cut(restart.at, restart.first, restart.fails)
    first = restart.play.name.partition(AGAIN)[0]
    made = _restart(f"{first}{AGAIN}{restart.play.attempt + 1}", restart.play, cut)
    assert isinstance(made, Restart)
    return replace(made, play=replace(made.play, attempt=restart.play.attempt + 1))


def from_stored(restart: Restart, theirs: Mapping[str, Offset]) -> Restart | None:
    """Return a restart as ours goes on from what is stored; None if no record of ours had it.

    A task that fails stores the last offset whose record was acknowledged by then.
    """
    (server,) = {server for server, _ in restart.stored} or {""}
    stored: dict[tuple[str, str | None], Offset] = {}
    for task, offset in theirs.items():
        of = (server, task or None)
        if not any(one.get(of) == offset for one in restart.offsets):
            return None
        stored[of] = offset
    made = _restart(
        restart.play.name, restart.play, _Cut(restart.at, restart.first, restart.fails), stored
    )
    return None if isinstance(made, str) else made


def _uncut(play: Play) -> str:
    if play.stopped:
        return UNCUT
    if play.cases[0].scenario.keyspace.resharded:
        return RESHARDED
    if play.heartbeats:
        return TIMED
    return ""


def _cuts(responses: Sequence[VStreamResponse]) -> Iterator[_Cut]:
    """Yield where a stream is stopped: behind responses, inside them, at a failure."""
    for number, response in enumerate(responses, 1):
        rows = sum(isinstance(event, VRowEvent) for event in response.events)
        whole = any(isinstance(event, Commit) for event in response.events)
        if rows and whole:
            part = tuple(e for e in response.events if not isinstance(e, Vgtid | Commit))
            sent = (*responses[: number - 1], replace(response, events=part))
            yield _Cut(f"inside response {number}", sent)
        if number < len(responses):
            yield _Cut(f"behind response {number}", tuple(responses[:number]))
    yield _Cut("at the first tombstone", tuple(responses), fails=True)


def _restart(name: str, of: Play, cut: _Cut, known: Offsets | None = None) -> Restart | str:
    """Return a restart as ours does it, or why it cannot be played.

    `known` is what is stored, if that is known already.
    """
    play = play_of(name, of.cases, of.dialect, of.log)
    codec = bind(play.settings, play.dialect)
    worker = codec.worker()
    try:
        first = list(codec.resumed(cut.first, NO_OFFSETS, worker))
        if cut.fails:
            kept = list(_before_tombstones(first))
            if len(kept) == len(first):
                return "it sends no tombstone"
            first = kept
        offsets = list(_growing(record for record, _ in first))
        stored = known or (offsets[-1] if offsets else NO_OFFSETS)
        asked = codec.requests(stored)
        wrong = _unanswerable(asked, cut.first)
        if wrong:
            return wrong
        second = list(codec.resumed(_streams(play.responses, asked), stored, worker))
    except HarnessError as error:
        return f"not planned: {error.what}"
    sent = [one for _, records in (*first, *second) for one in records]
    play = replace(play, expected=tuple(map(message, sent)))
    before = sum(len(records) for _, records in first)
    return Restart(play, cut.at, cut.first, cut.fails, before, stored, asked, offsets)


def _growing(records: Iterable[ConnectRecord]) -> Iterator[Offsets]:
    """Yield what is stored after each record."""
    stored = NO_OFFSETS
    for record in records:
        stored = offsets_of([record], stored)
        yield stored


def _streams(
    responses: Sequence[VStreamResponse], asked: Sequence[VgtidPosition]
) -> Iterator[VStreamResponse]:
    """Yield what all tasks are sent, task by task."""
    for position in asked:
        shards = {one.shard: one.gtid for one in position.shards}
        for response in behind(responses, shards):
            first = position.shards[0].shard if response.only_shard is not None else None
            yield replace(response, only_shard=first)


def _before_tombstones(
    emitted: Iterable[tuple[ConnectRecord, tuple[Record, ...]]],
) -> Iterator[tuple[ConnectRecord, tuple[Record, ...]]]:
    """Yield what each task has sent when it fails at its first tombstone."""
    failed: set[str] = set()
    for record, sent in emitted:
        task = str(record.source_partition.get("task_key"))
        if record.value is None:
            failed.add(task)
        if task not in failed:
            yield record, sent


def _unanswerable(asked: Iterable[VgtidPosition], first: Iterable[VStreamResponse]) -> str:
    """Return why the server cannot answer what a restarted connector asks, "" if it can."""
    committed = {
        event.shard for one in first for event in one.events if isinstance(event, VRowEvent)
    }
    for position in asked:
        for shard in position.shards:
            if shard.table_pks:
                return IN_COPY
            if shard.gtid in NOWHERE and (shard.shard in committed or not shard.shard):
                return NOTHING_STORED
    return ""


def stored_form(offsets: Offsets) -> dict[str, Offset]:
    """Return stored offsets by task, as Connect's REST interface says them."""
    return {task or "": dict(offset) for (_, task), offset in sorted(offsets.items(), key=str)}

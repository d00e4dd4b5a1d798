"""The run: services, a worker for each time zone, and plays in batches through one of it.

A batch's connectors run side by side, each with topics of its own. A play is over when its server
has sent everything and its topics hold as much as our encoder made; one that stays behind gets time
as long as anything moves. Then nothing may come for a while: what a connector sends too much is a
difference as well.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, TypeVar

from confluent_kafka import TopicPartition

from harness.codecs.debezium_vitess.dialect import DIALECTS
from harness.errors import plural
from harness.oracles.compare import Comparison, Message, Rules, compare
from harness.oracles.framed import (
    AvroProcessingTime,
    Frames,
    SchemaOf,
)
from harness.oracles.freedoms import (
    SCHEMA_ID,
    ProcessingTime,
    RunId,
    TimedPosition,
    Version,
    positions,
)
from harness.oracles.topics import Topics
from harness.oracles.vitess.configuration import configuration
from harness.oracles.vitess.plays import Play
from harness.oracles.vitess.vtgate import Script, VtGates, serves
from harness.oracles.worker import Worker

BATCH: Final = 40
CREATING: Final = 4  # connectors that are created at once
POLL_S: Final = 0.25
SETTLE_S: Final = 1.0  # after the last expected message, nothing more may come
# So long may nothing move before a play counts as ended too soon, and longer each time that it is
# played again: a machine that is busy moves nothing for a while.
IDLE_S: Final = 20.0
BATCH_S: Final = 420.0
CLOCK_MARGIN_NS: Final = 1_000_000_000

# gRPC 1.75.0 with Netty 4.1.124, as the connector brings them, now and then takes the header of an
# HTTP/2 frame for a message: https://github.com/grpc/grpc-java/issues/12307.
TRANSPORT: Final = r"gRPC message exceeds maximum size|http2 exception|mid-frame"
# Tasks of one connector share what 3.3.1 keeps for lineage, and one that stops takes it from the
# others (repaired later: https://github.com/debezium/debezium/pull/6873).
LINEAGE: Final = "DebeziumOpenLineageEmitter not initialized"
# Limits of Connect (90 s for a request), of Kafka's clients, of the registry's and of gRPC's.
BUSY: Final = r"(?i:timed[ -]?out|timeout|deadline.exceeded)"
BROKEN: Final = re.compile(f"{TRANSPORT}|{LINEAGE}|{BUSY}")

Ends = Mapping[TopicPartition, int]
T = TypeVar("T")


@dataclass(slots=True)
class PlayResult:
    """What came of a play: why the connector refused or failed ("" if not), and the comparison."""

    play: Play
    refused: str = ""
    failed: str = ""
    comparison: Comparison = field(default_factory=Comparison)
    messages: Sequence[Message] = ()
    opened: Sequence[tuple[str, ...]] = ()
    unanswered: Sequence[str] = ()

    @property
    def broken(self) -> bool:
        """Return whether transport broke, or time ran out on a busy machine: neither says anything.

        A connector may also wait for ever for the rest of what is no message, and say nothing. A
        task that fails hands over no more of what it has queued by then (Debezium's
        ChangeEventQueue.poll): how much that is, a clock decides.
        """
        ended = self.refused or self.failed
        if ended and BROKEN.search(ended):
            return True
        short = len(self.messages) < self.play.awaited
        if self.play.stopped:
            return not ended or bool(self.failed and short)
        return not ended and short

    @property
    def equal(self) -> bool:
        """Return whether the connector did what ours does: the same records, the same end."""
        ended_alike = bool(self.failed or self.refused) == bool(self.play.stopped)
        return not self.comparison.differences and ended_alike


@dataclass(frozen=True, slots=True)
class Stand:
    """Where plays are run: the worker, the broker's topics, and the registry's own interface.

    `schema_of` returns the text of a schema that a frame names.
    """

    worker: Worker
    topics: Topics
    gates: VtGates
    registry: str
    schema_of: SchemaOf
    version: str


def by_zone(plays: Sequence[Play]) -> Iterator[tuple[str, list[Play]]]:
    """Yield the time zones that workers must have, each with its plays."""
    ordered = sorted(plays, key=lambda play: play.zone)
    for zone, same in groupby(ordered, lambda play: play.zone):
        yield zone, list(same)


def results_of(stand: Stand, plays: Sequence[Play]) -> Iterator[PlayResult]:
    """Run plays in batches; yield each with what came of it."""
    for start in range(0, len(plays), BATCH):
        yield from _Batch(stand, plays[start : start + BATCH]).run()


@dataclass(frozen=True, slots=True)
class Span:
    """When a batch ran, in nanoseconds since 1970."""

    began: int
    ended: int


def judge(stand: Stand, one: PlayResult, ends: Ends, span: Span) -> None:
    """Read what a connector sent and compare it with what its play expects."""
    play = one.play
    clock = span.began - CLOCK_MARGIN_NS, span.ended + CLOCK_MARGIN_NS
    messages = stand.topics.read(ends)
    expected: Iterable[Message] = play.expected
    if play.is_avro:
        frames = Frames(stand.schema_of)
        messages = [frames.unframed(message) for message in messages]
        expected = [frames.placed(message, play.partitions) for message in expected]
    one.messages = messages
    freedoms = (
        ProcessingTime(*clock),
        AvroProcessingTime(*clock),
        Version(DIALECTS[play.dialect].version, stand.version),
        RunId(),
        TimedPosition(play.heartbeats, positions(play.expected)),
    )
    rules = Rules(freedoms, play.several_tasks, play.heartbeats)
    one.comparison = compare(expected, messages, rules)
    if play.is_avro:
        one.comparison.freedoms.add(SCHEMA_ID)


def check_any_started(stand: Stand, found: Collection[PlayResult]) -> None:
    """Raise SetupError where the worker refuses every connector, which says nothing of any case."""
    refused = {one.refused.replace(one.play.name, "") for one in found}
    if len(found) > 1 and len(refused) == 1 and all(one.refused for one in found):
        (why,) = refused
        raise stand.worker.unusable(
            f"the Connect worker refuses each of {plural(len(found), 'connector')}: {why}"
        )


def check_served(stand: Stand, name: str, port: int, cause: str) -> None:
    """Raise SetupError where a connector failed because the server that plays VTGate has left."""
    if not serves(port):
        raise stand.worker.unusable(
            f"the server that plays VTGate for {name} has left port {port} under its connector: "
            f"{cause}"
        )


def patience(plays: Iterable[Play]) -> float:
    """Return for how many seconds nothing may move: the longer, the oftener plays were played."""
    return IDLE_S * (1 + max(play.attempt for play in plays))


def sent(play: Play, ends: Ends) -> int:
    """Return how many messages a connector has sent; what a timer sends says nothing."""
    timed = f"{play.name}.{play.heartbeats}" if play.heartbeats else None
    return sum(n for at, n in ends.items() if timed is None or not at.topic.startswith(timed))


def at_once(action: Callable[[T], None], each: Iterable[T]) -> None:
    """Ask the worker about several connectors, a few at once.

    Who stops waiting here does not wait for the worker's answers: it ends with its block.
    """
    pool = ThreadPoolExecutor(CREATING, "ask")
    try:
        for future in [pool.submit(action, one) for one in each]:
            future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


class _Batch:
    """Plays side by side."""

    def __init__(self, stand: Stand, plays: Sequence[Play]) -> None:
        self.stand = stand
        self.plays = plays
        self.scripts: dict[str, Script] = {play.name: play.script() for play in plays}
        self.found = {play.name: PlayResult(play) for play in plays}
        self.ports: dict[str, int] = {}

    def run(self) -> Iterator[PlayResult]:
        began = time.time_ns()
        try:
            at_once(self.create, self.plays)
            check_any_started(self.stand, self.found.values())
            ends = self.filled()
            ended = time.time_ns()
            for play in self.plays:
                self.stand.worker.delete(play.name)
        finally:
            self.stand.gates.stop()
        for play in self.plays:
            one, script = self.found[play.name], self.scripts[play.name]
            judge(self.stand, one, ends[play.name], Span(began, ended))
            one.opened, one.unanswered = script.opened, script.unanswered
            yield one
        self.stand.topics.remove(place for each in ends.values() for place in each)

    def create(self, play: Play) -> None:
        port = self.ports[play.name] = self.stand.gates.play(self.scripts[play.name])
        config = configuration(play.settings, play.name, port, self.stand.registry)
        refused = self.stand.worker.create(play.name, config)
        self.found[play.name].refused = refused or ""

    def filled(self) -> Mapping[str, Ends]:
        """Wait until every play is over; return how far its partitions are filled."""
        waiting, began = threading.Event(), time.monotonic()
        moved, before = began, -1
        while True:
            waiting.wait(POLL_S)
            self.failures()
            ends = self.stand.topics.ends(self.found)
            now = time.monotonic()
            total = sum(sent(play, ends[play.name]) for play in self.plays)
            total += sum(len(script.sent) for script in self.scripts.values())
            if total != before:
                moved, before = now, total
            over = all(self.is_over(play, ends[play.name]) for play in self.plays)
            quiet = now - moved
            if quiet > (SETTLE_S if over else patience(self.plays)) or now - began > BATCH_S:
                for play in self.plays:
                    if not self.is_over(play, ends[play.name]):
                        check_served(self.stand, play.name, self.ports[play.name], "it is silent")
                return ends

    def failures(self) -> None:
        for name, failure in self.stand.worker.failures().items():
            if name in self.found:
                self.found[name].failed = failure.cause
                check_served(self.stand, name, self.ports[name], failure.cause)

    def is_over(self, play: Play, ends: Ends) -> bool:
        one = self.found[play.name]
        if one.refused or one.failed:
            return True
        whole = sent(play, ends) >= play.awaited
        return whole and self.scripts[play.name].all_sent and not play.stopped

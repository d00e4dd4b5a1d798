"""The run: one connector a profile follows a server on which scenario after scenario is run.

What belongs to a scenario ends with a marker row: when each connector has sent that, it has sent
all that came before, since a connector's one task sends in the order of the log.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Final

from confluent_kafka import TopicPartition

from harness.errors import SetupError
from harness.oracles.jars import Jars, OnEvent
from harness.oracles.mariadb.configuration import AFTER, Configure, Connector, configured
from harness.oracles.mariadb.lock import LOCK
from harness.oracles.mariadb.statements import Execution, go_on, made, remove
from harness.oracles.topics import Topics
from harness.oracles.vitess.lock import LOCK as WORKER_LOCK
from harness.oracles.worker import Worker, WorkerFiles
from harness.record.server import Server, Upstream, databases_of_our_own
from harness.record.session import sql_steps
from harness.scenario.document import Scenario, TransactionStep

# Sorts behind the scenarios' databases: a copy, which goes by name, ends with what is not asked.
MARKS: Final = "zz_harness_oracle_marks"
COPYING: Final[Mapping[str, str]] = MappingProxyType({"snapshot.mode": "initial"})
POLL_S: Final = 0.02
AGAIN_S: Final = 1.0  # a connector that runs does not stream yet: the first marker is repeated
STREAMING_S: Final = 120.0
SEEN_S: Final = 120.0
SETTLE_S: Final = 1.0
SENT_S: Final = 0.1

Ends = dict[TopicPartition, int]
NO_MORE: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Stand:
    """Where scenarios are run: the server, the worker that follows it, the broker's topics.

    `configure` makes the configuration of a connector.
    """

    server: Server
    worker: Worker
    topics: Topics
    directory: Path
    configure: Configure
    connectors: dict[str, str] = field(default_factory=dict[str, str])
    numbers: Iterator[int] = field(default_factory=count)

    def follow(self, plays: Iterable[str], more: Mapping[str, str] = NO_MORE) -> None:
        """Begin each of these plays, or begin it again, with a connector that streams.

        `more` is put into its configuration. Raises SetupError when one of them does not stream.
        """
        for play in plays:
            old = self.connectors.pop(play, None)
            if old is not None:
                self.worker.delete(old)
            self.create(play, self.name(play), more)
        until_streaming(self)

    def copy(self) -> None:
        """Begin all plays again, each with a connector that first copies what is there.

        Markers wait until it has sent something: by then it has chosen what it copies. One that
        fails at its copy is left alone: what follows says so.
        """
        self.server.run(f"TRUNCATE TABLE {MARKS}.marks")
        plays = list(self.connectors)
        for play in plays:
            self.worker.delete(self.connectors.pop(play))
            self.create(play, self.name(play), COPYING)
        if until_copying(self, {name: {} for name in self.connectors.values()}):
            until_streaming(self, copying=True)

    def name(self, play: str) -> str:
        """Return the name of a play's next connector, which is not created yet."""
        name = self.connectors[play] = f"{play}{AFTER}{next(self.numbers)}"
        return name

    def create(self, play: str, name: str, more: Mapping[str, str] = NO_MORE) -> None:
        """Create a play's connector, which goes on from what is stored for it."""
        config = {**self.configure(play, name, self.server.upstream, self.directory), **more}
        refused = self.worker.create(name, config)
        if refused:
            raise self.worker.unusable(f"the Connect worker refuses {name}: {refused}")

    def failed(self) -> dict[str, str]:
        """Return why connectors fail, by their plays."""
        found = self.worker.failures()
        return {p: found[name].cause for p, name in self.connectors.items() if name in found}


@dataclass(frozen=True, slots=True)
class Slice:
    """What came of a scenario.

    `connectors` has the name of each play's connector, which its topics begin with. `failed`
    says of a play why its connector failed at this scenario. `begins` and `ends` are how far the
    topics were filled before and after it, where records do not say it themselves.
    """

    scenario: Scenario
    execution: Execution
    connectors: Mapping[str, str]
    failed: Mapping[str, str]
    begins: Ends
    ends: Ends


def worker_files(connector: Connector, on_event: OnEvent, env: Mapping[str, str]) -> WorkerFiles:
    """Return what a worker with a connector runs on, fetched when it is first asked for."""
    plugin = Jars(LOCK, on_event, env).directory(connector.group)
    return WorkerFiles(Jars(WORKER_LOCK, on_event, env).group("worker"), [plugin])


@contextmanager
def marking(upstream: Upstream) -> Generator[Server]:
    """Yield a session on a server that has the table of markers."""
    with databases_of_our_own(upstream, [MARKS]) as server:
        server.run(f"CREATE TABLE {MARKS}.marks (n INT NOT NULL AUTO_INCREMENT PRIMARY KEY)")
        yield server


@contextmanager
def following(
    connector: Connector,
    upstream: Upstream,
    worker: Worker,
    topics: Topics,
    plays: Sequence[str],
    directory: Path,
) -> Generator[Stand]:
    """Yield a stand whose connectors stream; SetupError when one of them does not."""
    with marking(upstream) as server:
        stand = Stand(server, worker, topics, directory, configured(connector))
        stand.follow(plays)
        yield stand


def slices(
    stand: Stand, scenarios: Sequence[Scenario], *, has_gtids: bool = True
) -> Iterator[Slice]:
    """Run scenarios one after another; yield what became of each."""
    for scenario in scenarios:
        begins, ends = Ends(), Ends()
        try:
            execution, begins = _performed(stand, scenario, has_gtids=has_gtids)
            failed = marked(stand)
            if not has_gtids:
                ends = filled(stand, stand.connectors.values(), SENT_S)
        finally:
            remove(scenario, stand.server)
        yield Slice(scenario, execution, dict(stand.connectors), failed, begins, ends)
        if failed:  # a failed one never goes beyond the change that it fails at
            stand.follow(failed)


def _performed(stand: Stand, scenario: Scenario, *, has_gtids: bool) -> tuple[Execution, Ends]:
    """Run a scenario's steps; where it says when a connector begins, new ones begin then.

    Return what was run, and how far topics were filled before where records do not say it.
    """
    steps, server, filled_before = sql_steps(scenario), stand.server, Ends()
    done = made(scenario, server)
    if not has_gtids:
        marked(stand)
        filled_before = filled(stand, stand.connectors.values(), SENT_S)
    begins = scenario.keyspace.copied_after
    for number, step in enumerate(steps if begins else (), 1):
        if isinstance(step, TransactionStep) and step.name == begins:
            done, steps = go_on(done, steps[:number], server), steps[number:]
            stand.copy()
    return go_on(done, steps, server), filled_before


def filled(stand: Stand, names: Iterable[str], settle_s: float = SETTLE_S) -> Ends:
    """Return how far the topics of connectors are filled once nothing comes any more.

    Partitions are written side by side: a marker may be there before what was sent before it.
    """
    wanted = set(names)
    before, waiting = None, threading.Event()
    while (ends := stand.topics.ends(wanted)) != before:
        before = ends
        waiting.wait(settle_s)
    return {place: end for each in ends.values() for place, end in each.items()}


def mark(stand: Stand) -> None:
    """Write a marker."""
    stand.server.run(f"INSERT INTO {MARKS}.marks () VALUES ()")  # noqa: S608 - our own name


def _seen(stand: Stand) -> dict[str, int]:
    """Return how many markers each connector has sent."""
    places = {
        play: TopicPartition(f"{name}.{MARKS}.marks", 0) for play, name in stand.connectors.items()
    }
    ends = stand.topics.at(places.values())
    return {play: ends.get(place, 0) for play, place in places.items()}


def until_copying(stand: Stand, before: Mapping[str, Ends]) -> bool:
    """Wait until every connector has sent something; return False when one has failed.

    By then it has chosen what it copies. `before` is how far each one's topics were filled.
    """
    waiting, deadline = threading.Event(), time.monotonic() + STREAMING_S
    while any(
        sum(ends.values()) <= sum(before[name].values())
        for name, ends in stand.topics.ends(before).items()
    ):
        if stand.failed():
            return False
        if time.monotonic() > deadline:
            raise stand.worker.unusable(f"no connector copies within {STREAMING_S:g} s")
        waiting.wait(POLL_S)
    return True


def until_streaming(stand: Stand, *, copying: bool = False) -> None:
    """Write markers until every connector has sent one, and then wait for the rest of them.

    Raises SetupError when one fails; one that is `copying` may, and then nobody is waited for.
    """
    waiting, deadline = threading.Event(), time.monotonic() + STREAMING_S
    marked = 0.0
    first = _seen(stand)
    while any(n == first[play] for play, n in _seen(stand).items()):
        for play, why in stand.failed().items():
            if copying:
                return
            raise SetupError(
                f"the connector of the profile {play} fails at once: {why}",
                hint="the worker's log says more",
            )
        if time.monotonic() > deadline:
            raise stand.worker.unusable(f"no connector streams within {STREAMING_S:g} s")
        if time.monotonic() - marked > AGAIN_S:
            mark(stand)
            marked = time.monotonic()
            stand.topics.ends(
                ()
            )  # a client asks again for topics that were not there when all are listed
        waiting.wait(POLL_S)
    before: dict[str, int] = {}
    while (now := _seen(stand)) != before:
        before = now
        waiting.wait(SETTLE_S)


def marked(stand: Stand) -> Mapping[str, str]:
    """Write a marker, and wait until every connector has sent it or has failed; return those."""
    before = _seen(stand)
    mark(stand)
    waiting, deadline = threading.Event(), time.monotonic() + SEEN_S
    failed: Mapping[str, str] = {}
    while any(n <= before[play] and play not in failed for play, n in _seen(stand).items()):
        failed = stand.failed()
        if time.monotonic() > deadline:
            raise stand.worker.unusable(f"a connector is silent for {SEEN_S:g} s")
        waiting.wait(POLL_S)
    return failed

"""From cases to what is played: one play for all cases that differ in their delivery alone."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final

from harness.codecs.debezium_vitess.reference import PARTITIONS, ZONE
from harness.codecs.debezium_vitess.settings import read
from harness.contracts import DEFAULT_DIALECT
from harness.engine.plan.case import stage_of
from harness.engine.plan.encoded import encoded
from harness.errors import HarnessError
from harness.model.change import ChangeLog
from harness.model.settings import Settings
from harness.model.vstream import FieldEvent, VStreamResponse
from harness.oracles.compare import Message, message
from harness.oracles.vitess.vtgate import Script
from harness.protocols import PROTOCOLS
from harness.scenario.expand import Case
from harness.sources.vitess.source import TOPIC_PREFIX

HEARTBEATS: Final = ("heartbeat.interval.ms", "topic.heartbeat.prefix")
PREFIX: Final = "topic.prefix"
DOCUMENTED: Final = "documented"
AGAIN: Final = "again"
UTC: Final = "UTC"
NO_PROGRAM: Final = "the dialect is the documents' own samples, which no release writes"
OTHERS: Final = "the dialect is another release's"


@dataclass(frozen=True, slots=True)
class Play:
    """A stream to be played, the cases that it stands for, and what our encoder makes of it.

    `name` is unique in a run; `dialect` is that of the release which is asked. `stopped` is why our
    connector stops before the end, "" otherwise; `attempt` counts the times that it was played
    before.
    """

    name: str
    cases: tuple[Case, ...]
    dialect: str
    settings: Settings
    responses: tuple[VStreamResponse, ...]
    expected: tuple[Message, ...]
    log: ChangeLog
    stopped: str = ""
    attempt: int = 0

    @property
    def zone(self) -> str:
        """Return the time zone that the worker's JVM must have."""
        return str(self.settings.get(ZONE, UTC))

    @property
    def several_tasks(self) -> bool:
        """Return whether several streams are open at once."""
        return len({one.only_shard for one in self.responses}) > 1

    @property
    def heartbeats(self) -> str:
        """Return how the names of topics begin that a timer fills, "" where none does."""
        given = {name: self.settings[name] for name in HEARTBEATS if name in self.settings}
        settings = read(given)
        prefix = settings.text(HEARTBEATS[1])
        return prefix if settings.number(HEARTBEATS[0]) > 0 else ""

    @property
    def awaited(self) -> int:
        """Return how many messages a connector sends at least, whatever a timer does."""
        timed = self.heartbeats
        return sum(not timed or not one.topic.startswith(timed) for one in self.expected)

    @property
    def partitions(self) -> int:
        """Return how many partitions each topic has."""
        return int(str(self.settings.get(PARTITIONS, 1)))

    @property
    def is_avro(self) -> bool:
        """Return whether keys or values name schemas of a registry."""
        return any(message.key_schema or message.value_schema for message in self.expected)

    def script(self) -> Script:
        """Return what the server tells a connector; its tables are those that have fields."""
        keyspace = str(self.settings["vitess.keyspace"])
        events = chain.from_iterable(one.events for one in self.responses)
        names = (event.table for event in events if isinstance(event, FieldEvent))
        tables = dict.fromkeys(name.partition(".")[2] for name in names)
        shards = self.cases[0].scenario.keyspace.shards
        return Script(keyspace, shards, tuple(sorted(tables)), self.responses)


@dataclass(frozen=True, slots=True)
class Plays:
    """All plays of some cases, and the cases that cannot be played, each with the reason."""

    plays: tuple[Play, ...]
    unplayable: dict[str, str] = field(default_factory=dict[str, str])


def plays(
    cases: Iterable[Case], log_of: Callable[[Case], ChangeLog], dialect: str = DEFAULT_DIALECT
) -> Plays:
    """Plan the plays of Vitess cases in a release's dialect, in the order of the cases."""
    together: dict[Hashable, list[Case]] = {}
    unplayable: dict[str, str] = {}
    for case in cases:
        if case.dialect not in {DEFAULT_DIALECT, dialect}:
            unplayable[case.id] = NO_PROGRAM if case.dialect == DOCUMENTED else OTHERS
            continue
        name = (case.scenario.id, case.profile, case.partitions)
        together.setdefault(name, []).append(case)
    found: list[Play] = []
    for same in together.values():
        try:
            found.append(play_of(f"o{len(found)}", same, dialect, log_of(same[0])))
        except HarnessError as error:
            unplayable |= dict.fromkeys((case.id for case in same), f"not planned: {error.what}")
    return Plays(tuple(found), unplayable)


def again(play: Play) -> Play:
    """Return the same play under another name, which no connector has an offset for."""
    first = play.name.partition(AGAIN)[0]
    attempt = play.attempt + 1
    made = play_of(f"{first}{AGAIN}{attempt}", play.cases, play.dialect, play.log)
    return replace(made, attempt=attempt)


def play_of(name: str, cases: Sequence[Case], dialect: str, log: ChangeLog) -> Play:
    """Return the play of cases that share one, under a name."""
    protocol, config = PROTOCOLS[cases[0].protocol], stage_of(cases[0])
    # Connectors of one name in one JVM disturb each other: their metrics and their lineage have
    # the name alone. So each has a name of its own, and our encoder is given it as well.
    prefix = f"{config.settings.get(PREFIX, TOPIC_PREFIX)}{name}"
    source = protocol.source.simulate(
        log, replace(config, settings={**config.settings, PREFIX: prefix})
    )
    sent = encoded(protocol.codec.bind(source.settings, dialect), source)
    expected = tuple(map(message, sent.records))
    stopped = "" if sent.stopped is None else f"{sent.stopped.code} {sent.stopped.what}"
    return Play(name, tuple(cases), dialect, source.settings, source.given, expected, log, stopped)

"""Scenarios' SQL run while connectors follow, each with a connector of its own.

What belongs to a scenario is known by the numbers of its transactions: a connector that came before
it sends what others did, too, and one that begins again sends some of it again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Final

from harness.engine.run.external_topics.source import Snapshot, tables_now
from harness.engine.sink.statements import literal
from harness.errors import ScenarioError
from harness.model.table import TableId
from harness.oracles.compare import Message
from harness.oracles.freedoms import TIME
from harness.oracles.live.producer import LIVE_FAULTS, Producer
from harness.oracles.mariadb.records import numbered, of_database, recounted
from harness.oracles.mariadb.run import MARKS, Stand, marked
from harness.oracles.mariadb.statements import Execution, go_on, made, remove
from harness.oracles.topics import FILLED, consumed
from harness.record.server import Server
from harness.record.session import sql_steps
from harness.runner.contract.job_file import Role, TopicJob
from harness.scenario.document import Scenario, TransactionStep

AT_ONCE: Final = 8  # connectors that begin together
SETTLE_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Play:
    """A scenario to be run, and the name of what befalls the producer meanwhile, "" for nothing."""

    number: int
    scenario: Scenario
    fault: str

    @property
    def name(self) -> str:
        """Return what the name of its connector begins with."""
        return f"live{self.number}"

    @property
    def copies(self) -> bool:
        """Return whether its connector starts with a copy of what is there by then."""
        return self.scenario.keyspace.broken_off is not None


@dataclass(frozen=True, slots=True)
class Performed:
    """What came of a play's SQL: what ran, what the tables were, why the connector fails.

    `truth` is what the SELECT says of the moment at which the topics end, None where the tables
    cannot be read, which `unread` says then. `steps` is their number until that moment.
    """

    play: Play
    prefix: str
    execution: Execution
    truth: Snapshot | None
    unread: str
    steps: int
    failed: str


@dataclass(frozen=True, slots=True)
class Scene:
    """A play whose records lie on topics: these topics, and the messages in them."""

    performed: Performed
    topics: tuple[TopicJob, ...]
    messages: tuple[Message, ...]


class Reading:
    """What reads while a group of plays is performed: nothing, as it stands here."""

    def halfway(self) -> None:
        """Hear that a part of a play's SQL has run, and hold the rest up until some is read."""

    def performed(self) -> None:
        """Hear that a play's SQL has run, and that its connector has sent it."""

    def laid(self, scenes: Sequence[Scene]) -> None:
        """Hear what the whole group's topics hold."""


# Begins to read before the plays of a group are performed, and has ended when it is left.
Begin = Callable[[Producer, Sequence[Play]], AbstractContextManager[Reading]]


def _nobody(producer: Producer, group: Sequence[Play]) -> AbstractContextManager[Reading]:
    del producer, group
    return nullcontext(Reading())


def scenes(
    producer: Producer,
    plays: Sequence[Play],
    begin: Begin = _nobody,
    at_once: int = AT_ONCE,
) -> Iterator[Scene]:
    """Perform all plays; those that something befalls have the producer for themselves."""
    plain = [play for play in plays if not play.fault]
    groups = [plain[at : at + at_once] for at in range(0, len(plain), at_once)]
    groups += [[play] for play in plays if play.fault]
    for group in groups:
        _begun(producer.stand, group)
        with begin(producer, group) as reading:
            performed = list(_performed(producer, group, reading))
            found = list(_laid(producer, performed))
            reading.laid(found)
        yield from found
        for name in producer.stand.connectors.values():
            producer.stand.worker.delete(name)
        producer.stand.connectors.clear()


def _begun(stand: Stand, group: Sequence[Play]) -> None:
    """Begin each play with a connector; of one that copies it has a name, and starts later."""
    if any(play.copies for play in group):
        for play in group:
            stand.name(play.name)
    else:
        stand.follow(play.name for play in group)


def _performed(producer: Producer, group: Sequence[Play], reading: Reading) -> Iterator[Performed]:
    left = [play.name for play in group]
    for play in group:
        try:
            done = _perform(producer, play, reading)
            reading.performed()
        finally:
            remove(play.scenario, producer.stand.server)
        yield done
        left.remove(play.name)
        if done.failed and left:  # what made one fail makes all fail that follow the same log
            producer.stand.follow(left)


def _perform(producer: Producer, play: Play, reading: Reading) -> Performed:
    scenario, steps = play.scenario, sql_steps(play.scenario)
    fault, (half, back) = LIVE_FAULTS.get(play.fault), parts(play)
    done = go_on(made(scenario, producer.stand.server), steps[:half], producer.stand.server)
    if play.copies:
        producer.begin_copies()
    reading.halfway()
    read = None
    if fault is not None:
        if not play.copies:
            producer.caught_up()
        read = _read(scenario, producer.stand.server)
        fault.strike(producer)
    done = go_on(done, steps[half:back], producer.stand.server)
    if fault is not None:
        fault.recover(producer)
    done = go_on(done, steps[back:], producer.stand.server)
    # Without a fault nothing is sent twice, so that markers need only be counted.
    ended = marked(producer.stand) if fault is None else producer.caught_up()
    failed = ended.get(play.name, "")
    lost = fault is not None and bool(fault.loses)
    if read is None or not lost:
        read = _read(scenario, producer.stand.server)
    prefix = producer.stand.connectors[play.name]
    return Performed(play, prefix, done, *read, half if lost else len(steps), failed)


def parts(play: Play) -> tuple[int, int]:
    """Return how many of a play's steps are run before what befalls it, and before it is over.

    Without a fault a part is read after the first of them.
    """
    steps = sql_steps(play.scenario)
    if play.copies:
        names = [getattr(step, "name", None) for step in steps]
        keyspace = play.scenario.keyspace
        assert keyspace.broken_off is not None
        return names.index(keyspace.broken_off[0]) + 1, names.index(keyspace.copied_after) + 1
    return (len(steps) + 1) // 2 if play.fault else len(steps) // 2, len(steps)


def copied_twice(scenario: Scenario) -> Scenario:
    """Return a scenario whose connector begins a copy after a third of the transactions.

    That breaks off, and it begins anew after the second third.
    """
    names = [one.name for one in sql_steps(scenario) if isinstance(one, TransactionStep)]
    first, second = (names[part * (len(names) - 1) // 3] for part in (1, 2))
    keyspace = replace(scenario.keyspace, broken_off=(first, None), copied_after=second)
    return replace(scenario, keyspace=keyspace)


def _read(scenario: Scenario, server: Server) -> tuple[Snapshot | None, str]:
    """Return the tables of a scenario's databases, or why they cannot be read."""
    names = ", ".join(map(literal, scenario.databases))
    found = server.rows(
        "SELECT table_schema, table_name FROM information_schema.tables"  # noqa: S608 - literals
        f" WHERE table_type = 'BASE TABLE' AND table_schema IN ({names})"
    )
    tables = [TableId(*((part or b"").decode() for part in row)) for row in found]
    try:
        return tables_now(server, scenario.file, dict.fromkeys(tables, scenario.expect.line)), ""
    except ScenarioError as error:
        return None, error.what


def _laid(producer: Producer, performed: Sequence[Performed]) -> Iterator[Scene]:
    """Read what the connectors have sent, and yield each play with its part of it."""
    topics, before, waiting = producer.stand.topics, None, threading.Event()
    names = {one.prefix for one in performed}
    while (ends := topics.ends(names)) != before:  # partitions are written side by side
        before = ends
        waiting.wait(SETTLE_S)
    every = {place: end for each in ends.values() for place, end in each.items()}
    sent = consumed(producer.services.kafka.client, every)
    for one in performed:
        own = [message for message in sent if message.topic.partition(".")[0] == one.prefix]
        yield of_play(one, own)


def of_play(performed: Performed, messages: Sequence[Message]) -> Scene:
    """Return what of a connector's messages is a play's; markers in its middle do not count.

    What is copied has number 0, but for what is said of the markers.
    """
    numbers = {number: at for at, number in enumerate(performed.execution.numbers, 1)}
    if performed.play.copies:
        numbers[0] = 0
    rest = [one for one in messages if one.topic != f"{performed.prefix}.{MARKS}.marks"]
    own = [
        recounted(one, number, number - numbers[number])
        for number, one in numbered(rest)
        if number in numbers and FILLED not in one.headers and not of_database(one, MARKS)
    ]
    first, last = performed.execution.span
    begin = 0 if performed.play.copies else first + 1
    jobs = topic_jobs(performed.prefix, rest, (begin - 1, last))
    return Scene(performed, tuple(jobs), tuple(own))


def topic_jobs(
    prefix: str, messages: Sequence[Message], span: tuple[int, int]
) -> Iterator[TopicJob]:
    """Yield the topics with messages of a span of transactions, from the first to the last of them.

    Topics have one partition. Where there are no such messages, the one of DDL is empty.
    """
    first, last = span
    found: dict[str, list[int]] = {}
    counts: dict[str, int] = {}
    for number, message in numbered(messages):
        at = counts[message.topic] = counts.get(message.topic, -1) + 1
        if first < number <= last:
            found.setdefault(message.topic, []).append(at)
    slices = {topic: (places[0], places[-1] + 1) for topic, places in found.items()}
    for topic, (begin, end) in sorted((slices or {prefix: (0, 0)}).items()):
        role = Role.TRANSACTION if topic == f"{prefix}.transaction" else Role.DATA
        yield TopicJob(topic, topic, (begin,), (end,), role)


def without_repeats(messages: Sequence[Message], counts: Mapping[str, int]) -> list[Message]:
    """Return messages without those that a connector sent again; `counts` are the others, by topic.

    One that begins again goes back some messages: what follows a place is what was before it.
    """
    found: dict[str, list[Message]] = {}
    for message in messages:
        found.setdefault(message.topic, []).append(message)
    return [
        one
        for topic, those in found.items()
        for one in _once(those, len(those) - counts.get(topic, 0))
    ]


def _once(messages: list[Message], more: int) -> list[Message]:
    bare = [replace(one, value=one.value and TIME.sub(b"", one.value)) for one in messages]
    for at in range(more, len(bare) - more + 1) if more > 0 else ():
        if bare[at - more : at] == bare[at : at + more]:
            return [*messages[:at], *messages[at + more :]]
    return messages

"""What a broker does to a topic: transactions, compaction, retention, a restart.

Source: the clauses `kafka.*`; https://github.com/apache/spark/pull/21917 and its likes (gaps in
offsets).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from harness.errors import StepError
from harness.faults.actions import (
    Aborted,
    AddPartitions,
    Clean,
    Committed,
    Compact,
    DeleteBefore,
    ElectLeader,
    EndLeader,
    RestartBroker,
    Step,
    messages,
    sent,
)
from harness.faults.choose import (
    chosen,
    first,
    grouped,
    last,
    nothing,
    place,
)
from harness.faults.fault import Disturbance, Invariant
from harness.faults.log import simulate_log
from harness.faults.option import KEY, Option, Options, Takes
from harness.model.record import Record


def aborted(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Abort a first attempt at some rows, or end every partition with an aborted transaction."""
    del random
    count = options.number("records")
    if "transaction" not in options:
        queues = grouped(sent(steps), place)
        if not queues:
            raise nothing("nothing is sent", options.line)
        return (*steps, *(Aborted(tuple(queue[-count:])) for queue in queues))
    numbers, records = messages(steps)
    tries = [n for n, yes in enumerate(chosen(records, options)) if yes]
    at = numbers[tries[0]]
    return (*steps[:at], Aborted(tuple(records[n] for n in tries[:count])), *steps[at:])


def transactional(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Send everything in committed transactions of some messages each."""
    del random
    count = options.number("records")
    if not messages(steps)[0]:
        raise nothing("nothing is sent", options.line)
    return tuple(_committed(steps, count))


def _committed(steps: Sequence[Step], count: int) -> Iterator[Step]:
    group: list[Record] = []
    for step in steps:
        if isinstance(step, Record):
            group.append(step)
        if group and (len(group) == count or not isinstance(step, Record)):
            yield Committed(tuple(group))
            group = []
        if not isinstance(step, Record):
            yield step
    if group:
        yield Committed(tuple(group))


def compacted(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Compact the topics once everything is sent; null keys have no place in such topics."""
    del random
    tombstones, cleaner = options.text("tombstones", KEPT) == KEPT, options.text("by") == CLEANER
    if cleaner and not tombstones:
        raise StepError(
            "the log cleaner removes tombstones in its own time",
            line=options.line,
            expected=f"`tombstones: {KEPT}` with `by: {CLEANER}`",
            hint="without `by`, topics are filled as if tombstones had expired",
        )
    out = list(steps)
    for topic in sorted({record.topic for record in sent(steps)}):
        if any(record.key is None for record in sent(steps) if record.topic == topic):
            continue
        action = _cleaned(steps, topic) if cleaner else Compact(topic, tombstones)
        if simulate_log([*steps, Compact(topic, tombstones)]) != simulate_log(steps):
            out.append(action)
    if len(out) == len(steps):
        raise nothing(
            "no topic with keys has a key twice", options.line, "a row that is changed again"
        )
    return tuple(out)


def _cleaned(steps: Sequence[Step], topic: str) -> Clean:
    there = [record for record in sent(steps) if record.topic == topic]
    return Clean(topic, tuple(queue[-1] for queue in grouped(there, place)))


def expired(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Let each partition begin at a later offset: what was there before has expired."""
    del random
    count = options.number("records")
    firsts = [queue[0] for queue in grouped(_before_growth(steps), place)]
    if not firsts:
        raise nothing("nothing is sent", options.line)
    before = [old for old in firsts for _ in range(count)]
    gone = [DeleteBefore(old.topic, old.partition, count) for old in firsts]
    # What is deleted on the way lies as much further on.
    later = (
        replace(step, offset=step.offset + count) if isinstance(step, DeleteBefore) else step
        for step in steps
    )
    return (*before, *gone, *later)


def _before_growth(steps: Sequence[Step]) -> list[Record]:
    """Return what is sent before partitions are added on the way: a new partition begins at 0."""
    found: list[Record] = []
    for step in steps:
        if isinstance(step, AddPartitions) and found:
            break
        found += sent([step])
    return found


def retention(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Delete what was sent up to a transaction, before the consumer has read it."""
    del random
    numbers, records = messages(steps)
    at = numbers[last(records, options.text("to"), options.line)] + 1
    ends = simulate_log(steps[:at])
    deletes = (DeleteBefore(*there, log.end) for there, log in ends.items() if log.read)
    return (*steps, *deletes)


def broker_restart(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Restart the broker behind a transaction's last message."""
    del random
    numbers, records = messages(steps)
    at = numbers[last(records, options.text("after"), options.line)] + 1
    return (*steps[:at], RestartBroker(), *steps[at:])


def leader_moves(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Move the leaders from a transaction's first message on, and back behind another's last."""
    del random
    numbers, records = messages(steps)
    begin = numbers[first(records, options.text("from"), options.line)]
    end = numbers[last(records, options.text("to"), options.line)] + 1
    if end <= begin:
        raise nothing(f"{options.text('to')!r} comes before {options.text('from')!r}", options.line)
    return (*steps[:begin], EndLeader(), *steps[begin:end], ElectLeader(), *steps[end:])


KEPT, EXPIRED = "kept", "expired"
GAPS, CLEANER = "gaps", "cleaner"
_ALL = frozenset(Invariant)
_RECORDS = Option("records", Takes.NUMBER, "How many messages each transaction has.", 1)


def _named(name: str, meaning: str) -> Option:
    return Option(name, Takes.TRANSACTION, meaning, required=True)


ROWS: tuple[Disturbance, ...] = (
    Disturbance(
        "aborted",
        "Sends messages in a transaction that is aborted: with `transaction`, a first attempt at "
        "its rows; without it, once more the last messages of every partition, at its very end.",
        _ALL,
        (
            Option("transaction", Takes.TRANSACTION, "The transaction whose rows are tried first."),
            KEY,
            _RECORDS,
        ),
        act=aborted,
        example={"records": 2},
    ),
    Disturbance(
        "transactional",
        "Sends everything in committed transactions: each leaves a marker, which takes an offset.",
        _ALL,
        (_RECORDS,),
        act=transactional,
        example={"records": 3},
    ),
    Disturbance(
        "compacted",
        "Compacts the topics before they are read: of each key the last message stays, at its "
        "offset.",
        frozenset({Invariant.BYTES, Invariant.ONCE, Invariant.ORDER, Invariant.LAST_VALUE}),
        (
            Option(
                "tombstones",
                Takes.WORD,
                "Whether tombstones are kept, or have expired too.",
                KEPT,
                words=(KEPT, EXPIRED),
                loses=("LAST_VALUE",),
            ),
            Option(
                "by",
                Takes.WORD,
                "Whether topics are filled as if they had been compacted, or the broker's own log "
                "cleaner compacts them.",
                GAPS,
                words=(GAPS, CLEANER),
            ),
        ),
        act=compacted,
        example={"tombstones": "expired"},
    ),
    Disturbance(
        "expired",
        "Lets each partition begin at a later offset: what was there before has expired.",
        _ALL,
        (Option("records", Takes.NUMBER, "How many offsets are gone.", 1),),
        act=expired,
        example={"records": 5},
    ),
    Disturbance(
        "retention",
        "Deletes what was sent up to a transaction before the consumer has read it: data are lost, "
        "and a consumer has to say so.",
        frozenset({Invariant.BYTES, Invariant.ONCE}),
        (_named("to", "The last transaction that is deleted."),),
        act=retention,
        loses_data=True,
        example={"to": "t1"},
    ),
    Disturbance(
        "broker-restart",
        "Restarts the broker behind the last message of a transaction.",
        _ALL,
        (_named("after", "The transaction after which it happens."),),
        act=broker_restart,
        live=True,
        example={"after": "t1"},
    ),
    Disturbance(
        "leader-moves",
        "Ends the broker that leads the partitions, so that a second one leads them, and lets the "
        "first one come back and lead them again.",
        _ALL,
        (
            _named("from", "The transaction before whose first message the leaders move."),
            _named("to", "The transaction after whose last message they move back."),
        ),
        act=leader_moves,
        live=True,
        example={"from": "t2", "to": "t2"},
    ),
)

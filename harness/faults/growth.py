"""More partitions: added on the way with rows in them, or there and empty for ever.

Source: clause `kafka.partitions-grow`; https://github.com/ArroyoSystems/arroyo/pull/132 and
https://github.com/quickwit-oss/quickwit/issues/758 (partitions that came later and were not read).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from random import Random

from harness.errors import StepError
from harness.faults.actions import AddPartitions, Step, messages, sent
from harness.faults.choose import is_ddl, is_mark, is_rows, nothing, rows_of, ts
from harness.faults.corrupt import Form, form
from harness.faults.fault import Disturbance, Invariant
from harness.faults.option import Option, Options, Takes
from harness.model.record import Record

_NEW_ROWS = "messages behind `from` whose keys no message before has"


def grow(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Add partitions on the way; rows of new keys, resolved events and DDL go there.

    No row that was seen before changes its partition, so the order of each row's events holds.
    """
    del random
    numbers, records = messages(steps)
    chosen_rows = rows_of(records, options.text("from"), {}, options.line)
    begun = chosen_rows.index(True)
    at, topic = numbers[begun], records[begun].topic
    old = 1 + max(record.partition for record in records if record.topic == topic)
    by = options.number("by")
    homes = _new_homes(steps, at, topic)
    if not homes:
        raise nothing("no message from there on is about new rows only", options.line, _NEW_ROWS)
    out: list[Step] = [
        *steps[:at],
        AddPartitions(topic, old + by, stopped=options.text("consumer") == "stopped"),
    ]
    for step in steps[at:]:
        if not isinstance(step, Record) or step.topic != topic:
            out.append(step)
        elif is_rows(step):
            home = homes.get(next(iter(_rows(step)), None))
            out.append(step if home is None else replace(step, partition=old + home % by))
        else:
            out.append(step)
            if is_ddl(step) and step.partition == 0:
                out += [replace(step, partition=new) for new in range(old, old + by)]
    marked = _with_marks(out, topic, range(old, old + by), begun=len(steps[:at]))
    return (*marked, *_last_marks(marked, topic, range(old, old + by)))


def _with_marks(steps: Sequence[Step], topic: str, added: range, begun: int) -> list[Step]:
    """Return the steps with each mark of the first partition copied to the new ones.

    A copy waits for the rows of its new partition that it promises: they may have come from a
    partition that was behind the first.
    """
    after: dict[int, list[Record]] = {}
    for number, step in enumerate(steps):
        if not isinstance(step, Record) or number < begun or step.topic != topic:
            continue
        if is_mark(step) and step.partition == 0:
            for new in added:
                rows = (
                    at
                    for at, other in enumerate(steps)
                    if isinstance(other, Record)
                    and (other.topic, other.partition) == (topic, new)
                    and is_rows(other)
                    and min(origin.commit_ts for origin in other.origins) <= ts(step)
                )
                place = max([number, *rows])
                after.setdefault(place, []).append(replace(step, partition=new))
    return [one for number, step in enumerate(steps) for one in (step, *after.get(number, ()))]


def _last_marks(steps: Sequence[Step], topic: str, added: range) -> list[Record]:
    """Return the topic's greatest mark for each new partition that has not heard it.

    The other partitions may have heard it before the new ones were there.
    """
    marks = [record for record in sent(steps) if record.topic == topic and is_mark(record)]
    if not marks:
        return []
    greatest = max(marks, key=ts)
    heard = {record.partition for record in marks if ts(record) == ts(greatest)}
    return [replace(greatest, partition=new) for new in added if new not in heard]


def _new_homes(steps: Sequence[Step], at: int, topic: str) -> Mapping[Hashable, int]:
    """Return a number for each row that is new from there on; rows of one message share it.

    A row that shares a message with one that is not new stays where it was, as does a message
    without key.
    """
    messages = [
        (number >= at, _rows(step))
        for number, step in enumerate(steps)
        if isinstance(step, Record) and step.topic == topic and is_rows(step)
    ]
    homes: dict[Hashable, int] = {}
    for is_new, rows in messages:
        for row in rows:
            homes.setdefault(row, len(homes) + 1 if is_new and row is not None else 0)
    changed = True
    while changed:
        changed = False
        for _, rows in messages:
            least = min(homes[row] for row in rows)
            changed = changed or any(homes[row] != least for row in rows)
            homes.update(dict.fromkeys(rows, least))
    return {row: home for row, home in homes.items() if home}


def _rows(record: Record) -> frozenset[Hashable]:
    """Return the rows that a message is about: by its key, or by its events where these share it.

    A key update is one change with two keys, and each of its messages is about its own.
    """
    if form(record) is Form.FRAMED:
        return frozenset((origin.table, origin.key) for origin in record.origins)
    return frozenset({None if record.key is None else (record.topic, record.key)})


def empty_partitions(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Give every topic partitions to which nothing is ever sent."""
    del random
    greatest: dict[str, int] = {}
    for record in sent(steps):
        greatest[record.topic] = max(greatest.get(record.topic, 0), record.partition)
    if not greatest:
        raise nothing("nothing is sent", options.line)
    if any(map(is_mark, sent(steps))):
        raise StepError(
            "a stream with resolved events is never complete over a partition that gets none",
            line=options.line,
            expected="a stream without resolved events",
            hint="`grow` adds partitions to which resolved events are sent",
        )
    more = 1 + options.number("count")
    return (*(AddPartitions(topic, most + more) for topic, most in greatest.items()), *steps)


ROWS: tuple[Disturbance, ...] = (
    Disturbance(
        "grow",
        "Adds partitions to a topic on the way. Rows that were not seen before go to the new "
        "partitions; resolved events and DDL events are sent there as well.",
        frozenset(),
        (
            Option(
                "from",
                Takes.TRANSACTION,
                "The transaction with whose first message the partitions are there.",
                required=True,
            ),
            Option("by", Takes.NUMBER, "How many partitions are added.", 1, most=64),
            Option(
                "consumer",
                Takes.WORD,
                "Whether the consumer is running meanwhile, or stopped.",
                "running",
                words=("running", "stopped"),
            ),
        ),
        act=grow,
        live=True,
        not_live={"consumer": "stopped"},
        example={"from": "t2", "consumer": "stopped"},
    ),
    Disturbance(
        "empty-partitions",
        "Gives every topic partitions to which nothing is ever sent; in a stream without resolved "
        "events, which would never be complete.",
        frozenset(Invariant),
        (Option("count", Takes.NUMBER, "How many of them.", 1, most=64),),
        act=empty_partitions,
        example={"count": 2},
    ),
)

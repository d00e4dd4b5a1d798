"""Resolved events that fall back, come late, or are missing for a while.

A resolved event (here a mark) may always come later than it could have: it then merely promises
less than is true. What never happens here is that a mark overtakes a row that it completes. A DDL
of its very ts it may overtake: the two are sent by a clock and a queue, whichever is ready first.

Source: clauses `open.resolved.may-regress`, `open.resolved.global`, `changefeed.ddl.behind-mark`;
tiflow c7b2588 cmd/kafka-consumer/writer.go:469, cdc/owner/ddl_sink.go.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from random import Random

from harness.faults.choose import Place, first, is_ddl, is_mark, nothing, place, ts
from harness.faults.fault import Disturbance, Invariant
from harness.faults.option import PARTITION, TIMES, Option, Options, Takes
from harness.model.record import Record


def resolved_back(
    records: Sequence[Record], options: Options, random: Random
) -> tuple[Record, ...]:
    """Send, behind each mark of a partition, the mark that was there before it again."""
    del random
    before: dict[Place, Record] = {}
    out: list[Record] = []
    for record in records:
        out.append(record)
        if not is_mark(record) or not _is_there(record, options):
            continue
        previous = before.get(place(record))
        if previous is not None and ts(previous) < ts(record):
            out += [previous] * options.number("times")
        before[place(record)] = record
    if len(out) == len(records):
        raise nothing(
            "no partition has two resolved events of different ts", options.line, _TWO_MARKS
        )
    return tuple(out)


def late_resolved(
    records: Sequence[Record], options: Options, random: Random
) -> tuple[Record, ...]:
    """Let the marks of one partition come some messages late, or after everything else."""
    del random
    lag = options.number("by") if "by" in options else None
    passed = 0
    late: deque[tuple[int, Record]] = deque()
    out: list[Record] = []
    for record in records:
        if is_mark(record) and _is_there(record, options):
            late.append((passed, record))
            continue
        out.append(record)
        if _is_there(record, options):
            passed += 1
            while late and lag is not None and passed - late[0][0] >= lag:
                out.append(late.popleft()[1])
    out += [mark for _, mark in late]
    if out == list(records):
        raise nothing(
            "the partition's resolved events come last already", options.line, _A_PARTITION
        )
    return tuple(out)


def missing_resolved(
    records: Sequence[Record], options: Options, random: Random
) -> tuple[Record, ...]:
    """Leave out the marks of one partition, but for the greatest: it is silent until the end."""
    del random
    marks = [n for n, r in enumerate(records) if is_mark(r) and _is_there(r, options)]
    if len(marks) < 2:
        raise nothing("the partition has no two resolved events", options.line, _A_PARTITION)
    greatest = max(marks, key=lambda n: (ts(records[n]), n))
    gone = set(marks) - {greatest}
    return tuple(record for number, record in enumerate(records) if number not in gone)


def resolved_first(
    records: Sequence[Record], options: Options, random: Random
) -> tuple[Record, ...]:
    """Send the mark at a DDL's commit ts before the DDL, in each of the partitions."""
    del random
    begin = first(records, options.text("from"), options.line) if "from" in options else 0
    moments: dict[tuple[Place, int], int] = {}  # where the first DDL of a ts stands in a partition
    at: list[tuple[int, int]] = []
    for number, record in enumerate(records):
        moment = place(record), ts(record)
        if is_ddl(record) and number >= begin:
            moments.setdefault(moment, number)
        moved = is_mark(record) and _is_there(record, options) and moment in moments
        at.append((moments[moment], 0) if moved else (number, 1))
    if all(moved for _, moved in at):
        raise nothing("no resolved event has the ts of a DDL before it", options.line, _A_DDL)
    return tuple(records[number] for number in sorted(range(len(at)), key=at.__getitem__))


def _is_there(record: Record, options: Options) -> bool:
    return "partition" not in options or record.partition == options.number("partition")


_TWO_MARKS = "two resolved events of different ts in one partition"
_A_PARTITION = "a partition whose marks are followed by something"
_A_DDL = "a DDL, and behind it a resolved event of its commit ts"
_ONE = Option(
    PARTITION.name, Takes.NUMBER, PARTITION.meaning, required=True, least=0, most=PARTITION.most
)
_PERHAPS = Option(
    PARTITION.name,
    Takes.NUMBER,
    "The partition, counted from 0; without it, every partition.",
    least=0,
    most=PARTITION.most,
)
_ALL = frozenset(Invariant)

ROWS: tuple[Disturbance, ...] = (
    Disturbance(
        "resolved-back",
        "Sends behind each resolved event the one before it again: the resolved ts falls back, as "
        "after a restart.",
        _ALL - {Invariant.ONCE, Invariant.RISING},
        (
            _PERHAPS,
            TIMES,
        ),
        resolved_back,
        example={"partition": 0},
    ),
    Disturbance(
        "resolved-first",
        "Sends the resolved event at the commit ts of a DDL before the DDL, which then lies at the "
        "resolved ts already and is new all the same.",
        _ALL - {Invariant.ORDER, Invariant.LAST_VALUE},
        (
            Option("from", Takes.TRANSACTION, "Of the DDL behind this transaction alone."),
            _PERHAPS,
        ),
        resolved_first,
        example={"from": "t1"},
    ),
    Disturbance(
        "late-resolved",
        "Lets the resolved events of one partition come late, as those of an idle or slow one do.",
        _ALL - {Invariant.ORDER},
        (
            _ONE,
            Option(
                "by",
                Takes.NUMBER,
                "Behind how many more messages of the partition; without it, after everything.",
            ),
        ),
        late_resolved,
        example={"partition": 1},
    ),
    Disturbance(
        "missing-resolved",
        "Leaves out all resolved events of one partition but the greatest. That a partition has no "
        "resolved event at all is said upstream: `resolved: [0]` with `end-resolved: false`.",
        _ALL - {Invariant.LAST_VALUE},
        (_ONE,),
        missing_resolved,
        example={"partition": 1},
    ),
)

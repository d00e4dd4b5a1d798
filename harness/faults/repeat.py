"""At-least-once: what a producer may send again.

Source: TiCDC Open Protocol, 2020, §Constraints (a row event of one version may be sent several
times); tiflow c7b2588 cmd/kafka-consumer/writer.go:224,469; clause `open.delivery.at-least-once`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from random import Random

from harness.errors import StepError
from harness.faults.choose import (
    DDL,
    Place,
    chosen,
    completed,
    first,
    is_mark,
    last,
    nothing,
    place,
    ts,
)
from harness.faults.fault import Disturbance, Invariant
from harness.faults.option import KEY, TIMES, TRANSACTION, Option, Options, Takes
from harness.model.record import Record


def duplicate(records: Sequence[Record], options: Options, random: Random) -> tuple[Record, ...]:
    """Send each message that carries a chosen row again, right after the first time."""
    del random
    times = options.number("times")
    out: list[Record] = []
    for record, is_chosen in zip(records, chosen(records, options), strict=True):
        out += [record] * (1 + times if is_chosen else 1)
    return tuple(out)


def replay(records: Sequence[Record], options: Options, random: Random) -> tuple[Record, ...]:
    """Send the tail again, each partition's messages in their first order."""
    del random
    begin = first(records, options.text("from"), options.line)
    end = len(records) - 1
    if "to" in options:
        end = last(records, options.text("to"), options.line)
    if end < begin:
        raise StepError(
            f"replay from {options.text('from')!r} to {options.text('to')!r} is empty",
            line=options.line,
            expected="`to` at or after `from`",
        )
    return tuple(records) + tuple(records[begin : end + 1]) * options.number("times")


def replay_below_resolved(
    records: Sequence[Record], options: Options, random: Random
) -> tuple[Record, ...]:
    """Send rows again right behind the mark of their partition that has completed them."""
    del random
    times = options.number("times")
    waiting: defaultdict[Place, list[Record]] = defaultdict(list)
    out: list[Record] = []
    for record, is_chosen in zip(records, chosen(records, options), strict=True):
        out.append(record)
        if is_chosen:
            waiting[place(record)].append(record)
        elif is_mark(record):
            due, later = completed(waiting[place(record)], ts(record))
            out += due * times
            waiting[place(record)] = later
    if len(out) == len(records):
        raise nothing(
            "no resolved event follows the rows in their partition", options.line, _A_MARK
        )
    return tuple(out)


def resend(records: Sequence[Record], options: Options, random: Random) -> tuple[Record, ...]:
    """Send each DDL event, or each resolved event, again right after the first time."""
    del random
    kind, times = options.text("events"), options.number("times")
    out: list[Record] = []
    for record in records:
        out += [record] * (1 + times if record.origins[0].kind == kind else 1)
    if len(out) == len(records):
        noun = "DDL event" if kind == DDL else "resolved event"
        raise nothing(f"no {noun} is sent", options.line, f"a {noun} at least")
    return tuple(out)


_A_MARK = "a resolved event behind the rows, in their partition"
REPEATED = frozenset(Invariant) - {Invariant.ONCE, Invariant.RISING}

ROWS: tuple[Disturbance, ...] = (
    Disturbance(
        "duplicate",
        "Sends the row events of one transaction again, right behind the first ones.",
        REPEATED | {Invariant.RISING},
        (TRANSACTION, KEY, TIMES),
        duplicate,
        example={"transaction": "t1", "key": {"id": 1}},
    ),
    Disturbance(
        "replay",
        "Sends everything from one transaction on again, as a producer does that restarts from its "
        "last checkpoint.",
        REPEATED,
        (
            Option(
                "from",
                Takes.TRANSACTION,
                "The first transaction that is sent again.",
                required=True,
            ),
            Option(
                "to",
                Takes.TRANSACTION,
                "The last transaction that is sent again; without it, everything up to the end.",
                loses=("LAST_VALUE",),
            ),
            TIMES,
        ),
        replay,
        example={"from": "t2"},
    ),
    Disturbance(
        "replay-below-resolved",
        "Sends the row events of one transaction again behind the resolved event that has "
        "completed them, while the stream goes on.",
        REPEATED | {Invariant.RISING},
        (TRANSACTION, KEY, TIMES),
        replay_below_resolved,
        example={"transaction": "t1"},
    ),
    Disturbance(
        "resend",
        "Sends every DDL event, or every resolved event, again right behind the first one.",
        REPEATED | {Invariant.RISING},
        (
            Option(
                "events",
                Takes.WORD,
                "What is sent again.",
                required=True,
                words=("ddl", "resolved"),
            ),
            TIMES,
        ),
        resend,
        example={"events": "ddl", "times": 2},
    ),
)

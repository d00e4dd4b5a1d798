"""A producer's transaction that is never committed: its rows were sent, and are nobody's to read.

Unlike `aborted`, which sends again what comes anyway, what is sent here comes in no other
transaction: a consumer that reads it has other tables. The tables are those without its rows.

Source: clauses `kafka.aborted-transactions`, `kafka.last-stable-offset`.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from harness.errors import StepError
from harness.faults.actions import Aborted, LeftOpen, Step, messages
from harness.faults.choose import PREVIEW, chosen
from harness.faults.fault import Disturbance, Invariant
from harness.faults.option import TRANSACTION, Option, Options, Takes
from harness.model.record import Record

LEFT_OPEN, ABORTED = "left-open", "aborted"


def uncommitted(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Send a transaction's messages in a Kafka transaction that is aborted, or never ended."""
    del random
    numbers, records = messages(steps)
    name = options.text("transaction")
    chosen(records, options)
    its = {
        n for n, record in zip(numbers, records, strict=True) if _is_of(record, name, options.line)
    }
    withdrawn = tuple(step for n, step in enumerate(steps) if n in its and isinstance(step, Record))
    left = [(n, step) for n, step in enumerate(steps) if n not in its]
    if options.text("end") == LEFT_OPEN:
        return (*(step for _, step in left), LeftOpen(withdrawn))
    at = min(its)
    before = (step for n, step in left if n < at)
    return (*before, Aborted(withdrawn), *(step for n, step in left if n > at))


def _is_of(record: Record, name: str, line: int) -> bool:
    """Return whether a message is of a transaction; StepError when it is of others as well."""
    names = {origin.transaction for origin in record.origins}
    if name in names and len(names) > 1:
        raise StepError(
            f"a message carries rows of transaction {name!r} and of others",
            line=line,
            expected="messages of its own",
            hint=f"`max-batch-size: 1`, or `resolved: all` around the transaction; {PREVIEW}",
        )
    return name in names


ROWS: tuple[Disturbance, ...] = (
    Disturbance(
        "uncommitted",
        "Sends the messages of a transaction in a Kafka transaction that is never committed, and "
        "in no other: it is aborted where they would come, or left open at the end of its "
        "partitions. The tables are those without its rows (`expect.by-delivery` states them).",
        # No promise: resolved events go on, as if the rows had come.
        frozenset(
            {Invariant.BYTES, Invariant.ONCE, Invariant.ORDER, Invariant.RISING, Invariant.MARKS}
        ),
        (
            TRANSACTION,
            Option(
                "end",
                Takes.WORD,
                "Whether it is aborted at its place, or left open at the end.",
                ABORTED,
                words=(ABORTED, LEFT_OPEN),
            ),
        ),
        act=uncommitted,
        example={"transaction": "t2", "end": "left-open"},
    ),
)

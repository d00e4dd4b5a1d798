"""Legal deliveries: any sequence of faults that a protocol allows, drawn from their table.

A fault that is added to the table is drawn at once; one that withholds rows is named here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Any

from hypothesis import strategies as st

from harness.errors import StepError
from harness.faults import FAULTS
from harness.faults.actions import Step
from harness.faults.choose import Place
from harness.faults.fault import Claim, Disturbance
from harness.faults.log import LogEntry, simulate_log
from harness.faults.option import Option, Takes
from harness.model.record import Record

# No more than these repetitions, messages or partitions: enough, and quick.
FEW = 3
# No more faults than these, one after the other.
MOST = 4

# The tables are those without its rows: `expect.by-delivery` states them.
WITHHOLD_ROWS = frozenset({"uncommitted"})

Choose = Callable[[Sequence[Any]], Any]


def allowed(protocol: str) -> list[Disturbance]:
    """Return the faults that a protocol allows and that leave the tables as they are."""
    found = [fault for fault in FAULTS.values() if fault.claim(protocol) is Claim.ALLOWED]
    return [fault for fault in found if fault.name not in WITHHOLD_ROWS]


def options(
    choose: Choose, fault: Disturbance, protocol: str, transactions: Sequence[str]
) -> Mapping[str, Any]:
    """Choose options that the protocol's clauses cover."""
    wanted = {option.name for option in fault.options if option.required}
    wanted |= {choose(names) for names in (fault.one_of, fault.some_of) if names}
    found: dict[str, Any] = {}
    for option in fault.options:
        covered = option.name not in fault.permissions[protocol].without
        free = option.name not in fault.one_of and covered and option.takes is not Takes.KEY
        if option.name in wanted or (free and choose((False, True))):
            found[option.name] = choose(values(option, transactions))
    return found


def values(option: Option, transactions: Sequence[str]) -> Sequence[Any]:
    """Return what an option may be."""
    match option.takes:
        case Takes.TRANSACTION:
            return transactions
        case Takes.NUMBER:
            return range(option.least, min(option.most, option.least + FEW) + 1)
        case Takes.WORD:
            return option.words
        case Takes.FLAG:
            return (False, True)
        case Takes.TEXT | Takes.KEY:
            return ("*", "t*", "*.transaction")


def drawing(draw: st.DrawFn) -> Choose:
    """Return what chooses as Hypothesis draws, to be shrunk when a property fails."""
    return lambda found: draw(st.sampled_from(found))


def composed(
    random: Random, records: Sequence[Record], protocol: str, transactions: Sequence[str]
) -> list[tuple[str, Mapping[str, Any]]]:
    """Return some faults that act on these records one after the other, with their options.

    What is done to the run comes after what is done to records.
    """
    chosen = random.choices(allowed(protocol), k=random.randint(0, MOST))
    steps: tuple[Step, ...] = tuple(records)
    found: list[tuple[str, Mapping[str, Any]]] = []
    for fault in sorted(chosen, key=lambda fault: fault.act is not None):
        given = options(random.choice, fault, protocol, transactions)
        with suppress(StepError):
            steps = fault.act_on(steps, given, 1, Random(0))
            found.append((fault.name, given))
    return found


@st.composite
def deliveries(
    draw: st.DrawFn,
    records: Sequence[Record],
    protocol: str,
    transactions: Sequence[str],
    more: Sequence[Disturbance] = (),
) -> tuple[Step, ...]:
    """Draw a delivery of allowed faults and `more`; those with nothing to act on are left out."""
    faults = draw(st.lists(st.sampled_from([*allowed(protocol), *more]), max_size=MOST))
    steps: tuple[Step, ...] = tuple(records)
    # What is done to the run comes after what is done to records.
    for fault in sorted(faults, key=lambda fault: fault.act is not None):
        given = options(drawing(draw), fault, protocol, transactions)
        try:
            steps = fault.act_on(steps, given, 1, Random(draw(st.integers(0, 99))))
        except StepError:
            continue
    return steps


def reading(steps: Sequence[Step], random: Random) -> list[tuple[Place, LogEntry]]:
    """Return what a reader sees in one of the orders in which it may read the partitions."""
    logs = {there: list(log.read) for there, log in simulate_log(steps).items()}
    turns = [there for there, log in logs.items() for _ in log]
    random.shuffle(turns)
    return [(there, logs[there].pop(0)) for there in turns]

"""Legal deliveries: compositions of the faults that a clause allows, drawn from their table.

What a fault finds to act on is known only when the records are; so a wish is drawn first, and what
does not apply is left out of the scene.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.engine.plan.timing import is_live
from harness.errors import StepError
from harness.faults import FAULTS, Claim, Disturbance, Option, Takes
from harness.faults.actions import Step
from harness.faults.delivery import deliver
from harness.fuzz.pick import Choice, pick
from harness.fuzz.scene import Disturbed, Scene, Transaction
from harness.model.record import Record

STEPS = 3
# Options that are drawn anew: those of a row or a text would have to know the records.
UNDRAWN = frozenset({Takes.KEY, Takes.TEXT})
NUMBERS = 4


@dataclass(frozen=True, slots=True)
class Wanted:
    """A drawn step, as `faults.delivery` takes it."""

    fault: str
    options: Mapping[str, Any]
    line: int = 1


def legal(protocol: str) -> tuple[Disturbance, ...]:
    """Return the faults that some clause allows in a protocol."""
    return tuple(f for f in FAULTS.values() if f.claim(protocol) is Claim.ALLOWED)


def drawn_delivery(
    draw: Choice, protocol: str, transactions: Sequence[str], *, registry: bool
) -> tuple[Disturbed, ...]:
    """Draw the steps that are asked for; what is done to the run comes last.

    What compaction leaves comes behind what is sent: the broker compacts what lies there, and
    nobody sends a tombstone again whose delete is gone.

    `registry` says whether messages name schemas of one.
    """
    among = [
        fault
        for fault in legal(protocol)
        if (transactions or not _of_transaction(fault)) and (registry or not _of_registry(fault))
    ]
    found: list[tuple[tuple[bool, bool], Disturbed]] = []
    for _ in range(STEPS):
        if not pick(draw, (False, True)):
            break
        fault = pick(draw, among)
        late = (fault.act is not None, _compacts(fault))
        found.append((late, _step(draw, fault, protocol, transactions)))
    return tuple(step for _, step in sorted(found, key=lambda pair: pair[0]))


def _of_transaction(fault: Disturbance) -> bool:
    return any(o.takes is Takes.TRANSACTION and o.required for o in fault.options)


def _compacts(fault: Disturbance) -> bool:
    """Return whether a fault leaves what a compaction leaves: so say the clauses that allow it."""
    clauses = [c for permission in fault.permissions.values() for c in permission.clauses]
    return bool(clauses) and all(clause.startswith("kafka.compaction.") for clause in clauses)


def _of_registry(fault: Disturbance) -> bool:
    """Return whether a fault is about a registry: so say the clauses that allow it."""
    clauses = [c for permission in fault.permissions.values() for c in permission.clauses]
    return bool(clauses) and all(clause.startswith("registry.") for clause in clauses)


def _step(
    draw: Choice, fault: Disturbance, protocol: str, transactions: Sequence[str]
) -> Disturbed:
    permission = fault.permissions[protocol]
    options: dict[str, Any] = {}
    either = (*fault.one_of, *fault.some_of)
    choice = [o for o in fault.options if o.name in either and o.takes not in UNDRAWN]
    chosen = pick(draw, choice) if choice else None
    for option in fault.options:
        if option.takes in UNDRAWN or (option.takes is Takes.TRANSACTION and not transactions):
            continue
        if option.name in permission.without:
            continue
        alternative = option.name in either and option != chosen
        needed = option.required or option == chosen
        if not alternative and (needed or pick(draw, (False, True))):
            # A range ends with the transaction that it begins with, or later.
            first = transactions.index(options["from"]) if "from" in options else 0
            options[option.name] = pick(draw, _values(option, transactions[first:]))
    return Disturbed(fault.name, options, pick(draw, permission.clauses))


def _values(option: Option, transactions: Sequence[str]) -> Sequence[Any]:
    if option.takes is Takes.NUMBER:
        return range(option.least, min(option.most, option.least + NUMBERS) + 1)
    if option.takes is Takes.WORD:
        return option.words
    return (True, False) if option.takes is Takes.FLAG else transactions


def names(scene: Scene) -> tuple[str, ...]:
    """Return the names of the transactions."""
    return tuple(step.name for step in scene.steps if isinstance(step, Transaction))


def applicable(
    wanted: Sequence[Disturbed], records: Sequence[Record], seed: str
) -> tuple[Disturbed, ...]:
    """Return the steps that find something to act on, one behind the other.

    `seed` is the id of the case. Steps for which services or consumers would have to be restarted
    are left out: here everything is over when it is read.
    """
    kept: list[Disturbed] = []
    for one in wanted:
        if _applies([*kept, one], records, seed):
            kept.append(one)
    return tuple(kept)


def _applies(steps: Sequence[Disturbed], records: Sequence[Record], seed: str) -> bool:
    try:
        done: Sequence[Step] = deliver(records, list(_wanted(steps)), seed)
    except StepError:
        return False
    return not is_live(done)


def _wanted(steps: Sequence[Disturbed]) -> Iterator[Wanted]:
    for step in steps:
        yield Wanted(step.fault, step.options)

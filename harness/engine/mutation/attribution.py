"""Whether a finding names what a mutant does wrong: its clause, and a record that it errs on.

The records are found without the verdict: mutant and right consumer read the same delivery side by
side. A record is one that the mutant errs on when the rows of the two differ otherwise behind it
than before it, or when only one of the two applied its events, or in another order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import cast

from harness.engine.mutation.prepared import Prepared
from harness.model.finding import FINDINGS, Finding, Verdict
from harness.mutants.delivery import Message
from harness.mutants.mutant import Mutant
from harness.mutants.parts import Parts
from harness.mutants.shares import ENOUGH, GOAL, REACHED
from harness.reference_consumer.hold import Ready
from harness.verdict.case import Where


@dataclass(frozen=True, slots=True)
class Named:
    """One failing case: whether its first finding names the clause, and the record."""

    case: str
    clause: bool
    record: bool


@dataclass(frozen=True, slots=True)
class Shares:
    """Of how many failing cases the first finding names the clause, and the record."""

    cases: int
    clause: int
    record: int

    @property
    def reached(self) -> tuple[float, float]:
        """Return both as shares; of no case all."""
        return self.clause / max(self.cases, 1), self.record / max(self.cases, 1)

    @property
    def below_goal(self) -> bool:
        """Return whether one of the shares is below the goal."""
        return self.cases > 0 and min(self.reached) < GOAL

    @property
    def held(self) -> bool:
        """Return whether what was reached before is reached again, or too little is known."""
        if self.cases < ENOUGH:
            return True
        return all(now >= then for now, then in zip(self.reached, REACHED, strict=True))


def shares(cases: Iterable[Named]) -> Shares:
    """Return the shares of some failing cases."""
    every = tuple(cases)
    return Shares(len(every), sum(one.clause for one in every), sum(one.record for one in every))


def named(mutant: Mutant, prepared: Prepared, seed: int, verdict: Verdict) -> Named | None:
    """Return what the first finding of a mutant's failing case names; None where it passes."""
    if verdict.judgement not in FINDINGS or not verdict.findings:
        return None
    first = verdict.findings[0]
    clause = first.clause in mutant.clauses(prepared.plan.case.protocol)
    right = _erred_on(mutant.parts, prepared, seed)
    return Named(prepared.plan.case.id, clause, _is_among(first, right))


def _is_among(finding: Finding, right: frozenset[Where]) -> bool:
    """Tell whether a finding names one of the records; where there is none, it names none."""
    places = {(place.topic, place.partition, place.offset) for place in finding.places[:1]}
    return bool(places & right) if right else not places


def _erred_on(parts: Parts, prepared: Prepared, seed: int) -> frozenset[Where]:
    """Return where the messages lie that a mutant errs on."""
    right, wrong = (_Trace(prepared, each, seed) for each in (Parts(), parts))
    found: set[Where] = {*wrong.gave_up, *right.gave_up}
    before: Counter[Hashable] = Counter()
    one, other = right.start, wrong.start
    for message in prepared.delivery(seed).messages():
        where = _where(message)
        one, other = right.behind.get(where, one), wrong.behind.get(where, other)
        differs = (one - other) + (other - one)
        if differs != before:
            found.add(where)
            found |= right.applied_at(where, differs, before) | wrong.applied_at(
                where, differs, before
            )
        before = differs
    return frozenset(found | _applied_otherwise(right.applied, wrong.applied))


class _Trace:
    """A consumer's way through a delivery: its rows behind each message, and what it applied."""

    def __init__(self, prepared: Prepared, parts: Parts, seed: int) -> None:
        consumer = prepared.consumer(parts)
        self.start = consumer.rows()
        self.behind: dict[Where, Counter[Hashable]] = {}
        last: list[Where] = []

        self._due: dict[Where, Sequence[Ready]] = {}
        done = 0

        def after(message: Message) -> None:
            nonlocal done
            last[:] = [_where(message)]
            self.behind[last[0]] = consumer.rows()
            self._due[last[0]] = consumer.applied()[done:]
            done = len(consumer.applied())

        ended = consumer.consume(prepared.delivery(seed), after)
        failed = ended.tables is None and parts.stuck is None
        self.gave_up = [consumer.stopped_at] if consumer.error else []
        if failed:
            self.gave_up += [*last, *(ready.place for ready in consumer.applied()[-1:])]
        self.applied = [_applied(ready) for ready in consumer.applied()]

    def applied_at(
        self, where: Where, now: Counter[Hashable], before: Counter[Hashable]
    ) -> set[Where]:
        """Return where the events lie that a message completed, of rows that differ since."""
        changed = (now - before) + (before - now)
        due = self._due.get(where, ())
        rows = [ready for ready in due if _rows(ready) & changed.keys()]
        tables = {table for table, *_ in cast("Iterable[tuple[str, object]]", changed)}
        statements = [ready for ready in due if ready.event.query]
        return {
            ready.place
            for ready in [*(rows or due), *statements]
            if f"{ready.event.schema}.{ready.event.table}" in tables
        }


def _rows(ready: Ready) -> set[Hashable]:
    """Return the old and the new row of an event, as a consumer's rows are told."""
    event = ready.event
    table = f"{event.schema}.{event.table}"
    images = (event.before, event.after)
    return {(table, tuple(sorted(map(str, image.items())))) for image in images if image}


Applied = tuple[str, Where, Hashable]


def _applied(ready: Ready) -> Applied:
    event = ready.event
    images = (str(event.before), str(event.after), event.kind, event.query)
    return (f"{event.schema}.{event.table}", ready.place, images)


def _applied_otherwise(right: Sequence[Applied], wrong: Sequence[Applied]) -> set[Where]:
    """Return the places of events that one of the two applied alone, or in another order."""
    found: set[Where] = set()
    for table in {one[0] for one in (*right, *wrong)}:
        mine, its = ([one for one in each if one[0] == table] for each in (right, wrong))
        for tag, a, b, c, d in SequenceMatcher(None, mine, its, autojunk=False).get_opcodes():
            if tag != "equal":
                found.update(one[1] for one in (*mine[a:b], *its[c:d]))
    return found


def _where(message: Message) -> Where:
    return (*message.place, message.offset)

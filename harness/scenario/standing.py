"""What a case rests on: the standing of its delivery, its settings and the clauses it cites."""

from __future__ import annotations

from collections.abc import Iterator

from harness.model.standing import Standing, strongest, weakest
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES, DIALECT_OF, governs
from harness.protocols.standings import fault_standing
from harness.scenario.document import DeliveryStep
from harness.scenario.expand import Case
from harness.spec import Clause


def case_standing(case: Case) -> Standing:
    """Return the weakest standing of what a case relies on."""
    return weakest((delivery_standing(case), *_settings(case), *_cited(case)))


def delivery_standing(case: Case) -> Standing:
    """Return the weakest standing of a delivery's steps; nobody has to promise an undisturbed one.

    A step says itself what permits it: a clause, or a link where no clause covers its options.
    """
    steps = case.scenario.delivery.get(case.delivery or "", ())
    return weakest((Standing.DOCUMENT, *(step_standing(step, case.protocol) for step in steps)))


def step_standing(step: DeliveryStep, protocol: str) -> Standing:
    """Return the standing of one step in a protocol."""
    if step.seen_in:
        return Standing.BEYOND
    clause = CLAUSES.get(step.allowed_by.get(protocol, ""))
    return fault_standing(protocol, step.fault) if clause is None else clause.standing


def _settings(case: Case) -> Iterator[Standing]:
    """Yield the standing of each setting of the case of which a clause speaks."""
    for setting in PROTOCOLS[case.protocol].settings:
        if setting.name in case.settings and setting.clauses:
            yield strongest(CLAUSES[clause].standing for clause in setting.clauses)


def _cited(case: Case) -> Iterator[Standing]:
    """Yield the standing of each cited clause that holds in the case; of all where none does."""
    cited = [CLAUSES[clause] for clause in case.scenario.clauses]
    holding = [clause for clause in cited if _holds(clause, case)]
    yield from (clause.standing for clause in holding or cited)


def _holds(clause: Clause, case: Case) -> bool:
    dialect = DIALECT_OF.get(clause.versions, case.dialect)
    return governs(clause, case.protocol) and dialect == case.dialect

"""What a case rests on: the standing of its delivery, its settings and the clauses it cites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from harness.model.standing import Standing, strongest, weakest
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES, governs
from harness.protocols.standings import fault_standing
from harness.scenario.document import DeliveryStep
from harness.scenario.expand import Case
from harness.spec import Clause

# What a clause says of its releases -> the only dialect in which it holds.
DIALECT_OF: Mapping[str, str] = MappingProxyType(
    {
        "current": "current",
        "documented": "documented",
        "new architecture": "newarch",
        "up to 4.0.4": "4.0.4",
        "up to 5.2.3 and 5.3.0": "4.0.4",
        "before 6.1.6, 6.5.2 and 7.0.0, and from 6.1.0": "6",
        "up to 7.0": "6",
        "up to 7.2": "6",
        "up to 8.3": "6",
        "up to 2.7": "2.7",
        "up to 2.7.1": "2.7",
        "up to 3.0.4": "3.0",
        "up to 3.0.6": "3.0",
        "up to 3.1": "3.1",
        "3.2.0": "3.2",
        "from 3.4.0": "3.4",
        "MariaDB connector": "current",
        "MySQL connector": "mysql",
    }
)


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

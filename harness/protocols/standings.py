"""The standing of clauses and faults: whether a document demands them, a program, or nobody."""

from __future__ import annotations

from harness.model.standing import Standing, strongest
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES, cause_clause
from harness.protocols.description import Claim


def clause_standing(identifier: str) -> Standing | None:
    """Return the standing of a clause's source; None for a clause that there is not."""
    clause = CLAUSES.get(identifier)
    return None if clause is None else clause.standing


def fault_standing(protocol: str, fault: str) -> Standing:
    """Return the standing of a fault in a protocol; KeyError where it makes no sense.

    Of the clauses that allow it one is enough. A hostile one has that of the clause that it breaks:
    by its words a message can be told to be unreadable.
    """
    permission = PROTOCOLS[protocol].permissions[fault]
    match permission.claim:
        case Claim.ALLOWED:
            return strongest(CLAUSES[clause].standing for clause in permission.clauses)
        case Claim.SEEN:
            return Standing.BEYOND
        case Claim.HOSTILE:
            return CLAUSES[cause_clause(protocol, fault)].standing

"""One row of a table of wrong producers: which clause it violates, how, and by which patch."""

from __future__ import annotations

from dataclasses import dataclass

from harness.mutants.producers.patch import Patch
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES, governs


@dataclass(frozen=True, slots=True)
class WrongProducer:
    """A wrong producer.

    `name` is permanent. `clause` is the one that it violates, `also` a second one where the same
    wrong byte breaks both. `difference` is one sentence: what it does, where the right producer
    does otherwise. `protocols` are those whose scenarios can detect it; without any, all that the
    clause governs. `equivalent` says why no stream differs; such a row is not counted. `broker`
    says that what is patched is not the producer but what becomes of its records on their way, so
    that the right consumer reads what is delivered, and its answer must be wrong.
    """

    name: str
    clause: str
    difference: str
    patch: Patch
    also: str = ""
    protocols: tuple[str, ...] = ()
    equivalent: str = ""
    broker: bool = False

    @property
    def clauses(self) -> tuple[str, ...]:
        """Return the clauses that it violates."""
        return (self.clause, self.also) if self.also else (self.clause,)

    def of(self) -> tuple[str, ...]:
        """Return the protocols whose scenarios can detect it."""
        return self.protocols or tuple(
            name for name in PROTOCOLS if governs(CLAUSES[self.clause], name)
        )

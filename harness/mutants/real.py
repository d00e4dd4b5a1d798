"""Wrong consumers as programs, for what only a real broker or registry shows.

`python -m harness.mutants.real NAME` is the reference consumer with one part replaced. Each names
the cases that must detect it; `exec:` takes it as a consumer of its own:

    harness certify "exec:python -m harness.mutants.real reads-uncommitted" -k never-committed
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

import urllib3
from confluent_kafka import Consumer, KafkaException, Message

from harness.errors import DecodingError
from harness.mutants.checkpointing import BeginsItsFileAgain, KeepsResolvedOnly
from harness.mutants.instances import LeavesWhenIdle
from harness.reference_consumer import __main__ as reference
from harness.reference_consumer import schemas

USAGE = 2
IMPATIENT_S = 1.0


@dataclass(frozen=True, slots=True)
class RealMutant:
    """A wrong program: what it does, the rule, the cases that detect it, and its own part.

    `target` is what `part` replaces in the reference consumer's program.
    """

    name: str
    difference: str
    clause: str
    scenario: str
    deliveries: tuple[str, ...]
    target: str
    part: Callable[..., Any]


def _reading_uncommitted(properties: Mapping[str, Any]) -> Consumer:
    return Consumer({**properties, "isolation.level": "read_uncommitted"})


class _RefusesGaps(Consumer):  # type: ignore[misc]  # the driver has no types
    """Takes an offset that does not follow the last one for lost data."""

    def __init__(self, properties: Mapping[str, Any]) -> None:
        super().__init__(dict(properties))
        self._next: dict[tuple[str, int], int] = {}

    def consume(self, *args: Any, **options: Any) -> list[Message]:  # noqa: ANN401 - as there
        """Return the next messages; KafkaException at a gap."""
        found: list[Message] = super().consume(*args, **options)
        for one in found:
            place, offset = (str(one.topic()), int(one.partition() or 0)), int(one.offset() or 0)
            if offset != self._next.get(place, 0):
                raise KafkaException(f"offset {offset} of {place} does not follow")
            self._next[place] = offset + 1
        return found


class _TakesAnotherSchema(schemas.JobRegistry):
    """Reads a message whose schema is unknown by the longest one that it has seen."""

    def schema(self, schema_id: int) -> str:
        """Return the id's schema, or the longest one."""
        try:
            return super().schema(schema_id)
        except DecodingError:
            if not self._known:
                raise
            return max(self._known.values(), key=len)  # a row's, not a key's


class _GivesUpAtAnError(schemas.JobRegistry):
    """Waits for a registry that is away, and takes an error for its last word."""

    def __init__(self, registry: Mapping[str, Any], _patience_s: float = 0) -> None:
        super().__init__(registry)
        retries = schemas.RETRIES.new(status_forcelist=())
        self._http = urllib3.PoolManager(retries=retries, timeout=schemas.TIMEOUT_S)


class _GivesUpAfterASecond(schemas.JobRegistry):
    """Waits for a registry that is away, and not for one that is slow."""

    def __init__(self, registry: Mapping[str, Any], _patience_s: float = 0) -> None:
        super().__init__(registry)
        retries = schemas.RETRIES.new(read=0)
        self._http = urllib3.PoolManager(retries=retries, timeout=IMPATIENT_S)


ROWS: tuple[RealMutant, ...] = (
    RealMutant(
        "state-without-waiting-rows",
        "Its state has what is resolved, and its position is behind rows that still wait.",
        "kafka.at-most-once",
        "restart.killed-while-rows-wait",
        ("once", "twice", "anywhere"),
        "Consumer",
        KeepsResolvedOnly,
    ),
    RealMutant(
        "state-lost-at-the-second-death",
        "It reads its state when it starts again, and keeps only what comes after.",
        "kafka.at-most-once",
        "restart.killed-while-rows-wait",
        ("twice",),
        "Consumer",
        BeginsItsFileAgain,
    ),
    RealMutant(
        "reads-uncommitted",
        "It reads under `read_uncommitted`, whatever the job says.",
        "kafka.aborted-transactions",
        "transport.never-committed",
        ("aborted",),
        "Consumer",
        _reading_uncommitted,
    ),
    RealMutant(
        "reads-past-open-transactions",
        "It reads under `read_uncommitted`, and so beyond a transaction that is still open.",
        "kafka.last-stable-offset",
        "transport.never-committed",
        ("left-open",),
        "Consumer",
        _reading_uncommitted,
    ),
    RealMutant(
        "registry-error-is-final",
        "It asks a registry that answers 500 no second time.",
        "registry.may-err",
        "transport.registry-in-trouble",
        ("errors",),
        "JobRegistry",
        _GivesUpAtAnError,
    ),
    RealMutant(
        "registry-must-be-quick",
        "It waits a second for the registry's answer.",
        "registry.may-be-away",
        "transport.registry-in-trouble",
        ("slow",),
        "JobRegistry",
        _GivesUpAfterASecond,
    ),
    RealMutant(
        "schema-of-another-message",
        "It reads a message whose schema the registry has forgotten by another row's schema.",
        "registry.id-unknown",
        "hostile.forgotten-schema",
        ("forgotten",),
        "JobRegistry",
        _TakesAnotherSchema,
    ),
    RealMutant(
        "idle-instance-leaves",
        "An instance that finds another at work ends, and nobody takes over when that one dies.",
        "kafka.group-members-change",
        "transport.members-leave-and-join",
        ("one-leaves", "all-change"),
        "fcntl",
        LeavesWhenIdle,
    ),
    RealMutant(
        "refuses-what-the-cleaner-left",
        "It takes an offset that does not follow the last one for lost data.",
        "kafka.offsets-have-gaps",
        "transport.cleaned-by-the-broker",
        ("cleaned",),
        "Consumer",
        _RefusesGaps,
    ),
)
REAL: Mapping[str, RealMutant] = MappingProxyType({row.name: row for row in ROWS})


def main(arguments: list[str]) -> int:
    """Run one of them as the contract's command; return its exit code."""
    if len(arguments) != 1 or arguments[0] not in REAL:
        sys.stderr.write(f"usage: python -m harness.mutants.real {' | '.join(REAL)}\n")
        return USAGE
    row = REAL[arguments[0]]
    with patch.object(reference, row.target, row.part):
        return reference.main()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

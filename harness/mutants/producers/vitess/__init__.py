"""Wrong producers of the Vitess connector, by theme."""

from __future__ import annotations

from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.vitess import envelope, temporal, types

ROWS: tuple[WrongProducer, ...] = (
    *envelope.ROWS,
    *types.ROWS,
    *temporal.ROWS,
)

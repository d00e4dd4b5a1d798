"""Wrong producers of the Vitess connector, by theme."""

from __future__ import annotations

from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.vitess import (
    documented,
    envelope,
    events,
    headers,
    key_changes,
    keys,
    lists,
    temporal,
    topics,
    types,
    values,
)

ROWS: tuple[WrongProducer, ...] = (
    *envelope.ROWS,
    *types.ROWS,
    *temporal.ROWS,
    *events.ROWS,
    *keys.ROWS,
    *key_changes.ROWS,
    *headers.ROWS,
    *topics.ROWS,
    *lists.ROWS,
    *values.ROWS,
    *documented.ROWS,
)

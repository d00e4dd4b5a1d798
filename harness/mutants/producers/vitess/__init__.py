"""Wrong producers of the Vitess connector, by theme."""

from __future__ import annotations

from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.vitess import (
    boundaries,
    decimals,
    documented,
    envelope,
    events,
    headers,
    key_changes,
    keys,
    lists,
    ordering,
    positions,
    restarts,
    rows,
    settings,
    source,
    tasks,
    temporal,
    topics,
    transactions,
    transforms,
    types,
    values,
)

ROWS: tuple[WrongProducer, ...] = (
    *boundaries.ROWS,
    *decimals.ROWS,
    *documented.ROWS,
    *envelope.ROWS,
    *events.ROWS,
    *headers.ROWS,
    *key_changes.ROWS,
    *keys.ROWS,
    *lists.ROWS,
    *ordering.ROWS,
    *positions.ROWS,
    *restarts.ROWS,
    *rows.ROWS,
    *settings.ROWS,
    *source.ROWS,
    *tasks.ROWS,
    *temporal.ROWS,
    *topics.ROWS,
    *transactions.ROWS,
    *transforms.ROWS,
    *types.ROWS,
    *values.ROWS,
)

"""Wrong producers of the TiCDC Open Protocol."""

from __future__ import annotations

from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.open import (
    added_columns,
    ddl,
    flags,
    frames,
    keys,
    large,
    newer,
    order,
    rows,
    transactions,
    types,
    values,
)

ROWS: tuple[WrongProducer, ...] = (
    *frames.ROWS,
    *keys.ROWS,
    *newer.ROWS,
    *rows.ROWS,
    *types.ROWS,
    *flags.ROWS,
    *ddl.ROWS,
    *order.ROWS,
    *transactions.ROWS,
    *large.ROWS,
    *added_columns.ROWS,
    *values.ROWS,
)

"""Wrong producers of the TiCDC Open Protocol."""

from __future__ import annotations

from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.open import ddl, flags, frames, keys, order, rows, types

ROWS: tuple[WrongProducer, ...] = (
    *frames.ROWS,
    *keys.ROWS,
    *rows.ROWS,
    *types.ROWS,
    *flags.ROWS,
    *ddl.ROWS,
    *order.ROWS,
)

"""Wrong TiCDC Avro encoders."""

from __future__ import annotations

from harness.mutants.producers.avro import (
    defaults,
    extensions,
    registrations,
    rows,
    schemas,
    temporals,
    transactions,
    types,
    values,
)
from harness.mutants.producers.mutant import WrongProducer

ROWS: tuple[WrongProducer, ...] = (
    *rows.ROWS,
    *transactions.ROWS,
    *schemas.ROWS,
    *registrations.ROWS,
    *defaults.ROWS,
    *extensions.ROWS,
    *types.ROWS,
    *values.ROWS,
    *temporals.ROWS,
)

"""Wrong TiCDC Avro encoders."""

from __future__ import annotations

from harness.mutants.producers.avro import (
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
    *extensions.ROWS,
    *types.ROWS,
    *values.ROWS,
    *temporals.ROWS,
)

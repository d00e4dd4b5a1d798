"""Wrong TiCDC Avro encoders."""

from __future__ import annotations

from harness.mutants.producers.avro import (
    defaults,
    deletes,
    extensions,
    names,
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
    *deletes.ROWS,
    *transactions.ROWS,
    *schemas.ROWS,
    *names.ROWS,
    *registrations.ROWS,
    *defaults.ROWS,
    *extensions.ROWS,
    *types.ROWS,
    *values.ROWS,
    *temporals.ROWS,
)

"""Wrong changefeeds: what TiDB and TiCDC decide before any encoder, for Open and Avro alike."""

from __future__ import annotations

from harness.mutants.producers.changefeed import (
    event_filters,
    event_reach,
    expressions,
    hashes,
    ignored_statements,
    matrix,
    newer,
    renames,
    routing,
    statements,
    table_rules,
)
from harness.mutants.producers.mutant import WrongProducer

ROWS: tuple[WrongProducer, ...] = (
    *matrix.ROWS,
    *statements.ROWS,
    *renames.ROWS,
    *table_rules.ROWS,
    *event_filters.ROWS,
    *event_reach.ROWS,
    *ignored_statements.ROWS,
    *expressions.ROWS,
    *routing.ROWS,
    *hashes.ROWS,
    *newer.ROWS,
)

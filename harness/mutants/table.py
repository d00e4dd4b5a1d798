"""All mutants, by name; a new one is a row of its theme's table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from harness.mutants import (
    batches,
    ddl,
    decimals,
    deletes,
    duplicates,
    heartbeats,
    integers,
    keys,
    members,
    nulls,
    offsets,
    ordering,
    schemas,
    texts,
    times,
    transactions,
)
from harness.mutants.mutant import Mutant

THEMES: tuple[tuple[Mutant, ...], ...] = (
    ordering.ROWS,
    batches.ROWS,
    duplicates.ROWS,
    deletes.ROWS,
    keys.ROWS,
    transactions.ROWS,
    heartbeats.ROWS,
    ddl.ROWS,
    schemas.ROWS,
    offsets.ROWS,
    integers.ROWS,
    decimals.ROWS,
    texts.ROWS,
    members.ROWS,
    times.ROWS,
    nulls.ROWS,
)
MUTANTS: Mapping[str, Mutant] = MappingProxyType(
    {mutant.name: mutant for rows in THEMES for mutant in rows}
)

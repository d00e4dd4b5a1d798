"""Designs that are as right as the one that is expected by default, where a consumer declares them.

Each has a rule of its own: what a consumer of that design must still get right is demanded of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Applies(StrEnum):
    """When a row event reaches the tables, in a protocol with resolved events."""

    WHEN_RESOLVED = "when-resolved"
    ON_ARRIVAL = "on-arrival"


class DroppedColumns(StrEnum):
    """What becomes of a column that the upstream drops."""

    REMOVED = "removed"
    KEPT = "kept"


class KeylessRows(StrEnum):
    """How equal rows of a table without a key are held."""

    COUNTED = "counted"
    BY_IMAGE = "by-image"


class OlderRows(StrEnum):
    """What older rows hold in a column that came with a default which the wire does not carry."""

    NULL = "null"
    UPSTREAM = "upstream"


@dataclass(frozen=True, slots=True)
class Design:
    """How a consumer is built where several ways are right; the defaults are the usual ones."""

    applies: Applies = Applies.WHEN_RESOLVED
    dropped_columns: DroppedColumns = DroppedColumns.REMOVED
    keyless_rows: KeylessRows = KeylessRows.COUNTED
    older_rows: OlderRows = OlderRows.NULL


AS_EXPECTED = Design()

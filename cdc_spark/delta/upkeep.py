"""Small files together, old ones away: `OPTIMIZE`, `VACUUM` by the query that writes the tables.

It does so between two micro-batches, so that neither is refused for what the other has changed.
What decides of a row (`__seq`, `__ts`, `__deleted`) stands in the row, in files that count: no
retention takes it. Both commit behind what the ledger has noted, and change no row.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cdc_spark.delta.writes import Place
from cdc_spark.errors import UsageError
from cdc_spark.untyped import Session

LEAST_H = 168  # what Delta keeps by itself: readers of older versions find their files that long
CHECK = "spark.databricks.delta.retentionDurationCheck.enabled"


class Upkeep(NamedTuple):
    """After how many micro-batches tables are looked after, and from what age old files go."""

    every: int = 0
    vacuum_h: float = 0

    def check(self, spark: Session) -> None:
        """Raise UsageError for what cannot be."""
        if self.every < 0 or not self.vacuum_h >= 0 or (self.vacuum_h and not self.every):
            raise UsageError(
                f"optimize_every={self.every}, vacuum_h={self.vacuum_h:g}",
                expected="0 or more; vacuum_h with optimize_every, which says how often",
            )
        if 0 < self.vacuum_h < LEAST_H and spark.conf.get(CHECK, "true") != "false":
            raise UsageError(
                f"vacuum_h={self.vacuum_h:g}",
                expected=f"{LEAST_H} or more: readers, and restarts, need the files of older"
                " versions for as long as they take",
                hint=f"where none takes that long, {CHECK}=false lets Delta do it",
            )

    def due(self, batch: int) -> bool:
        """Return whether tables are to be looked after behind this micro-batch."""
        return bool(self.every) and (batch + 1) % self.every == 0

    def do(self, tables: Iterable[Place], ledger: Place) -> None:
        """Look after tables; the ledger puts its own files together."""
        there = [one for one in tables if one.exists()]
        for one in there:
            one.spark.sql(f"OPTIMIZE {one.name}")
        if self.vacuum_h:
            for one in [*there, ledger]:
                one.spark.sql(f"VACUUM {one.name} RETAIN {self.vacuum_h:f} HOURS")

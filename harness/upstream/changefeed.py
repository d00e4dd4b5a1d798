"""A changefeed's settings as TiCDC names them, read from plain data.

Only what changes the stream before encoding is here: routing and what is replicated at all. The
encoder's own settings are the protocol's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from harness.errors import UsageError
from harness.model.table import TableId

DEFAULT_TOPIC = "ticdc"
PARTITION_RULES = ("default", "table", "ts", "index-value", "rowid", "columns")


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """One rule of `sink.dispatchers`; the first whose matcher fits a table decides."""

    matcher: tuple[str, ...]
    partition: str
    columns: tuple[str, ...] = ()

    def matches(self, table: TableId) -> bool:
        """Tell whether the table is covered; names are compared without case (the default)."""
        name = str(table).lower()
        return any(fnmatchcase(name, pattern.lower()) for pattern in self.matcher)


@dataclass(frozen=True, slots=True)
class Changefeed:
    """What one changefeed does between the database and the encoder."""

    partitions: int
    topic: str = DEFAULT_TOPIC
    dispatchers: tuple[Dispatcher, ...] = ()
    force_replicate: bool = False

    def rule(self, table: TableId) -> Dispatcher | None:
        """Return the first dispatcher that covers the table, or None for the default."""
        return next((rule for rule in self.dispatchers if rule.matches(table)), None)


def changefeed(settings: Mapping[str, Any], partitions: int) -> Changefeed:
    """Read the routing part of a scenario's settings; UsageError for a rule that TiCDC lacks."""
    rules: list[Dispatcher] = []
    for rule in settings.get("sink.dispatchers", ()):
        kind = str(rule.get("partition", "default"))
        if kind not in PARTITION_RULES:
            raise UsageError(
                f"unknown partition rule {kind!r}", expected="one of " + ", ".join(PARTITION_RULES)
            )
        columns = tuple(rule.get("columns", ()))
        if (kind == "columns") != bool(columns):
            raise UsageError("the partition rule `columns` and the key `columns` go together")
        rules.append(Dispatcher(tuple(rule["matcher"]), kind, columns))
    return Changefeed(
        partitions=partitions,
        dispatchers=tuple(rules),
        force_replicate=bool(settings.get("force-replicate", False)),
    )

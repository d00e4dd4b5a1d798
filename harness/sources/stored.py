"""The rows that a connector finds when it starts, where a copy of them comes first."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal

from harness.ddl import DdlJob
from harness.ddl.stored_rows import PARTITIONS_MOVE, moved_by
from harness.errors import StepError
from harness.model.change import RowChanged
from harness.model.columns import Column, ColumnKind
from harness.model.record import Origin
from harness.model.table import Table, TableId
from harness.model.values import Row, Value

_BINARY = re.compile(r"(?:_bin|\Abinary)\Z")
_IN_ANY_ORDER = re.compile(r"[0-9a-z]*\Z")


@dataclass(slots=True)
class Stored:
    """The rows of a keyspace before the connector starts, each with the change that left it."""

    rows: dict[tuple[str, TableId], list[tuple[Row, Origin]]] = field(
        default_factory=dict[tuple[str, TableId], list[tuple[Row, Origin]]]
    )

    def apply(self, shard: str, change: RowChanged, origin: Origin) -> None:
        """Take one row event."""
        kept = self.rows.setdefault((shard, change.table), [])
        found = None
        if change.before is not None:
            found = next((n for n, (row, _) in enumerate(kept) if row == change.before), None)
        after = [] if change.after is None else [(change.after, origin)]
        # A row without a key stays where it is when it changes.
        at = len(kept) if found is None else found
        kept[at : at if found is None else at + 1] = after

    def follow(self, job: DdlJob, line: int) -> None:
        """Let the rows of every shard follow a DDL on their table."""
        moves = moved_by(job, line)
        old = {place: self.rows.pop(place) for place in list(self.rows) if place[1] in moves}
        if job.action in PARTITIONS_MOVE and job.before is not None and any(old.values()):
            _refuse_hashed(job.before, line)
        for (shard, name), kept in old.items():
            for row, origin in kept:
                place = moves[name](row)
                if place is not None:
                    table, image = place
                    self.rows.setdefault((shard, table.id), []).append((image, origin))


def scanned_by(column: Column, value: Value, line: int) -> tuple[bool, object]:
    """Return what a server orders values by: NULL first, DECIMAL and TIME by what they mean.

    Texts stand by their bytes, as a binary collation has them. Of another collation the order of
    digits and of letters of one case is the same; StepError for other texts, of the row's `line`.
    """
    if value is None:
        return False, 0
    if column.kind is ColumnKind.DECIMAL:
        return True, Decimal(str(value))
    if column.kind is ColumnKind.TIME:
        return True, _duration(str(value))
    if not isinstance(value, str):
        return True, value
    if not _BINARY.search(column.collation or "binary") and not _IN_ANY_ORDER.match(value):
        raise StepError(
            f"where a copy meets {column.name} = {value!r} is not known: {column.collation}"
            " orders texts in a way of its own",
            line=line,
            expected="a key of digits and small letters, or one whose collation is utf8mb4_bin",
        )
    return True, value.encode("utf-8", "surrogateescape")


def _duration(text: str) -> Decimal:
    hours, minutes, seconds = text.removeprefix("-").split(":")
    found = (int(hours) * 60 + int(minutes)) * 60 + Decimal(seconds)
    return -found if text.startswith("-") else found


def _refuse_hashed(table: Table, line: int) -> None:
    """Refuse partitions BY KEY: MySQL hashes keys in its own way, and what we know is TiDB's."""
    if table.partition_kind == "KEY":
        raise StepError(
            f"which rows of {table.id} go with a partition BY KEY cannot be worked out",
            line=line,
            expected="partitions by RANGE, LIST or HASH",
        )

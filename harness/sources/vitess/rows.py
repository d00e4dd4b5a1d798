"""One table's changes as ROW events; what all of them share is found once a version of the table.

A ROW event carries one row, as VStream's mostly do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from harness.model.change import Op, RowChanged
from harness.model.quick import quick
from harness.model.record import Origin, quick_origin
from harness.model.source_events import SourceTable
from harness.model.vstream import RowChange, VRowEvent
from harness.sources.key_text import key_texts
from harness.sources.vitess.cells import row_cells

_KINDS: Mapping[Op, str] = MappingProxyType({op: op.value for op in Op})
_row_change = quick(RowChange)
_row_event = quick(VRowEvent)


@dataclass(frozen=True, slots=True)
class Committed:
    """The transaction on one shard that rows are of; `second` is when it was committed."""

    step: int
    name: str
    shard: str
    second: int


class TableRows:
    """The rows of one version of a table of a keyspace."""

    def __init__(self, keyspace: str, table: SourceTable) -> None:
        """Find what the rows share."""
        self.table = table
        self.name = f"{keyspace}.{table.table.id.name}"
        self._keyspace = keyspace
        self._id = str(table.table.id)
        self._key = key_texts(table)
        self._cells = row_cells(table.table)

    def origin(self, change: RowChanged, of: Committed, number: int) -> Origin:
        """Return where a change comes from."""
        image = change.before if change.after is None else change.after
        assert image is not None
        return quick_origin(
            change.line,
            of.step,
            number,
            _KINDS[change.op],
            of.name,
            self._id,
            self._key(image),
            of.second * 1000,
        )

    def event(self, change: RowChanged, of: Committed, origin: Origin) -> VRowEvent:
        """Return the ROW event of a change."""
        cells, before, after = self._cells, change.before, change.after
        row = _row_change(
            None if before is None else cells(before),
            None if after is None else cells(after),
            origin,
        )
        return _row_event(self.name, (row,), of.second, self._keyspace, of.shard, origin)

"""What a TiCDC encoder is given: rows as the mounter saw them, DDL jobs, resolved events.

Scenarios reach it through `harness.sources`; vendor vectors enter here directly.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.model.change import Op
from harness.model.quick import quick
from harness.model.record import Origin
from harness.model.table import Table
from harness.model.values import Row


@dataclass(frozen=True, slots=True)
class SourceTable:
    """One version of a table with what TiDB derives from it, in table column order.

    `codes` and `flags` are MySQL type codes and TiCDC flag bits; `emitted` holds the ordinals of
    the columns that are ever sent (virtual generated columns are not); `handle` the ordinals of the
    handle key, empty when the table has no valid index.
    """

    table: Table
    codes: tuple[int, ...]
    flags: tuple[int, ...]
    emitted: tuple[int, ...]
    handle: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RowEvent:
    """One row event: netted, split and routed.

    `row_id` is the int64 handle (0 when the handle is not an integer); `physical_id` is the
    physical partition id, 0 for an unpartitioned table. `topic` and `partition` are the
    dispatcher's choice. `split` marks both halves of an update that the sink split.
    """

    op: Op
    table: SourceTable
    before: Row | None
    after: Row | None
    commit_ts: int
    topic: str
    partition: int
    origin: Origin
    row_id: int = 0
    physical_id: int = 0
    split: bool = False


quick_row = quick(RowEvent)


@dataclass(frozen=True, slots=True)
class DdlEvent:
    """One DDL job, broadcast to all partitions of its topic.

    `query` is TiDB's restored text, and `source` what was sent before 5.4: the user's, with TiDB's
    own options in comments. `schema` and `table` are what the event names: the new name. `before`
    and `after` are the table's versions (None where there is none), `old` the table id that the
    statement started from.
    `exchanged` is the other table of EXCHANGE PARTITION, before and after.
    """

    type: int
    query: str
    source: str
    schema: str
    table: str
    before: SourceTable | None
    after: SourceTable | None
    commit_ts: int
    topic: str
    partitions: int
    origin: Origin
    action: str = ""
    exchanged: tuple[SourceTable, SourceTable] | None = None


@dataclass(frozen=True, slots=True)
class ResolvedEvent:
    """A promise on one partition that everything up to `ts` has been sent there."""

    ts: int
    topic: str
    partition: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class ChangefeedStopped:
    """The changefeed stopped with an error: nothing of it, nor of anything later, is sent.

    `code` is TiCDC's name for the error and `cause` the one that it wraps ("" for none);
    `commit_ts` is that of the transaction or DDL that could not be sent. No record carries it.
    """

    code: str
    what: str
    commit_ts: int
    origin: Origin
    cause: str = ""


SourceEvent = RowEvent | DdlEvent | ResolvedEvent

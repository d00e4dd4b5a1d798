"""What Vitess's VStream sends a client: typed events, grouped into responses.

The Vitess encoder's input, as `harness.model.source_events` is TiCDC's. Scenarios reach it through
`harness.sources`; vendor vectors enter here directly. Times are whole seconds, as in the binary
log.

Source: Vitess `proto/binlogdata.proto` (VEvent, VStreamRowsResponse) and `proto/query.proto`
(Field, Row).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag, StrEnum

from harness.model.record import Origin

Cells = tuple[bytes | None, ...]


class FieldFlag(IntFlag):
    """The bits of a field's flags that the connector looks at (MySQL's own)."""

    NOT_NULL = 1
    PRIMARY_KEY = 2
    UNIQUE_KEY = 4


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """One column of a FIELD event.

    `type` is the name in Vitess's `query.Type` (`INT64`); `column_type` MySQL's own text
    (`bigint unsigned`); `decimals` the digits of a fraction.
    """

    name: str
    type: str
    column_type: str = ""
    flags: int = 0
    decimals: int = 0
    charset: int = 0


@dataclass(frozen=True, slots=True)
class RowChange:
    """One changed row: cells in FIELD order, in MySQL's text protocol, None for NULL."""

    before: Cells | None = None
    after: Cells | None = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class TablePk:
    """How far the copy of one table has come: its key's fields and the last key that was copied."""

    table: str
    fields: tuple[FieldInfo, ...]
    rows: tuple[Cells, ...]


@dataclass(frozen=True, slots=True)
class ShardGtid:
    """The position within one shard."""

    keyspace: str
    shard: str
    gtid: str
    table_pks: tuple[TablePk, ...] = ()


@dataclass(frozen=True, slots=True)
class Begin:
    """A transaction begins."""

    timestamp: int = 0
    keyspace: str = ""
    shard: str = ""
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """A transaction ends."""

    timestamp: int = 0
    keyspace: str = ""
    shard: str = ""
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class FieldEvent:
    """The columns of a table, valid for its shard until the next one; `table` is `keyspace.table`.

    `enum_set_string_values` says that ENUM and SET cells are texts, not numbers (Vitess 20).
    """

    table: str
    fields: tuple[FieldInfo, ...]
    timestamp: int = 0
    keyspace: str = ""
    shard: str = ""
    enum_set_string_values: bool = False
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class VRowEvent:
    """Changed rows of one table; `table` is `keyspace.table`."""

    table: str
    changes: tuple[RowChange, ...]
    timestamp: int = 0
    keyspace: str = ""
    shard: str = ""
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Vgtid:
    """The position behind the transaction that it stands in."""

    shard_gtids: tuple[ShardGtid, ...]
    timestamp: int = 0
    keyspace: str = ""
    shard: str = ""
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Ddl:
    """A statement that changed a schema."""

    statement: str
    timestamp: int = 0
    keyspace: str = ""
    shard: str = ""
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Other:
    """Something that moved the position and nothing else: the first answer to `current`."""

    timestamp: int = 0
    keyspace: str = ""
    shard: str = ""
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Nothing has happened, and the stream is alive."""

    timestamp: int = 0
    keyspace: str = ""
    shard: str = ""
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class CopyCompleted:
    """A shard's copy phase is over; without a shard, all of them are."""

    timestamp: int = 0
    keyspace: str = ""
    shard: str = ""
    origin: Origin | None = None


class PassedType(StrEnum):
    """The events that a client hears of and need not act upon."""

    GTID = "GTID"
    ROLLBACK = "ROLLBACK"
    SAVEPOINT = "SAVEPOINT"
    JOURNAL = "JOURNAL"
    LASTPK = "LASTPK"
    VERSION = "VERSION"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Passed:
    """One of the events that need no action; a SAVEPOINT has a statement."""

    type: PassedType
    timestamp: int = 0
    keyspace: str = ""
    shard: str = ""
    statement: str = ""
    origin: Origin | None = None


VEvent = (
    Begin
    | Commit
    | FieldEvent
    | VRowEvent
    | Vgtid
    | Ddl
    | Other
    | Heartbeat
    | CopyCompleted
    | Passed
)


@dataclass(frozen=True, slots=True)
class StreamError:
    """The stream breaks off: a gRPC status and its description."""

    status: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class VStreamResponse:
    """One message of the stream; `only_shard` names the one shard's stream that it belongs to.

    Where a connector runs several tasks each has a stream of its own; None means all of them.
    """

    events: tuple[VEvent, ...] = ()
    only_shard: str | None = None
    error: StreamError | None = None

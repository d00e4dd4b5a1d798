"""What happened upstream, in commit order, nothing netted: the change log.

Row changes keep statement order within their transaction, exactly as the database's own log
reported them; netting, splitting and timestamps are the business of `harness.sources`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from harness.model.table import TableId
from harness.model.values import Row, Value


class Op(StrEnum):
    """What a row change did."""

    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class RowChanged:
    """One row event: images are whole rows in table column order, None where there is none.

    `line` is the line of the SQL statement in the scenario file (from 1), `statement` its number in
    the transaction: a log has the rows of one statement together. `replaced`: a REPLACE did it, of
    which MariaDB may log an update where TiDB removes a row and adds another.
    """

    op: Op
    table: TableId
    before: Row | None
    after: Row | None
    line: int
    statement: int = field(default=0, compare=False)
    replaced: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class RowPin:
    """Rows of a transaction whose named columns have these values go to that place.

    `partition` is a Kafka partition (TiCDC), `shard` the shard that has the row (Vitess).
    """

    key: Mapping[str, Value]
    partition: int | None = None
    shard: str | None = None


@dataclass(frozen=True, slots=True)
class Pin:
    """Numbers that a scenario dictates instead of leaving them to clock and dispatcher."""

    ts: int | None = None
    partition: int | None = None
    rows: tuple[RowPin, ...] = ()
    shard: str | None = None


@dataclass(frozen=True, slots=True)
class Transaction:
    """The row changes of one committed transaction."""

    name: str
    changes: tuple[RowChanged, ...]
    line: int
    pin: Pin | None = None


@dataclass(frozen=True, slots=True)
class DdlRun:
    """One DDL statement that the upstream ran; `schema` is the current database ("" for none)."""

    sql: str
    schema: str
    line: int
    pin: Pin | None = None


@dataclass(frozen=True, slots=True)
class Resolve:
    """A resolved event that the scenario asks for; `partitions` None means all of them."""

    line: int
    partitions: tuple[int, ...] | None = None
    ts: int | None = None


Change = Transaction | DdlRun | Resolve


@dataclass(frozen=True, slots=True)
class ChangeLog:
    """All changes of one scenario, in commit order."""

    changes: tuple[Change, ...]

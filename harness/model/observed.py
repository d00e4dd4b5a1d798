"""What a consumer says it reached, before any judgement.

Values are raw JSON (`RawValue`): numbers with a point or exponent arrive as `decimal.Decimal`, so
that nothing is lost before the verdict normalises by column type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from harness.model.change import Op
from harness.model.decoded import EventKind
from harness.model.table import TableId

RawValue = bool | int | Decimal | str | None | Sequence["RawValue"] | Mapping[str, "RawValue"]
RawRow = Mapping[str, RawValue]


class Outcome(StrEnum):
    """How the consumer's run over one changefeed ended."""

    DONE = "done"
    NOT_APPLICABLE = "not-applicable"
    ERROR = "error"
    CRASH = "crash"
    TIMEOUT = "timeout"
    INVALID = "invalid"
    UNTRIED = "untried"


@dataclass(frozen=True, slots=True)
class ObservedEvent:
    """One row event that the consumer applied; position fields are None when not reported."""

    op: Op
    table: TableId
    before: RawRow | None
    after: RawRow | None
    commit_ts: int | None
    topic: str | None = None
    partition: int | None = None
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class ObservedDecoded:
    """One event that the consumer read out of a message; what it does not report is "" or None.

    `line` is that of its answer, from 1.
    """

    kind: EventKind
    topic: str
    partition: int
    offset: int
    schema: str = ""
    table: str = ""
    before: RawRow | None = None
    after: RawRow | None = None
    commit_ts: int | None = None
    query: str = ""
    type: int | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class ObservedDdl:
    """One DDL statement that the consumer says it executed."""

    query: str
    type: int | None
    table: TableId
    commit_ts: int | None


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that the consumer could not read, and set aside or gave up at."""

    topic: str
    partition: int
    offset: int
    error: str = ""


@dataclass(frozen=True, slots=True)
class Observed:
    """Everything one consumer answered for one changefeed.

    `lacking` has, where tables were read from a database, those that could not be: each with the
    columns that it does not have, or with none where the table itself is not there.
    `detail` says what happened in words when the outcome is not DONE: the consumer's own error, the
    exit code and the tail of its output, or which line of which result file is not valid.
    `stopped_at` are the messages at which a consumer gave up, where it names them.
    `events`, `ddl` and `dead_letters` are None when the consumer did not hand them back. `decoded`
    is the answer at level decode, where there are neither tables nor these two.
    """

    outcome: Outcome
    detail: str = ""
    tables: Mapping[TableId, tuple[RawRow, ...]] | None = None
    events: tuple[ObservedEvent, ...] | None = None
    ddl: tuple[ObservedDdl, ...] | None = None
    log: str = ""
    dead_letters: tuple[DeadLetter, ...] | None = None
    lacking: Mapping[TableId, tuple[str, ...]] | None = None
    decoded: tuple[ObservedDecoded, ...] | None = None
    stopped_at: tuple[DeadLetter, ...] = ()

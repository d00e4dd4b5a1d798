"""The scenario file as frozen dataclasses; every part remembers the line that it was written on.

The grammar (`grammar.json`) says what is allowed; this module only mirrors it. Field names are the
file's own words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from harness.documents import PlainObject
from harness.errors import Location
from harness.model.change import Pin
from harness.model.settings import Settings

NOTHING: PlainObject = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class SqlStatement:
    """One SQL statement and its place in the scenario file (lines and columns from 1)."""

    sql: str
    line: int
    column: int = 1


@dataclass(frozen=True, slots=True)
class DdlStep:
    """`ddl:` one statement; `emit` when the database is not asked to run it."""

    statement: SqlStatement
    pin: Pin | None = None
    emit: bool = False


@dataclass(frozen=True, slots=True)
class EmitRow:
    """A row image that an `emit:` step states instead of having a database compute it."""

    op: str
    table: str
    before: PlainObject | None
    after: PlainObject | None
    line: int


@dataclass(frozen=True, slots=True)
class TransactionStep:
    """`transaction:` a name and its statements; or, under `emit:`, the rows themselves."""

    name: str
    statements: tuple[SqlStatement, ...]
    line: int
    rows: tuple[EmitRow, ...] = ()
    pin: Pin | None = None
    emit: bool = False


@dataclass(frozen=True, slots=True)
class ResolvedStep:
    """`resolved:` `all`, or a list of partitions, or a mapping with partitions and ts."""

    line: int
    partitions: tuple[int, ...] | None = None
    ts: int | None = None


Step = DdlStep | TransactionStep | ResolvedStep


@dataclass(frozen=True, slots=True)
class DeliveryStep:
    """One disturbance: the fault's name, its options, and the permission for it.

    `allowed_by` maps protocol to clause id; `seen_in` is a link for a disturbance that nobody
    promises; `hostile` marks one after which the tables are not judged. Exactly one of the three
    is given.
    """

    fault: str
    options: PlainObject
    line: int
    allowed_by: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    seen_in: str | None = None
    hostile: bool = False


@dataclass(frozen=True, slots=True)
class Matrix:
    """The axes of the expansion; `exclude` holds partial assignments that are left out."""

    protocols: tuple[str, ...]
    partitions: tuple[int, ...] = (1,)
    dialects: tuple[str, ...] = ()
    exclude: tuple[PlainObject, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpectedTable:
    """Rows that a table must hold at the end, as written; None when the table must not exist."""

    rows: tuple[PlainObject, ...] | None
    lines: tuple[int, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Expectation:
    """`expect:`; tables for every protocol and what differs by protocol, events and records by one.

    `places` has the place of each part of `events` and `records`, by its keys below `expect`;
    `reasons` the clause that excuses each protocol in `tables_by_protocol`.
    `tables_by_delivery` has what differs where a transaction is never committed.
    """

    tables: Mapping[str, ExpectedTable]
    tables_by_protocol: Mapping[str, Mapping[str, ExpectedTable]]
    events: Mapping[str, tuple[PlainObject, ...]]
    line: int
    records: Mapping[str, tuple[PlainObject, ...]] = field(default_factory=lambda: NOTHING)
    places: Mapping[tuple[str | int, ...], Location] = field(
        default_factory=lambda: MappingProxyType({})
    )
    reasons: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    tables_by_delivery: Mapping[str, Mapping[str, ExpectedTable]] = field(
        default_factory=lambda: NOTHING
    )


@dataclass(frozen=True, slots=True)
class Keyspace:
    """How Vitess shards the scenario's database; `vindexes` maps a table to column and type.

    `copied_after` names the transaction after which the connector starts, with a copy of what is
    there; `broken_off` the one after which it began a copy before, and how many rows of that it
    sent, None for all but two. `resharded` has the shards that there are after a transaction.
    After those in `failovers` each shard has another primary; the value says whether the hosts
    before are lost. `lasting` has the seconds that a transaction takes from its first statement.
    """

    shards: tuple[str, ...] = ("0",)
    vindexes: Mapping[str, tuple[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    line: int = 1
    copied_after: str | None = None
    broken_off: tuple[str, int | None] | None = None
    resharded: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    failovers: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    lasting: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario file, valid by grammar and by the rules of `harness check`.

    `path` is relative to the scenarios' root, without `.yaml`, with `/`; `id` equals it with dots.
    `setting_places` maps each part of the settings to its place, by protocol and keys; a profile's
    begin with `+` and its name. `file` is the path to show to a person, `indents` how many blanks
    and dashes each of its lines begins with. `profiles` hold settings by
    profile and protocol. `end_resolved` is False for `resolved: none`.
    """

    id: str
    title: str
    path: str
    file: str
    clauses: tuple[str, ...]
    databases: tuple[str, ...]
    matrix: Matrix
    upstream: tuple[Step, ...]
    expect: Expectation
    refs: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    settings: Mapping[str, Settings] = field(default_factory=lambda: NOTHING)
    delivery: Mapping[str, tuple[DeliveryStep, ...]] = field(default_factory=lambda: NOTHING)
    kills: tuple[str, ...] = ()
    kill_places: Mapping[str, Location] = field(default_factory=lambda: NOTHING)
    end_resolved: bool = True
    clause_lines: Mapping[str, int] = field(default_factory=lambda: NOTHING)
    keyspace: Keyspace = field(default_factory=Keyspace)
    profiles: Mapping[str, Mapping[str, Settings]] = field(default_factory=lambda: NOTHING)
    setting_places: Mapping[tuple[str | int, ...], Location] = field(
        default_factory=lambda: MappingProxyType({})
    )
    indents: tuple[int, ...] = ()

    def place(self, line: int) -> Location:
        """Return where the text of a line begins, behind blanks and dashes."""
        return Location(self.file, line, self._indent(line) + 1)

    def place_in(self, statement: SqlStatement, line: int, column: int) -> Location:
        """Return where a line and a column of a statement's own text stand in the file."""
        if line == 1:
            return Location(self.file, statement.line, statement.column + column - 1)
        text, there = statement.sql.split("\n")[line - 1], statement.line + line - 1
        moved = self._indent(there) - (len(text) - len(text.lstrip()))
        return Location(self.file, there, max(1, column + moved))

    def _indent(self, line: int) -> int:
        return self.indents[line - 1] if 0 < line <= len(self.indents) else 0

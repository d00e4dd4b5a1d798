"""A protocol is one row: everything that the rest of the harness asks about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from types import MappingProxyType

from harness.contracts import (
    Codec,
    Projection,
    Setting,
    TypeForm,
    all_visible,
    carries_no_default,
)
from harness.documents import JsonSchema
from harness.model.columns import Column, ColumnKind
from harness.model.settings import Settings
from harness.model.table import TableId
from harness.protocols.cells import Cell
from harness.protocols.description import Description, Permission
from harness.sources.source import Source
from harness.stream_rules.stream import StreamRule


def the_type(cell: Cell, of_type: str) -> str:
    """Return the clause of the column's type, whatever the value."""
    del cell
    return of_type


def always(settings: Settings) -> bool:
    """Return True, whatever the settings say."""
    del settings
    return True


def never(settings: Settings) -> bool:
    """Return False, whatever the settings say."""
    del settings
    return False


def shows_none(settings: Settings) -> Callable[[TableId], bool]:
    """Return that nothing is shown of any table, whatever the settings say."""
    del settings
    return lambda _: False


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzSettings:
    """What `harness fuzz` draws of a protocol.

    A scenario cites `clauses`. Each group has alternatives, of which at most one is drawn, most
    often none; of two settings that `exclusive` pairs the second is left out beside the first.
    `keyless` are the settings under which tables without a key are replicated, None where they
    never are; `keyed` the dialects in which they are not. `sends_ddl` and `dates_rows` say for
    settings whether DDL is on the wire, and whether rows carry a commit ts; `same_names` whether
    rows and DDL call a column alike. `spreads_keyless` says that the rows of a table without a key
    go to all partitions, so that only one partition keeps their order.
    """

    clauses: tuple[str, ...]
    groups: Sequence[Sequence[Settings]] = ()
    dialects: tuple[str, ...] = ("current",)
    exclusive: Sequence[tuple[str, str]] = ()
    keyless: Settings | None = None
    keyed: tuple[str, ...] = ()
    sends_ddl: Callable[[Settings], bool] = never
    dates_rows: Callable[[Settings], bool] = never
    same_names: Callable[[Settings], bool] = always
    spreads_keyless: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolSpec:
    """One protocol.

    | field | what it is |
    | --- | --- |
    | `name` | as scenarios, manifests and results call it |
    | `description` | its words, causes and permissions, from its TOML file |
    | `codec` | source events to records and back |
    | `source` | the simulator of what stands before its encoder |
    | `settings` | the settings of its codec and its source, for the reference page |
    | `settings_schema` | JSON Schema of its settings in a scenario; without it any name will do |
    | `known_settings` | the names that a case may use where the schema does not say; None: all |
    | `types` | how each column kind travels, in words |
    | `clauses` | directories of TOML files with its own clauses |
    | `type_clauses` | the clause of each column kind's values |
    | `cell_clause` | of a wrong value and its type's clause, the clause that decides it |
    | `projection` | for settings and a dialect, what takes from a row event what is not sent |
    | `shows_truncate` | for settings, whether a TRUNCATE of a table is sent among its rows |
    | `carries_default` | whether the wire carries a column's default, which older rows then have |
    | `dated` | whether rows carry a commit ts that rises with every change of their key |
    | `fuzz` | what `harness fuzz` draws; None: the protocol is not drawn |
    | `load_settings` | what a workload needs to be sent at all; None: `harness load` makes none |
    | `stream_rules` | what its MUST clauses of order, batches and partitions demand of a stream |
    | `scaffold_parts` | directories of `scaffolds/LANGUAGE/`, the last with its reader |
    """

    name: str
    description: Description
    codec: Codec
    source: Source
    types: Mapping[ColumnKind, TypeForm]
    type_clauses: Mapping[ColumnKind, str]
    clauses: tuple[Traversable, ...]
    cell_clause: Callable[[Cell, str], str] = the_type
    settings: tuple[Setting, ...] = ()
    settings_schema: JsonSchema | None = None
    known_settings: frozenset[str] | None = None
    projection: Callable[[Settings, str], Projection] = all_visible
    shows_truncate: Callable[[Settings], Callable[[TableId], bool]] = shows_none
    carries_default: Callable[[Column, Settings], bool] = carries_no_default
    dated: bool = False
    fuzz: FuzzSettings | None = None
    load_settings: Settings | None = field(default_factory=lambda: MappingProxyType({}))
    stream_rules: tuple[StreamRule, ...] = ()
    scaffold_parts: tuple[str, ...] = ()

    @property
    def permissions(self) -> Mapping[str, Permission]:
        """Return why each fault may be done that makes sense in the protocol."""
        return self.description.permissions

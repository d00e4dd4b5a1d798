"""Event filters that reach further than they say, or less far: names, tables, broken texts."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import Final

from harness.ddl import ActionType, DdlJob
from harness.model.table import Table
from harness.mutants.producers.changefeed.edits import FILTERS, STOPPED
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, patch, result
from harness.sources.decision import Decision
from harness.sources.tidb.change_filter import ChangeFilter
from harness.sources.tidb.event_filter import EventRule
from harness.sources.tidb.event_types import (
    ALL_DDL,
    ALL_DML,
    ALTER_TABLE,
    ALTER_TABLE_ACTIONS,
    DDL_EVENTS,
    DML_EVENTS,
    SCHEMA_ACTIONS,
)

VIEWS: Final = frozenset({ActionType.CREATE_VIEW, ActionType.DROP_VIEW})
FOREIGN_KEYS: Final = frozenset({ActionType.ADD_FOREIGN_KEY, ActionType.DROP_FOREIGN_KEY})
TABLES: Final = frozenset(DDL_EVENTS) - ALTER_TABLE_ACTIONS - SCHEMA_ACTIONS - VIEWS - FOREIGN_KEYS


def _standing_for(everything: str, names: Collection[str]) -> Patch:
    """Return the patch by which each of some names stands for all events of its kind."""

    def wider(rule: EventRule) -> EventRule:
        named = rule.events & {*names}
        return replace(rule, events=rule.events | {everything}) if named else rule

    return result("harness.sources.tidb.event_filter:event_rule", wider)


def _sparing(actions: Collection[ActionType], original: Callable[..., bool]) -> Callable[..., bool]:
    """Return an `ignores_ddl` to which `all ddl` says nothing of some actions."""

    def ignores(rule: EventRule, action: ActionType, query: str) -> bool:
        if action in actions:
            rule = replace(rule, events=rule.events - {ALL_DDL})
        return original(rule, action, query)

    return ignores


def _of_any_table(original: Callable[..., list[int]]) -> Callable[..., list[int]]:
    """Return a `_covering` by which the rows of each table are judged by every filter."""
    del original

    def covering(filters: ChangeFilter, table: Table) -> list[int]:
        del table
        return [*range(len(filters.events))]

    return covering


def _stopped(original: Callable[..., Decision]) -> Callable[..., Decision]:
    """Return a `ddl` that stops where the texts of an event filter do not compile."""

    def ddl(filters: ChangeFilter, job: DdlJob, query: str, start: int) -> Decision:
        if any(rule.void for rule in filters.events):
            return STOPPED
        return original(filters, job, query, start)

    return ddl


def _by_either_name(original: Callable[..., Decision]) -> Callable[..., Decision]:
    """Return a `ddl` that asks about both names of a rename."""

    def ddl(filters: ChangeFilter, job: DdlJob, query: str, start: int) -> Decision:
        found = original(filters, job, query, start)
        if not found.sent or job.action is not ActionType.RENAME_TABLE:
            return found
        renamed = replace(job, old_schema=job.schema, old_table=job.table)
        return original(filters, renamed, query, start)

    return ddl


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "feed-any-ddl-name-is-all-ddl",
        "changefeed.event-filter.ddl",
        "It leaves out all statements by the name of one type.",
        _standing_for(ALL_DDL, (ALTER_TABLE, *DDL_EVENTS.values())),
    ),
    WrongProducer(
        "feed-any-row-event-is-all-dml",
        "changefeed.event-filter.dml",
        "It leaves out all row events by the name of one kind.",
        _standing_for(ALL_DML, DML_EVENTS.values()),
    ),
    *(
        WrongProducer(
            f"feed-all-ddl-spares-{words.replace(' ', '-')}",
            "changefeed.event-filter.ddl",
            f"It leaves no DDL of {words} out by the name `all ddl`.",
            patch(
                "harness.sources.tidb.event_filter:EventRule.ignores_ddl",
                partial(_sparing, actions),
            ),
        )
        for words, actions in (
            ("databases", SCHEMA_ACTIONS),
            ("whole tables", TABLES),
            ("views", VIEWS),
            ("parts of tables", ALTER_TABLE_ACTIONS),
            ("foreign keys", FOREIGN_KEYS),
        )
    ),
    WrongProducer(
        "feed-rows-of-any-table-judged",
        "changefeed.filter.other-table",
        "It applies an event filter to the rows of every table.",
        patch(f"{FILTERS}._covering", _of_any_table),
    ),
    WrongProducer(
        "feed-bad-sql-stops",
        "changefeed.event-filter.bad-sql",
        "It stops where `ignore-sql` does not compile.",
        patch(f"{FILTERS}.ddl", _stopped),
    ),
    WrongProducer(
        "feed-renames-filtered-by-either-name",
        "changefeed.event-filter.rename-old-name",
        "It asks event filters by the old and the new name of a rename.",
        patch(f"{FILTERS}.ddl", _by_either_name),
    ),
)

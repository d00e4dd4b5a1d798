"""`filter.event-filters`: matchers, names of events, texts; and what becomes of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from harness.ddl import ActionType, DdlJob
from harness.mutants.producers.changefeed.edits import FILTERS, settings
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, constant, patch, result, returns
from harness.sources.decision import Decision
from harness.sources.tidb.change_filter import ChangeFilter
from harness.sources.tidb.event_filter import EventRule
from harness.sources.tidb.event_types import (
    ALIASES,
    ALL_DDL,
    ALL_DML,
    ALTER_TABLE,
    ALTER_TABLE_ACTIONS,
    DDL_EVENTS,
    DML_EVENTS,
)
from harness.sources.tidb.value_filter import ValueFilter

RULE: Final = "harness.sources.tidb.event_filter:EventRule"
FEED: Final = "harness.sources.tidb.changefeed"
OWNER: Final = "harness.sources.tidb.ddl_filter"
_OPTIONS: Final = (ActionType.MODIFY_TABLE_COMMENT, ActionType.REBASE_AUTO_ID)
REBUILT: Final = frozenset(
    {ActionType.DROP_TABLE, ActionType.DROP_VIEW, ActionType.EXCHANGE_TABLE_PARTITION}
)


def _rules(change: Callable[[EventRule], EventRule]) -> Patch:
    """Return the patch that changes each event filter."""

    def changed(original: Callable[..., EventRule]) -> Callable[..., EventRule]:
        return lambda *given, **named: change(original(*given, **named))

    return patch("harness.sources.tidb.event_filter:event_rule", changed)


def _not_named(*names: str) -> Patch:
    """Return the patch by which names under `ignore-event` do nothing."""
    return _rules(lambda rule: replace(rule, events=rule.events - {*names}))


def _multi_by_parts(original: Callable[..., bool]) -> Callable[..., bool]:
    """Return an `ignores_ddl` that asks for the names of a statement's parts."""

    def ignores(rule: EventRule, action: ActionType, query: str) -> bool:
        found = original(rule, action, query)
        if action is not ActionType.MULTI_SCHEMA_CHANGE:
            return found
        return found or bool(rule.events & {*DDL_EVENTS.values()})

    return ignores


def _by_restored_text(original: Callable[..., Decision]) -> Callable[..., Decision]:
    return lambda filters, job, _, start: original(filters, job, job.query, start)


def _cased_text(rule: EventRule) -> EventRule:
    if rule.sql is None:
        return rule
    return replace(rule, sql=replace(rule.sql, pattern=rule.sql.pattern.removeprefix("(?i)")))


def _void_as_a_whole(found: tuple[EventRule, ValueFilter]) -> tuple[EventRule, ValueFilter]:
    return (found[0], ValueFilter({})) if found[0].void else found


def _by_new_name(original: Callable[..., Decision]) -> Callable[..., Decision]:
    def ddl(filters: ChangeFilter, job: DdlJob, query: str, start: int) -> Decision:
        job = replace(job, old_schema=job.schema, old_table=job.table)
        return original(filters, job, query, start)

    return ddl


def _split_first(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `_filtered` that sees updates as the sink splits them."""

    def filtered(tidb: Any, step: int, table: Any, changes: Any, commit_ts: int) -> Any:  # noqa: ANN401
        split = tidb._maker(table).split(changes)  # noqa: SLF001
        return original(tidb, step, table, split, commit_ts)

    return filtered


def _any_case(original: Callable[..., bool]) -> Callable[..., bool]:
    """Return a `covers` that does not mind the case of letters."""

    def covers(rule: EventRule, schema: str, table: str) -> bool:
        lowered = tuple(
            replace(one, schema=one.schema.lowered(), table=one.table.lowered())
            for one in rule.matcher.rules
        )
        matcher = replace(rule.matcher, rules=lowered, ignore_case=True)
        return original(replace(rule, matcher=matcher), schema, table)

    return covers


def _folded(rule: EventRule) -> EventRule:
    """Return a rule whose names and texts are for tables in any case."""
    asks = bool(rule.events) or rule.sql is not None
    return replace(rule, matcher=rule.matcher.folded()) if asks else rule


def _whole_databases(original: Callable[..., bool]) -> Callable[..., bool]:
    """Return a `covers` by which a matcher of single tables has no database."""

    def covers(rule: EventRule, schema: str, table: str) -> bool:
        whole = any(
            one.schema.matches(schema) and one.table.everything for one in rule.matcher.rules
        )
        return original(rule, schema, table) and bool(table or whole)

    return covers


def _folded_as_a_whole(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `_halves` of which both halves do without the case of letters."""

    def halves(rule: EventRule, values: ValueFilter) -> object:
        (folded, _), (bare, _) = original(rule, values)
        return (folded, ValueFilter({})), (replace(bare, matcher=folded.matcher), values)

    return halves


def _one_by_one(original: Callable[..., Decision]) -> Callable[..., Decision]:
    """Return an `_owner` that takes each of several renames for one alone."""
    return lambda job, feed, start, *, several: original(
        job, feed, start, several=several and job.action is not ActionType.RENAME_TABLE
    )


def _options_together(original: Callable[..., Decision]) -> Callable[..., Decision]:
    """Return an `_owner` that takes each of several options for a statement of several changes."""

    def owner(job: DdlJob, feed: object, start: int, *, several: bool) -> Decision:
        asked = job
        if several and job.action in _OPTIONS:
            asked = replace(job, action=ActionType.MULTI_SCHEMA_CHANGE)
        return original(asked, feed, start, several=several)

    return owner


def _each_alone(original: Callable[..., EventRule]) -> Callable[..., EventRule]:
    """Return an `event_rule` that compiles each text of `ignore-sql` by itself."""

    def rule(
        matcher: Sequence[str], events: Sequence[str] = (), sql: Sequence[str] = ()
    ) -> EventRule:
        found = original(matcher, events, sql)
        void = (original(matcher, (), (text,)).void for text in sql)
        return replace(found, void=next(filter(None, void), ""))

    return rule


def _event(name: str) -> WrongProducer:
    words = name.replace(" ", "-")
    return WrongProducer(
        f"feed-event-{words}-unknown",
        "changefeed.event-filter.ddl",
        f"It ignores no statement by the name `{name}`.",
        _not_named(name),
    )


def _row_event(name: str) -> WrongProducer:
    return WrongProducer(
        f"feed-event-{name.replace(' ', '-')}-unknown",
        "changefeed.event-filter.dml",
        f"It leaves no row event out by the name `{name}`.",
        _not_named(name),
    )


def _no_alias(name: str) -> WrongProducer:
    def changed(original: Callable[..., EventRule]) -> Callable[..., EventRule]:
        def rule(
            matcher: Sequence[str], events: Sequence[str] = (), sql: Sequence[str] = ()
        ) -> EventRule:
            return original(matcher, [event for event in events if event != name], sql)

        return rule

    return WrongProducer(
        f"feed-no-alias-{name.replace(' ', '-')}",
        "changefeed.event-filter.database-alias",
        f"It ignores nothing by the name `{name}`.",
        patch("harness.sources.tidb.event_filter:event_rule", changed),
    )


def _of_each_list(part: slice) -> Patch:
    """Return the patch by which a part of each list of names, and of texts, is read."""

    def changed(original: Callable[..., EventRule]) -> Callable[..., EventRule]:
        def rule(
            matcher: Sequence[str], events: Sequence[str] = (), sql: Sequence[str] = ()
        ) -> EventRule:
            return original(matcher, events[part], sql[part])

        return rule

    return patch("harness.sources.tidb.event_filter:event_rule", changed)


def _no_alter_table(action: ActionType) -> WrongProducer:
    def changed(original: Callable[..., bool]) -> Callable[..., bool]:
        def ignores(rule: EventRule, asked: ActionType, query: str) -> bool:
            if asked is action:
                rule = replace(rule, events=rule.events - {ALTER_TABLE})
            return original(rule, asked, query)

        return ignores

    words = action.name.lower().replace("_", "-")
    return WrongProducer(
        f"feed-{words}-is-no-alter-table",
        "changefeed.event-filter.alter-table",
        f"It does not take `{action.display_name}` for an `alter table`.",
        patch(f"{RULE}.ignores_ddl", changed),
    )


def _an_alter_table(action: ActionType) -> WrongProducer:
    words = action.name.lower().replace("_", "-")
    return WrongProducer(
        f"feed-{words}-is-an-alter-table",
        "changefeed.event-filter.alter-table",
        f"It takes `{action.display_name}` for an `alter table`.",
        constant(
            "harness.sources.tidb.event_filter:ALTER_TABLE_ACTIONS", ALTER_TABLE_ACTIONS | {action}
        ),
    )


# Alike by name: two actions of TiDB, one event.
_NAMES = tuple(dict.fromkeys(DDL_EVENTS.values()))
_ALTER_TABLE = tuple(
    action
    for action in ActionType
    if action in ALTER_TABLE_ACTIONS
    and action not in (ActionType.RENAME_TABLES, ActionType.ADD_COLUMNS, ActionType.DROP_COLUMNS)
)

EVENTS: tuple[WrongProducer, ...] = (
    *map(_event, (ALL_DDL, *_NAMES)),
    *map(_row_event, (ALL_DML, *DML_EVENTS.values())),
    WrongProducer(
        "feed-first-row-event-alone",
        "changefeed.event-filter.dml",
        "It leaves rows out by the first name of `ignore-event` alone.",
        _of_each_list(slice(1)),
    ),
    WrongProducer(
        "feed-last-row-event-alone",
        "changefeed.event-filter.dml",
        "It leaves rows out by the last name of `ignore-event` alone.",
        _of_each_list(slice(-1, None)),
    ),
    *map(_no_alter_table, _ALTER_TABLE),
    *map(_an_alter_table, (ActionType.ADD_FOREIGN_KEY, ActionType.DROP_FOREIGN_KEY)),
    *map(_no_alias, (*ALIASES, *ALIASES.values())),
    WrongProducer(
        "feed-several-changes-by-their-parts",
        "changefeed.event-filter.multi-schema",
        "It leaves a statement of several changes out by the name of one of them.",
        patch(f"{RULE}.ignores_ddl", _multi_by_parts),
    ),
    WrongProducer(
        "feed-several-changes-never-ignored",
        "changefeed.event-filter.multi-schema",
        "It leaves no statement out by the name `multi schema change`.",
        _not_named("multi schema change"),
    ),
    WrongProducer(
        "feed-several-options-are-several-changes",
        "changefeed.event-filter.multi-schema",
        "It takes each of several options for a statement of several changes.",
        patch(f"{OWNER}:_owner", _options_together),
    ),
)

RULES: tuple[WrongProducer, ...] = (
    WrongProducer(
        "feed-event-filters-match-all",
        "changefeed.event-filter.matcher",
        "It applies an event filter to every table.",
        returns(f"{RULE}.covers", value=True),
        also="changefeed.filter.other-table",
    ),
    WrongProducer(
        "feed-event-filters-match-none",
        "changefeed.event-filter.matcher",
        "It applies no event filter to any table.",
        returns(f"{RULE}.covers", value=False),
    ),
    WrongProducer(
        "feed-matchers-of-a-table-cover-no-database",
        "changefeed.event-filter.matcher",
        "It applies an event filter to the DDL of a database only where it matches all its tables.",
        patch(f"{RULE}.covers", _whole_databases),
    ),
    WrongProducer(
        "feed-matchers-cover-every-database",
        "changefeed.event-filter.matcher",
        "It applies an event filter to the DDL of every database.",
        patch(
            f"{RULE}.covers",
            lambda original: lambda rule, schema, name: not name or original(rule, schema, name),
        ),
    ),
    WrongProducer(
        "feed-first-event-filter-alone",
        "changefeed.event-filter.several",
        "It applies the first event filter alone.",
        settings(
            lambda feed: {
                "filters": replace(
                    feed.filters, events=feed.filters.events[:1], values=feed.filters.values[:1]
                )
            }
        ),
    ),
    WrongProducer(
        "feed-first-event-filter-of-a-table-alone",
        "changefeed.event-filter.several",
        "It lets the first of the event filters that match a table decide alone.",
        result(f"{FILTERS}._covering", lambda found: found[:1]),
    ),
    WrongProducer(
        "feed-last-event-filter-alone",
        "changefeed.event-filter.several",
        "It applies the last event filter alone.",
        settings(
            lambda feed: {
                "filters": replace(
                    feed.filters, events=feed.filters.events[-1:], values=feed.filters.values[-1:]
                )
            }
        ),
    ),
    WrongProducer(
        "feed-ignore-sql-ignored",
        "changefeed.event-filter.sql",
        "It leaves no DDL out by its text.",
        _rules(lambda rule: replace(rule, sql=None)),
    ),
    WrongProducer(
        "feed-ignore-sql-minds-the-case",
        "changefeed.event-filter.sql",
        "It minds the case of letters in `ignore-sql`.",
        _rules(_cased_text),
    ),
    WrongProducer(
        "feed-ignore-sql-sees-the-restored-text",
        "changefeed.event-filter.sql",
        "It looks for `ignore-sql` in the restored text.",
        patch(f"{FILTERS}.ddl", _by_restored_text),
    ),
    *(
        WrongProducer(
            f"feed-{word}-ignore-sql-alone",
            "changefeed.event-filter.sql",
            f"It leaves DDL out by the {word} expression of `ignore-sql` alone.",
            _of_each_list(part),
        )
        for word, part in (("first", slice(1)), ("last", slice(-1, None)))
    ),
    *(
        WrongProducer(
            f"feed-ignore-sql-sees-the-user-s-{words.lower().replace(' ', '-')}",
            "changefeed.event-filter.sql",
            f"It looks for `ignore-sql` in the user's text of {words}.",
            constant(f"{OWNER}:_REBUILT", REBUILT - {action}),
        )
        for words, action in (
            ("DROP TABLE", ActionType.DROP_TABLE),
            ("DROP VIEW", ActionType.DROP_VIEW),
            ("EXCHANGE PARTITION", ActionType.EXCHANGE_TABLE_PARTITION),
        )
    ),
    WrongProducer(
        "feed-ignore-sql-sees-the-user-s-renames",
        "changefeed.event-filter.sql",
        "It looks for `ignore-sql` in the user's text of several renames.",
        patch(f"{OWNER}:_owner", _one_by_one),
    ),
    WrongProducer(
        "feed-bad-sql-ignores-all",
        "changefeed.event-filter.bad-sql",
        "It leaves all DDL out where `ignore-sql` does not compile.",
        _rules(
            lambda rule: replace(rule, void="", events=frozenset({ALL_DDL})) if rule.void else rule
        ),
    ),
    WrongProducer(
        "feed-bad-sql-keeps-the-names",
        "changefeed.event-filter.bad-sql",
        "It still leaves events out by name where `ignore-sql` does not compile.",
        _rules(lambda rule: replace(rule, void="")),
    ),
    WrongProducer(
        "feed-bad-sql-one-by-one",
        "changefeed.event-filter.bad-sql",
        "It compiles each expression of `ignore-sql` by itself.",
        patch("harness.sources.tidb.event_filter:event_rule", _each_alone),
    ),
    WrongProducer(
        "feed-bad-sql-voids-expressions",
        "changefeed.event-filter.bad-sql",
        "It passes over the value expressions too where `ignore-sql` does not compile.",
        result("harness.sources.tidb.changefeed:_event_filter", _void_as_a_whole),
    ),
    WrongProducer(
        "feed-matchers-in-any-case",
        "changefeed.event-filter.case",
        "It does not mind the case of letters in a matcher.",
        patch(f"{RULE}.covers", _any_case),
    ),
    WrongProducer(
        "feed-matchers-mind-the-case-anew",
        "changefeed.event-filter.case-anew",
        "It minds the case of letters in a matcher of the newer architecture.",
        patch(f"{FEED}:_halves", lambda _: lambda *half: (half,)),
    ),
    WrongProducer(
        "feed-matchers-never-mind-the-case-anew",
        "changefeed.event-filter.case-anew",
        "It does not mind the case of letters in a matcher under `case-sensitive` either.",
        settings(
            lambda feed: {
                "filters": replace(feed.filters, events=tuple(map(_folded, feed.filters.events)))
            }
        ),
    ),
    WrongProducer(
        "feed-expressions-in-any-case-anew",
        "changefeed.event-filter.case-anew",
        "It does not mind the case of letters in a matcher with value expressions.",
        patch(f"{FEED}:_halves", _folded_as_a_whole),
    ),
    WrongProducer(
        "feed-renames-filtered-by-the-new-name",
        "changefeed.event-filter.rename-old-name",
        "It asks event filters by the new name of a rename.",
        patch(f"{FILTERS}.ddl", _by_new_name),
    ),
    WrongProducer(
        "feed-filters-after-the-split",
        "changefeed.event-filter.before-split",
        "It asks event filters after an update is split.",
        patch("harness.sources.tidb.simulator:TiDB._filtered", _split_first),
    ),
)

ROWS: tuple[WrongProducer, ...] = (*EVENTS, *RULES)

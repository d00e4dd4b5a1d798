"""`filter.event-filters`: matchers, names of events, texts; and what becomes of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.ddl import ActionType, DdlJob
from harness.model.source_events import RowEvent, SourceEvent
from harness.mutants.producers.changefeed.edits import EMITTED, FILTERS, PULLER_CLASS, settings
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, constant, patch, result, returns
from harness.sources.decision import EVENT_FILTER, REPLICATE, Decision
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


def _rules(change: Callable[[EventRule], EventRule]) -> Patch:
    """Return the patch that changes each event filter."""

    def changed(original: Callable[..., EventRule]) -> Callable[..., EventRule]:
        return lambda *given, **named: change(original(*given, **named))

    return patch("harness.sources.tidb.event_filter:event_rule", changed)


def _not_named(*names: str) -> Patch:
    """Return the patch by which names under `ignore-event` do nothing."""
    return _rules(lambda rule: replace(rule, events=rule.events - {*names}))


def _ddl(change: Callable[[DdlJob, Decision], Decision]) -> Patch:
    """Return the patch that changes what the event filters decide of a DDL."""

    def changed(original: Callable[..., Decision]) -> Callable[..., Decision]:
        return lambda filters, job, query, start: change(job, original(filters, job, query, start))

    return patch(f"{FILTERS}.ddl", changed)


def _sent_all_the_same(action: ActionType) -> Patch:
    """Return the patch by which a DDL is sent that an event filter ignores."""
    return _ddl(lambda job, found: REPLICATE if job.action is action else found)


def _forgetting(*actions: ActionType) -> Patch:
    """Return the patch by which rows of a table are lost with a DDL that is ignored."""

    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        def judge(puller: Any, jobs: Sequence[DdlJob], start: int = 0) -> Any:  # noqa: ANN401
            found = original(puller, jobs, start)
            for job, decision in found:
                kept = puller._filters.ddl(job, job.source, start).sent  # noqa: SLF001
                if decision.sent and not kept and job.after and job.action in actions:
                    puller._tables.pop(job.after.physical_id, None)  # noqa: SLF001
            return found

        return judge

    return patch(f"{PULLER_CLASS}.judge", changed)


def _taking_back(actions: Sequence[ActionType], original: Callable[..., Any]) -> Callable[..., Any]:
    """Return an `emitted` without the rows of tables of which an event filter ignored such DDL."""

    def emitted(tidb: Any, changes: Any, **named: object) -> Iterator[SourceEvent]:  # noqa: ANN401
        events = [*original(tidb, changes, **named)]
        ignored = {
            each.subject.removeprefix(f"{action.display_name} ")
            for action in actions
            for each in tidb.decisions
            if each.subject.startswith(f"{action.display_name} ")
            and each.decision.stage == EVENT_FILTER
        }
        for event in events:
            if not (isinstance(event, RowEvent) and str(event.table.table.id) in ignored):
                yield event

    return emitted


def _let_in(original: Callable[..., bool]) -> Callable[..., bool]:
    """Return a `table` by which tables are replicated that an event filter matches."""

    def table(filters: ChangeFilter, schema: str, name: str) -> bool:
        matched = any(rule.covers(schema, name) for rule in filters.events)
        return original(filters, schema, name) or matched

    return table


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

TABLES: tuple[WrongProducer, ...] = (
    WrongProducer(
        "feed-ignored-ddl-loses-rows",
        "changefeed.filter.ddl-keeps-rows",
        "It loses the rows of a table whose creation or truncation an event filter ignores.",
        patch(
            EMITTED,
            partial(_taking_back, (ActionType.CREATE_TABLE, ActionType.TRUNCATE_TABLE)),
        ),
    ),
    WrongProducer(
        "feed-ignored-drop-takes-rows",
        "changefeed.filter.ddl-keeps-rows",
        "It never sends the rows of a table whose `DROP TABLE` an event filter ignores.",
        patch(EMITTED, partial(_taking_back, (ActionType.DROP_TABLE,))),
    ),
    WrongProducer(
        "feed-ignored-create-table-sent",
        "changefeed.filter.create-table",
        "It sends a `CREATE TABLE` that an event filter ignores.",
        _sent_all_the_same(ActionType.CREATE_TABLE),
    ),
    WrongProducer(
        "feed-ignored-create-table-loses-rows",
        "changefeed.filter.create-table",
        "It sends no rows of a table whose `CREATE TABLE` an event filter ignores.",
        _forgetting(ActionType.CREATE_TABLE),
    ),
    WrongProducer(
        "feed-matched-tables-let-in",
        "changefeed.filter.outside-rules",
        "It replicates a table outside the rules that an event filter matches.",
        patch(f"{FILTERS}.table", _let_in),
    ),
    WrongProducer(
        "feed-tables-outside-the-rules",
        "changefeed.filter.outside-rules",
        "It replicates tables outside the rules in databases that the rules name.",
        patch(
            f"{FILTERS}.table",
            lambda original: (
                lambda filters, schema, name: (
                    original(filters, schema, name) or filters.schema(schema)
                )
            ),
        ),
    ),
    WrongProducer(
        "feed-ignored-drop-table-sent",
        "changefeed.filter.drop-table",
        "It sends a `DROP TABLE` that an event filter ignores.",
        _sent_all_the_same(ActionType.DROP_TABLE),
    ),
    WrongProducer(
        "feed-ignored-truncate-table-sent",
        "changefeed.filter.truncate-table",
        "It sends a `TRUNCATE TABLE` that an event filter ignores.",
        _sent_all_the_same(ActionType.TRUNCATE_TABLE),
    ),
    WrongProducer(
        "feed-ignored-truncate-table-loses-rows",
        "changefeed.filter.truncate-table",
        "It sends no rows after a `TRUNCATE TABLE` that an event filter ignores.",
        _forgetting(ActionType.TRUNCATE_TABLE),
    ),
    WrongProducer(
        "feed-ignored-rename-sent",
        "changefeed.filter.rename-table",
        "It sends a `RENAME TABLE` that an event filter ignores.",
        _sent_all_the_same(ActionType.RENAME_TABLE),
    ),
    WrongProducer(
        "feed-ignored-rename-loses-rows",
        "changefeed.filter.rename-table",
        "It sends no rows after a `RENAME TABLE` that an event filter ignores.",
        _forgetting(ActionType.RENAME_TABLE),
    ),
    WrongProducer(
        "feed-ignored-rename-out-sent",
        "changefeed.filter.rename-out",
        "It sends a `RENAME TABLE` out of the rules that an event filter ignores.",
        _sent_all_the_same(ActionType.RENAME_TABLE),
    ),
    WrongProducer(
        "feed-ignored-rename-out-keeps-rows",
        "changefeed.filter.rename-out",
        "It sends the rows of a table that left the rules by an ignored `RENAME TABLE`.",
        returns(f"{FILTERS}.table", value=True),
    ),
)

ROWS: tuple[WrongProducer, ...] = (*EVENTS, *RULES, *TABLES)

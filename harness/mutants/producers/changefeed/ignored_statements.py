"""What becomes of a table whose DDL an event filter ignores, and of tables outside the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from harness.ddl import ActionType, DdlJob
from harness.model.source_events import RowEvent, SourceEvent
from harness.model.table import TableId
from harness.mutants.producers.changefeed.edits import EMITTED, FILTERS, PULLER_CLASS, judged
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, patch, result, returns
from harness.sources.decision import EVENT_FILTER, REPLICATE, Decision
from harness.sources.tidb.change_filter import ChangeFilter


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


def _as_before(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return an `emitted` that keeps the old name of a table whose rename was ignored."""

    def emitted(tidb: Any, changes: Any, **named: object) -> Iterator[SourceEvent]:  # noqa: ANN401
        verb = f"{ActionType.RENAME_TABLE.display_name} "
        for event in original(tidb, changes, **named):
            former = {
                new: old
                for each in tidb.decisions
                if each.subject.startswith(verb) and each.decision.stage == EVENT_FILTER
                for old, _, new in [each.subject.removeprefix(verb).partition(" to ")]
            }
            if isinstance(event, RowEvent) and str(event.table.table.id) in former:
                old = TableId(*former[str(event.table.table.id)].split("."))
                table = replace(event.table.table, id=old)
                yield replace(event, table=replace(event.table, table=table))
            else:
                yield event

    return emitted


def _let_in(original: Callable[..., bool]) -> Callable[..., bool]:
    """Return a `table` by which tables are replicated that an event filter matches."""

    def table(filters: ChangeFilter, schema: str, name: str) -> bool:
        matched = any(rule.covers(schema, name) for rule in filters.events)
        return original(filters, schema, name) or matched

    return table


def _outside(found: Decision) -> bool:
    return found.reason.startswith("filter.rules leave out")


ROWS: tuple[WrongProducer, ...] = (
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
        "feed-ddl-outside-the-rules",
        "changefeed.filter.outside-rules",
        "It sends the DDL of tables outside the rules, and no rows of them.",
        judged(lambda _, found: REPLICATE if _outside(found) else found),
        protocols=("open",),
    ),
    WrongProducer(
        "feed-rows-outside-the-rules",
        "changefeed.filter.outside-rules",
        "It sends the rows of tables outside the rules, and no DDL of them.",
        result(f"{PULLER_CLASS}.replicates", lambda found: REPLICATE if _outside(found) else found),
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
        "feed-ignored-rename-keeps-the-old-name",
        "changefeed.filter.rename-table",
        "It sends rows under the old name after a `RENAME TABLE` that an event filter ignores.",
        patch(EMITTED, _as_before),
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

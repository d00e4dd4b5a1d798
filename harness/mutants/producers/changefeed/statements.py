"""DDL beside the matrix: the allow list, valid indexes that come and go, resolved events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from harness.ddl import ActionType, Applied, DdlJob
from harness.model.source_events import DdlEvent, ResolvedEvent, SourceEvent
from harness.model.table import Table
from harness.mutants.producers.changefeed.edits import (
    LEFT_OUT,
    PULLER_CLASS,
    STOPPED,
    emitted,
    judged,
    settings,
)
from harness.mutants.producers.changefeed.matrix import keyless
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, adjusted, entry, patch, returns
from harness.sources.decision import REPLICATE, Decision
from harness.sources.tidb.document_rules import DocumentRules
from harness.sources.tidb.eligibility import CodeRules, Met
from harness.sources.tidb.event_types import DDL_EVENTS
from harness.sources.tidb.mounter import eligible

ELIGIBLE: Final = "harness.sources.tidb.mounter:eligible"
DDL_RULES: Final = "harness.sources.tidb.changefeed:DDL_RULES"
CODE_RULES: Final = "harness.sources.tidb.eligibility:CodeRules.table"
# What the clause names, of the actions that the allow list lacks. Of check constraints TiDB makes
# no job unless `tidb_enable_check_constraint` is on.
NOT_REPLICATED = (
    ActionType.CREATE_SEQUENCE,
    ActionType.ALTER_SEQUENCE,
    ActionType.DROP_SEQUENCE,
    ActionType.ALTER_CACHE_TABLE,
    ActionType.ALTER_NO_CACHE_TABLE,
    ActionType.SET_TIFLASH_REPLICA,
    ActionType.ALTER_TABLE_ATTRIBUTES,
    ActionType.ALTER_TABLE_PARTITION_ATTRIBUTES,
    ActionType.CREATE_PLACEMENT_POLICY,
    ActionType.ALTER_PLACEMENT_POLICY,
    ActionType.DROP_PLACEMENT_POLICY,
    ActionType.ALTER_TABLE_PLACEMENT,
    ActionType.ALTER_TABLE_PARTITION_PLACEMENT,
    ActionType.MODIFY_SCHEMA_DEFAULT_PLACEMENT,
    ActionType.CREATE_RESOURCE_GROUP,
    ActionType.ALTER_RESOURCE_GROUP,
    ActionType.DROP_RESOURCE_GROUP,
    ActionType.MODIFY_TABLE_AUTO_ID_CACHE,
    ActionType.REBASE_AUTO_RANDOM_BASE,
    ActionType.SHARD_ROW_ID,
)


FOREIGN_KEYS: Final = (ActionType.ADD_FOREIGN_KEY, ActionType.DROP_FOREIGN_KEY)
DROP_TABLE: Final = (ActionType.DROP_TABLE,)
_INDEXES: Final = (ActionType.ADD_INDEX, ActionType.ADD_PRIMARY_KEY)
LOSES_AN_INDEX: Final = (ActionType.DROP_INDEX, ActionType.DROP_PRIMARY_KEY)
BY_CODE: Final = "It goes by the code where the page's rules are asked for"
_NO_INDEX_MADE: Final = "an index that makes no table eligible is left out"
# A name, the clauses that it violates, what is wrong, and the actions of which the code decides.
BY_THE_CODE: Final = (
    ("foreign-keys", "allow-list", "", "foreign keys are sent", FOREIGN_KEYS),
    ("views", "create-view", "", "CREATE VIEW is sent", (ActionType.CREATE_VIEW,)),
    ("dropped-views", "drop-view", "", "DROP VIEW is sent", (ActionType.DROP_VIEW,)),
    ("drops", "drop-table", "", "dropped tables without an index are sent", DROP_TABLE),
    ("indexes", "create-index", "changefeed.ddl.add-index", _NO_INDEX_MADE, _INDEXES),
    ("what-is-enough", "index-not-enough", "", _NO_INDEX_MADE, _INDEXES),
    ("last-index", "last-index", "", "the loss of the last index stops it", LOSES_AN_INDEX),
)


def _by_code(*actions: ActionType) -> Patch:
    """Return the patch by which the code's rules hold for some actions where the page's are due."""

    class Rules(DocumentRules):
        def table(self, job: DdlJob, before: Met, after: Met) -> Decision:
            if job.action in actions:
                return CodeRules(self.force_replicate).table(job, before, after)
            return DocumentRules.table(self, job, before, after)

    return entry(DDL_RULES, "document", lambda _: Rules)


def _sending(action: ActionType) -> WrongProducer:
    words = action.name.lower().replace("_", "-")
    return WrongProducer(
        f"feed-sends-{words}",
        "changefeed.ddl.not-replicated",
        f"It sends `{action.display_name}`.",
        _sent_as_written(lambda job: job.action is action),
    )


def _sent_as_written(which: Callable[[DdlJob], bool]) -> Patch:
    """Return the patch that sends some DDL as it was written: of its kind none is restored."""

    def judge(job: DdlJob, decision: Decision) -> Decision:
        if not which(job):
            return decision
        object.__setattr__(job, "query", job.source)  # the simulator knows a job by its identity
        return REPLICATE

    return judged(judge)


def _stopped_if_unlisted(job: DdlJob, decision: Decision) -> Decision:
    return decision if job.action in DDL_EVENTS else STOPPED


def _valid(change: Callable[[bool, Table], bool]) -> Patch:
    """Return the patch that changes which tables have a valid index; views stay as they are."""

    def judge(found: object, table: Table | None) -> object:
        if table is None or table.is_view or table.is_sequence:
            return found
        return change(bool(found), table)

    return adjusted(ELIGIBLE, judge)


def _has_unique(table: Table, *, virtual: bool) -> bool:
    """Tell whether a unique key is there, over columns of which one may be NULL or is virtual."""
    for index in table.indexes:
        columns = [table.column(name) for name in index.columns]
        hidden = any(column.generated is not None for column in columns)
        if index.unique and hidden is virtual:
            return True
    return False


def _by_side(*, after: bool) -> Patch:
    """Return the patch by which one side of a DDL alone decides whether it is sent.

    A table that is new has no side but the one after.
    """

    def changed(_: object) -> Callable[..., Decision]:
        def table(rules: Any, job: DdlJob, before: Any, left: Any) -> Decision:  # noqa: ANN401
            del job
            met = left if after or before is None else before
            sent = met is None or eligible(met, force_replicate=rules.force_replicate)
            return REPLICATE if sent else LEFT_OUT

        return table

    return patch(CODE_RULES, changed)


def _stops(instead: Decision) -> Patch:
    """Return the patch that does something else where the last valid index goes."""
    lost = "last valid index"
    return judged(lambda _, found: instead if found.code and lost in found.reason else found)


def _bare(table: Table | None) -> bool:
    """Tell whether a table, and no view, is there and has no valid index."""
    return keyless(table) and table is not None and not table.is_view


def _index_added(job: DdlJob, decision: Decision, instead: Decision) -> Decision:
    return instead if job.action in _INDEXES and keyless(job.before) else decision


def _index_sent(job: DdlJob, decision: Decision) -> Decision:
    added = job.action in _INDEXES and keyless(job.after)
    return REPLICATE if added and not decision.code else decision


def _without_following(original: Callable[..., object]) -> Callable[..., object]:
    """Return an `_apply` that does not see a table get its index."""
    return lambda puller, job: None if job.action in _INDEXES else original(puller, job)


def _rows_out(which: Callable[[Table], bool]) -> Patch:
    """Return the patch that leaves the rows of some tables out."""

    def changed(original: Callable[..., Decision]) -> Callable[..., Decision]:
        return lambda puller, table: LEFT_OUT if which(table) else original(puller, table)

    return patch(f"{PULLER_CLASS}.replicates", changed)


def _rows_in(original: Callable[..., Decision]) -> Callable[..., Decision]:
    """Return a `replicates` that lets rows of tables without a valid index pass."""

    def replicates(puller: object, table: Table) -> Decision:
        found = original(puller, table)
        return REPLICATE if "no valid index" in found.reason else found

    return replicates


def _unmarked(events: Sequence[SourceEvent]) -> Iterator[SourceEvent]:
    """Yield the events without the resolved events at the commit ts of a DDL."""
    of = {event.commit_ts for event in events if isinstance(event, DdlEvent)}
    for event in events:
        if not (isinstance(event, ResolvedEvent) and event.ts in of):
            yield event


def _marked_below(events: Sequence[SourceEvent]) -> Iterator[SourceEvent]:
    """Yield the events, those resolved events one ts earlier."""
    of = {event.commit_ts for event in events if isinstance(event, DdlEvent)}
    for event in events:
        if isinstance(event, ResolvedEvent) and event.ts in of:
            yield replace(event, ts=event.ts - 1)
        else:
            yield event


def _resolved_first(events: Sequence[SourceEvent]) -> Iterator[SourceEvent]:
    """Yield the events, a resolved event one ts above each DDL event before it."""
    for event in events:
        if isinstance(event, DdlEvent):
            for partition in range(event.partitions):
                yield ResolvedEvent(
                    event.commit_ts + 1, event.topic, partition, origin=event.origin
                )
        yield event


def _said_again(job: DdlJob, decision: Decision) -> Decision:
    if job.action is not ActionType.MODIFY_TABLE_COMMENT or job.before is None or job.after is None:
        return decision
    return LEFT_OUT if job.before.comment == job.after.comment else decision


def _never_nothing(original: Callable[..., Applied]) -> Callable[..., Applied]:
    """Return an `apply` that makes a job of a statement that changes nothing."""

    def apply(catalogue: object, sql: str, schema: str = "") -> Applied:
        found = original(catalogue, sql, schema)
        if found.jobs:
            return found
        job = DdlJob(ActionType.CREATE_SCHEMA, schema or "shop", "", sql, sql)
        return replace(found, jobs=(job,))

    return apply


ROWS: tuple[WrongProducer, ...] = (
    *map(_sending, NOT_REPLICATED),
    WrongProducer(
        "feed-sends-what-is-not-listed",
        "changefeed.ddl.allow-list",
        "It sends every statement.",
        _sent_as_written(lambda job: job.action not in DDL_EVENTS),
    ),
    WrongProducer(
        "feed-stops-at-what-is-not-listed",
        "changefeed.ddl.allow-list",
        "It stops with an error at a statement that is not on the list.",
        judged(_stopped_if_unlisted),
    ),
    WrongProducer(
        "feed-code-decides-pairs",
        "changefeed.rename.many-pairs",
        f"{BY_CODE}: each pair of a rename is judged alone.",
        entry(DDL_RULES, "document", lambda _: CodeRules),
    ),
    *(
        WrongProducer(
            f"feed-code-decides-{words}",
            f"changefeed.ddl.{clause}",
            f"{BY_CODE}: {what}.",
            _by_code(*actions),
            also=also,
        )
        for words, clause, also, what, actions in BY_THE_CODE
    ),
    WrongProducer(
        "feed-sends-what-changes-nothing",
        "changefeed.ddl.no-op",
        "It sends statements that change nothing.",
        patch("harness.ddl.catalogue:Catalogue.apply", _never_nothing),
    ),
    WrongProducer(
        "feed-leaves-out-what-is-said-again",
        "changefeed.ddl.no-op",
        "It does not send a statement that repeats a table's comment.",
        judged(_said_again),
    ),
    WrongProducer(
        "feed-quoted-exchange-sent",
        "changefeed.ddl.exchange-quoted",
        "It sends an EXCHANGE PARTITION that names the partition in backquotes.",
        settings(lambda _: {"requotes": False}),
    ),
    WrongProducer(
        "feed-quoted-exchange-stops-everywhere",
        "changefeed.ddl.exchange-quoted",
        "It stops there in the newer architecture too.",
        settings(lambda _: {"requotes": True}),
    ),
    WrongProducer(
        "feed-keys-are-primary",
        "changefeed.table.eligible",
        "It takes no unique key for a valid index.",
        _valid(lambda found, table: found and table.primary_key is not None),
    ),
    WrongProducer(
        "feed-keys-are-unique-keys",
        "changefeed.table.eligible",
        "It takes no primary key for a valid index.",
        _valid(lambda found, table: found and table.primary_key is None),
    ),
    WrongProducer(
        "feed-keys-may-be-null",
        "changefeed.table.eligible",
        "It takes a unique key over columns that may be NULL for a valid index.",
        _valid(lambda found, table: found or _has_unique(table, virtual=False)),
    ),
    WrongProducer(
        "feed-keys-may-be-virtual",
        "changefeed.table.eligible",
        "It takes a unique key over virtual columns for a valid index.",
        _valid(lambda found, table: found or _has_unique(table, virtual=True)),
    ),
    WrongProducer(
        "feed-sends-tables-without-index",
        "changefeed.table.ineligible",
        "It replicates tables without a valid index.",
        returns(ELIGIBLE, value=True),
    ),
    WrongProducer(
        "feed-sends-rows-without-index",
        "changefeed.table.ineligible",
        "It sends the rows of tables without a valid index.",
        patch(f"{PULLER_CLASS}.replicates", _rows_in),
        also="changefeed.ddl.makes-eligible",
    ),
    WrongProducer(
        "feed-sends-ddl-without-index",
        "changefeed.table.ineligible",
        "It sends the DDL of tables without a valid index.",
        judged(lambda _, found: REPLICATE if "no valid index" in found.reason else found),
        also="changefeed.ddl.both-sides",
    ),
    WrongProducer(
        "feed-ddl-not-forced",
        "changefeed.table.force-replicate",
        "It sends no DDL of tables without a valid index under `force-replicate`.",
        judged(lambda job, found: LEFT_OUT if found.sent and _bare(job.after) else found),
    ),
    WrongProducer(
        "feed-rows-not-forced",
        "changefeed.table.force-replicate",
        "It sends no rows of tables without a valid index under `force-replicate`.",
        _rows_out(keyless),
    ),
    WrongProducer(
        "feed-first-index-left-out",
        "changefeed.ddl.makes-eligible",
        "It does not send the DDL that gives a table its first valid index.",
        judged(lambda job, decision: _index_added(job, decision, LEFT_OUT)),
        also="changefeed.ddl.both-sides",
        protocols=("open",),
    ),
    WrongProducer(
        "feed-first-index-unseen",
        "changefeed.ddl.makes-eligible",
        "It sends no rows of a table that was made without a valid index.",
        patch(f"{PULLER_CLASS}._apply", _without_following),
    ),
    WrongProducer(
        "feed-last-index-left-out",
        "changefeed.ddl.last-index",
        "It leaves a DDL out that takes a table's last valid index, as the page says.",
        _stops(LEFT_OUT),
    ),
    WrongProducer(
        "feed-last-index-sent",
        "changefeed.ddl.last-index",
        "It sends a DDL that takes a table's last valid index.",
        _stops(REPLICATE),
    ),
    WrongProducer(
        "feed-every-index-sent",
        "changefeed.ddl.index-not-enough",
        "It sends an index that makes no table eligible, as the page says.",
        judged(_index_sent),
    ),
    WrongProducer(
        "feed-index-not-enough-stops",
        "changefeed.ddl.index-not-enough",
        "It stops at an index that makes no table eligible.",
        judged(
            lambda job, decision: (
                STOPPED if job.action in _INDEXES and keyless(job.after) else decision
            )
        ),
    ),
    WrongProducer(
        "feed-ddl-by-the-table-before",
        "changefeed.ddl.both-sides",
        "It judges a DDL by the table before it.",
        _by_side(after=False),
    ),
    WrongProducer(
        "feed-ddl-by-the-table-after",
        "changefeed.ddl.both-sides",
        "It judges a DDL by the table after it, and never stops.",
        _by_side(after=True),
    ),
    WrongProducer(
        "feed-ddl-without-resolved-event",
        "changefeed.ddl.checkpoint-follows",
        "It sends no resolved event after a DDL.",
        emitted(_unmarked),
    ),
    WrongProducer(
        "feed-ddl-not-resolved-yet",
        "changefeed.ddl.checkpoint-follows",
        "It sends a resolved event below the commit ts after a DDL.",
        emitted(_marked_below),
    ),
    WrongProducer(
        "feed-resolved-beyond-its-ddl",
        "changefeed.ddl.checkpoint-follows",
        "It sends a resolved event above the commit ts of a DDL before it.",
        emitted(_resolved_first),
        also="open.resolved.per-partition",
        protocols=("open",),
    ),
)

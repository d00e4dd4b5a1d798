"""DDL events: type codes, statements, names, and where they go."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from harness.ddl import ActionType
from harness.ddl.alter.specification import PlainSpecification, Specification
from harness.ddl.change import Change
from harness.ddl.sql.tree import TableRef
from harness.model.source_events import DdlEvent, RowEvent, SourceEvent
from harness.mutants.producers.changefeed.edits import ddl, emitted, settings
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.open.edits import DDL, Json, events, renamed
from harness.mutants.producers.patch import Patch, instead, patch
from harness.protocols.clauses import CLAUSES
from harness.sources.tidb.changefeed import DEFAULT_TOPIC
from harness.spec import Level

# The names behind the point of a statement's tables.
_DROPPED = re.compile(r"\.`?(\w+)")
_TTL_OFF = " /*T![ttl] TTL_ENABLE = 'OFF' */"
# A number that no event of a scenario has.
_OWN_EVENT = 1 << 20
DROPS = (ActionType.DROP_TABLE, ActionType.DROP_VIEW)
CHARSET = ActionType.MODIFY_TABLE_CHARSET_AND_COLLATE
OPTIONS = (ActionType.MODIFY_TABLE_COMMENT, ActionType.REBASE_AUTO_ID)


def _code(action: ActionType, instead: ActionType) -> Patch:
    def changed(_: Json, value: Json) -> None:
        if value.get("t") == action:
            value["t"] = int(instead)

    return events(DDL, changed)


def _next(action: ActionType) -> ActionType:
    """Return the type of the next higher code, that of the lowest after the highest."""
    return min((each for each in ActionType if each > action), default=min(ActionType))


def _codes() -> tuple[WrongProducer, ...]:
    """Return, for each type of DDL that has a clause, one that gives another code."""
    return tuple(
        WrongProducer(
            f"open-ddl-code-of-{words}",
            clause,
            f"It gives `{action.display_name}` the DDL type code of `{other.display_name}`.",
            _code(action, other),
        )
        for action in ActionType
        for other in [_next(action)]
        for words in [action.name.lower().replace("_", "-")]
        for clause in [f"open.ddl.type.{words}"]
        if clause in CLAUSES and CLAUSES[clause].level is Level.MUST
    )


def _query(change: str, by: str) -> Patch:
    return events(DDL, lambda _, value: value.update(q=re.sub(change, by, value["q"])))


def _another_schema(key: Json, value: Json) -> None:
    schema, table = key.get("scm"), key.get("tbl")
    if table and f"{schema}.{table}" not in value["q"].replace("`", ""):
        key["scm"] = "other"


def _partitioned_name(event: DdlEvent) -> Iterable[SourceEvent]:
    if event.exchanged is None or event.before is None:
        return (event,)
    name = event.before.table.id
    return (replace(event, schema=name.schema, table=name.name),)


def _partitioned_schema(event: DdlEvent) -> Iterable[SourceEvent]:
    if event.exchanged is None or event.before is None:
        return (event,)
    return (replace(event, schema=event.before.table.id.schema),)


def _old_names(event: DdlEvent) -> Iterable[SourceEvent]:
    before = event.before
    if before is None:
        return (event,)
    return (replace(event, schema=before.table.id.schema, table=before.table.id.name),)


def _first_of_ts(events_: Sequence[SourceEvent]) -> Iterable[SourceEvent]:
    """Yield the events with the first DDL event of each ts alone."""
    seen: set[int] = set()
    for event in events_:
        if isinstance(event, DdlEvent):
            if event.commit_ts in seen:
                continue
            seen.add(event.commit_ts)
        yield event


def _several_ts(events_: Sequence[SourceEvent]) -> Iterable[SourceEvent]:
    """Yield the events with a ts of its own for each DDL event of one statement."""
    seen: set[int] = set()
    for event in events_:
        if isinstance(event, DdlEvent):
            ts = event.commit_ts
            while ts in seen:
                ts -= 1
            seen.add(ts)
            yield event if ts == event.commit_ts else replace(event, commit_ts=ts)
        else:
            yield event


def _one_drop(events_: Sequence[SourceEvent]) -> Iterable[SourceEvent]:
    """Yield the events with the first DROP of each statement alone."""
    seen: set[int] = set()
    for event in events_:
        if isinstance(event, DdlEvent) and event.type in DROPS:
            if event.origin.step in seen:
                continue
            seen.add(event.origin.step)
        yield event


def _drops_at_one_ts(events_: Sequence[SourceEvent]) -> Iterable[SourceEvent]:
    """Yield the events with the drops of one statement at the ts of the first."""
    ts: dict[int, int] = {}
    for event in events_:
        if isinstance(event, DdlEvent) and event.type in DROPS:
            yield replace(event, commit_ts=ts.setdefault(event.origin.step, event.commit_ts))
        else:
            yield event


def _drops_left_out_too(events_: Sequence[SourceEvent]) -> Iterable[SourceEvent]:
    """Yield the events with a DROP of each table that a statement names and nothing was sent of."""
    sent = {(e.origin.step, e.table) for e in events_ if isinstance(e, DdlEvent)}
    for event in events_:
        yield event
        if isinstance(event, DdlEvent) and event.type == ActionType.DROP_TABLE:
            for name in _DROPPED.findall(event.source):
                if (event.origin.step, name) not in sent:
                    query = event.query.replace(f"`{event.table}`", f"`{name}`")
                    ts, origin = event.commit_ts + 1, replace(event.origin, event=_OWN_EVENT)
                    yield replace(event, table=name, query=query, commit_ts=ts, origin=origin)


def _before_rows(events_: Sequence[SourceEvent]) -> Iterable[SourceEvent]:
    """Return the events with each DDL event before a row that was committed earlier."""
    given = [*events_]
    for at in range(1, len(given)):
        if isinstance(given[at], DdlEvent) and isinstance(given[at - 1], RowEvent):
            given[at - 1], given[at] = given[at], given[at - 1]
    return given


def _per_part(event: DdlEvent) -> Iterable[SourceEvent]:
    if event.type != ActionType.MULTI_SCHEMA_CHANGE:
        return (event,)
    return (replace(event, type=int(ActionType.MODIFY_COLUMN), action="modify_column"),)


def _as_one(event: DdlEvent) -> Iterable[SourceEvent]:
    """Yield an ADD COLUMN of several columns with its own type."""
    if event.type != ActionType.MULTI_SCHEMA_CHANGE or "ADD COLUMN (" not in event.query:
        return (event,)
    return (replace(event, type=int(ActionType.ADD_COLUMN), action="add_column"),)


def _counting(change: Callable[[Specification], bool]) -> Patch:
    """Return the patch that counts a specification as one, where `change` says so."""

    def changed(original: Callable[..., tuple[Specification, ...]]) -> Callable[..., object]:
        return lambda spec: (spec,) if change(spec) else original(spec)

    return patch("harness.ddl.alter.table:_counted", changed)


def _said(word: str, spec: Specification) -> bool:
    return isinstance(spec, PlainSpecification) and spec.text.startswith(word)


def _again(*words: str) -> Patch:
    """Return the patch that sends an event twice whose statement has all of these words."""

    def changed(event: DdlEvent) -> Iterable[SourceEvent]:
        alone = event.type in (*OPTIONS, ActionType.ALTER_TTL_INFO)
        return (event, event) if alone and all(word in event.query for word in words) else (event,)

    return ddl(changed)


def _off_where_said(event: DdlEvent) -> Iterable[SourceEvent]:
    """Yield a DDL event with TTL_ENABLE only where its statement says that."""
    if "TTL_ENABLE" in event.source:
        return (event,)
    return (replace(event, query=event.query.replace(_TTL_OFF, "")),)


def _commented_anew(original: Callable[[str], str]) -> Callable[[str], str]:
    """Return what puts options into comments, whatever comments are there."""
    return lambda query: original(query.replace("/*T!", "/*T\0")).replace("/*T\0", "/*T!")


def _part_by_part(original: Callable[..., None]) -> Callable[..., None]:
    """Return what runs a job of its own for each specification of an ALTER TABLE."""

    def apply(change: Change, ref: TableRef, written: Sequence[Specification], query: str) -> None:
        for spec in written:
            original(change, ref, (spec,), query)

    return apply


def _options_at_once(events_: Sequence[SourceEvent]) -> Iterable[SourceEvent]:
    """Yield the events with one of type 61 for a statement that sets several options."""
    options = [e for e in events_ if isinstance(e, DdlEvent) and e.type in OPTIONS]
    last = {event.origin.step: event for event in options}
    several = {step for step, count in Counter(e.origin.step for e in options).items() if count > 1}
    for event in events_:
        if event not in options or event.origin.step not in several:
            yield event
        elif event is last[event.origin.step]:
            action = ActionType.MULTI_SCHEMA_CHANGE
            yield replace(event, type=int(action), action=action.display_name.replace(" ", "_"))


def _elsewhere(event: DdlEvent) -> Iterable[SourceEvent]:
    return (replace(event, topic="ticdc-ddl"),)


ROWS: tuple[WrongProducer, ...] = (
    *_codes(),
    WrongProducer(
        "open-ddl-without-query",
        "open.ddl.query",
        "It leaves `q` out.",
        events(DDL, lambda _, value: value.pop("q")),
    ),
    WrongProducer(
        "open-ddl-renames-query",
        "open.ddl.query",
        "It sends the statement under `query`.",
        events(DDL, lambda _, value: renamed(value, "q", "query")),
    ),
    WrongProducer(
        "open-ddl-without-type",
        "open.ddl.type",
        "It leaves the type of a DDL event out.",
        events(DDL, lambda _, value: value.pop("t")),
    ),
    WrongProducer(
        "open-ddl-renames-type",
        "open.ddl.type",
        "It sends the type of a DDL event under `type`.",
        events(DDL, lambda _, value: renamed(value, "t", "type")),
    ),
    WrongProducer(
        "open-ddl-type-as-text",
        "open.ddl.type-number",
        "It writes the type of a DDL event as text.",
        events(DDL, lambda _, value: value.update(t=str(value["t"]))),
    ),
    WrongProducer(
        "open-ddl-user-text",
        "open.ddl.restored-query",
        "It sends the user's text instead of the restored one.",
        ddl(lambda event: (replace(event, query=event.source),)),
    ),
    WrongProducer(
        "open-404-no-feature-comments",
        "open.ddl.user-text",
        "It puts no comments around TiDB's own options in 4.0.4.",
        instead("harness.sources.tidb.simulator:with_feature_comments", str),
    ),
    WrongProducer(
        "open-404-comments-anew",
        "open.ddl.user-text",
        "It puts options into comments in 4.0.4 where the statement has such a comment already.",
        patch("harness.sources.tidb.simulator:with_feature_comments", _commented_anew),
    ),
    WrongProducer(
        "open-ddl-of-another-schema",
        "open.ddl.current-schema",
        "It gives another database in `scm` where `q` names the table without one.",
        events(DDL, _another_schema),
    ),
    WrongProducer(
        "open-rename-by-old-names",
        "open.ddl.rename-names",
        "It gives the old names in a rename's key.",
        ddl(_old_names),
    ),
    WrongProducer(
        "open-new-exchange-by-the-partitioned",
        "open.new.exchange-name",
        "It names the table with partitions in the key of an EXCHANGE PARTITION.",
        ddl(_partitioned_name),
    ),
    WrongProducer(
        "open-new-exchange-in-the-database-of-the-partitioned",
        "open.new.exchange-name",
        "It names the database of the table with partitions in the key of an EXCHANGE PARTITION.",
        ddl(_partitioned_schema),
    ),
    WrongProducer(
        "open-new-rename-as-it-was-written",
        "open.new.rename-text",
        "It sends the restored text of a rename in the newer architecture too.",
        settings(lambda _: {"newer": False}),
    ),
    WrongProducer(
        "open-renames-as-one-event",
        "open.ddl.rename-names",
        "It sends one event for a statement that renames several tables.",
        emitted(_first_of_ts),
    ),
    WrongProducer(
        "open-renames-at-several-ts",
        "open.ddl.rename-names",
        "It gives each rename of one statement a ts of its own.",
        emitted(_several_ts),
    ),
    WrongProducer(
        "open-drops-as-one-event",
        "open.ddl.drop-names",
        "It sends one event for a statement that drops several tables.",
        emitted(_one_drop),
    ),
    WrongProducer(
        "open-drops-at-one-ts",
        "open.ddl.drop-names",
        "It gives the drops of one statement the same ts.",
        emitted(_drops_at_one_ts),
    ),
    WrongProducer(
        "open-drops-of-what-is-left-out",
        "open.ddl.drop-names",
        "It also sends an event for a dropped table that the filter leaves out.",
        emitted(_drops_left_out_too),
    ),
    WrongProducer(
        "open-ddl-before-its-rows",
        "open.ddl.after-success",
        "It sends a DDL event before a row that was committed before the statement ran.",
        emitted(_before_rows),
    ),
    WrongProducer(
        "open-ddl-to-one-partition",
        "open.ddl.broadcast",
        "It sends a DDL event to the partition 0 alone.",
        ddl(lambda event: (replace(event, partitions=1),)),
    ),
    WrongProducer(
        "open-ddl-to-another-topic",
        "open.ddl.topic-broadcast",
        "It sends DDL events to a topic of their own.",
        ddl(_elsewhere),
    ),
    WrongProducer(
        "open-ddl-to-another-topic-too",
        "open.ddl.topic-broadcast",
        "It sends DDL events to the default topic as well.",
        ddl(lambda event: (event, replace(event, topic=DEFAULT_TOPIC))),
    ),
    WrongProducer(
        "open-ddl-to-one-partition-of-the-topic",
        "open.ddl.topic-broadcast",
        "It sends a DDL event to one partition of its table's topic.",
        ddl(lambda event: (replace(event, partitions=1),)),
    ),
    WrongProducer(
        "open-ddl-feature-in-plain",
        "open.ddl.feature-comments",
        "It writes TiDB's own options without a comment around them.",
        _query(r"/\*T!(?:\[[a-z_]+\])? (.*?) \*/", r"\1"),
    ),
    *(
        WrongProducer(
            f"open-ddl-{words}-in-plain",
            "open.ddl.feature-comments",
            f"It writes {shown} without a comment around it.",
            _query(rf"/\*T!\[{feature}\] (.*?) \*/", r"\1"),
        )
        for words, shown, feature in (
            ("auto-id-cache", "AUTO_ID_CACHE of a table", "auto_id_cache"),
            ("auto-random", "AUTO_RANDOM of a column", "auto_rand"),
            ("clustering", "CLUSTERED of a key", "clustered_index"),
        )
    ),
    WrongProducer(
        "open-ddl-feature-left-out",
        "open.ddl.feature-comments",
        "It leaves TiDB's own options out.",
        _query(r" /\*T!.*?\*/", ""),
    ),
    WrongProducer(
        "open-ddl-statistics-in-a-comment",
        "open.ddl.feature-comments",
        "It puts STATS_BUCKETS into a comment.",
        _query(r"STATS_BUCKETS = \d+", r"/*T! \g<0> */"),
    ),
    WrongProducer(
        "open-ddl-placement-kept",
        "open.ddl.feature-comments",
        "It sends what a statement says of placement.",
        _query(r"(AUTO_ID_CACHE = \d+ \*/)", r"\1 /*T![placement] PLACEMENT POLICY = `near` */"),
    ),
    WrongProducer(
        "open-ddl-ttl-on",
        "open.ddl.ttl-off",
        "It leaves TTL jobs switched on.",
        _query(r"TTL_ENABLE = 'OFF'", "TTL_ENABLE = 'ON'"),
    ),
    WrongProducer(
        "open-ddl-ttl-off-only-where-said",
        "open.ddl.ttl-off",
        "It switches off the jobs of no TTL whose statement does not say TTL_ENABLE.",
        ddl(_off_where_said),
    ),
    WrongProducer(
        "open-ddl-ttl-enable-kept",
        "open.ddl.ttl-off",
        "It sends a TTL_ENABLE that stands without a TTL.",
        _query(r"^(ALTER TABLE `shop`.`keyed`)$", r"\1 /*T![ttl] TTL_ENABLE = 'ON' */"),
    ),
    WrongProducer(
        "open-ddl-parts-of-one-type",
        "open.ddl.multi-statement",
        "It gives an ALTER TABLE of several specifications the type of one of them.",
        ddl(_per_part),
    ),
    WrongProducer(
        "open-ddl-parts-as-events",
        "open.ddl.multi-statement",
        "It sends an event of its own type for each specification of an ALTER TABLE.",
        patch("harness.ddl.alter.table:apply_specifications", _part_by_part),
    ),
    *(
        WrongProducer(
            f"open-ddl-{word.lower()}-counted",
            "open.ddl.multi-statement",
            f"It counts {word} as a specification.",
            _counting(partial(_said, word)),
        )
        for word in ("ALGORITHM", "LOCK")
    ),
    WrongProducer(
        "open-ddl-added-columns-as-one",
        "open.ddl.multi-statement",
        "It counts the columns of one ADD COLUMN as one specification.",
        ddl(_as_one),
    ),
    WrongProducer(
        "open-ddl-event-for-engine",
        "open.ddl.multi-option",
        "It sends one event more for ENGINE.",
        _again("ENGINE ="),
    ),
    WrongProducer(
        "open-ddl-event-for-row-format",
        "open.ddl.multi-option",
        "It sends one event more for ROW_FORMAT.",
        _again("ROW_FORMAT ="),
    ),
    WrongProducer(
        "open-ddl-ttl-options-apart",
        "open.ddl.multi-option",
        "It sends an event for a TTL, and one more for what else is said of it.",
        _again("TTL =", "TTL_JOB_INTERVAL ="),
    ),
    WrongProducer(
        "open-ddl-options-as-one-event",
        "open.ddl.multi-option",
        "It sends one event of type 61 for a specification of several options.",
        emitted(_options_at_once),
    ),
    WrongProducer(
        "open-ddl-charset-and-collation-apart",
        "open.ddl.multi-option",
        "It sends an event for a character set, and one more for its collation.",
        ddl(lambda event: (event, event) if event.type == CHARSET else (event,)),
    ),
)

"""A changefeed's settings as TiCDC names them, read from plain data.

Only what changes the stream before encoding is here: filters, routing, and what is replicated at
all. The encoder's own settings are the protocol's business. Keys are those of a changefeed file,
joined by dots; defaults are TiCDC's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import partial
from typing import TypeVar

from harness.model.settings import Settings, numbers, tables, texts
from harness.model.table import TableId
from harness.sources.tidb.change_filter import EVERY_TABLE, ChangeFilter
from harness.sources.tidb.dispatcher import PARTITION_RULES, Dispatcher, dispatcher
from harness.sources.tidb.document_rules import DocumentRules
from harness.sources.tidb.eligibility import CodeRules, DdlRules, NewerRules
from harness.sources.tidb.event_filter import EventRule, event_rule
from harness.sources.tidb.refusal import ChangefeedError, unknown
from harness.sources.tidb.server_zone import TIME_ZONE, server_zone
from harness.sources.tidb.table_filter import parse_rules
from harness.sources.tidb.topic import check_name, topic_of
from harness.sources.tidb.value_filter import KEYS as VALUE_KEYS
from harness.sources.tidb.value_filter import ValueFilter, value_filter

__all__ = [
    "DDL_RULES",
    "DEFAULT_TOPIC",
    "PARTITION_RULES",
    "Changefeed",
    "Dispatcher",
    "changefeed",
]

DEFAULT_TOPIC = "ticdc"
# What decides about DDL: TiCDC's code, or the table of its document.
DDL_RULES: Mapping[str, type[CodeRules | DocumentRules]] = {
    "code": CodeRules,
    "document": DocumentRules,
}
# Dialects of releases that refuse a fixed topic for Avro (before v6.5.7, v7.1.4 and v7.4.0).
_PLACEHOLDERS_ONLY = frozenset({"6"})
# Dialects of releases that split no update (v6.5.0 cdc/processor/sinkmanager/table_sink_wrapper.go
# `convertRowChangedEvents`, with old values, as is the default).
_SPLITTING_NONE = frozenset({"6"})
# Dialects of releases that send no generated column (v4.0.4 cdc/entry/mounter.go:367, :407).
_WITHOUT_GENERATED = frozenset({"4.0.4"})
# Dialects of the newer architecture (pingcap/ticdc). It takes the quotes off a partition's name
# before it writes it anew, and routes EXCHANGE PARTITION by the table that has partitions
# (logservice/schemastore, `buildPersistedDDLEventForExchangePartition`); NULL is no part of a hash
# of values (downstreamadapter/sink/eventrouter/partition).
_NEWER = frozenset({"newarch"})
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Changefeed:
    """What one changefeed does between the database and the encoder.

    `raw_changes` leaves updates of unique keys as they are; `bdr_mode` sends only DDL of a primary
    cluster, which a scenario's is not. In `zone` the server prints TIMESTAMPs, None for UTC.
    `stored` says whether stored generated columns are sent: up to v4.0.4 no generated one was.
    `requotes` says whether EXCHANGE PARTITION quotes a name that is quoted already; `newer` that
    the changefeed is one of the newer architecture.
    """

    partitions: int
    topic: str = DEFAULT_TOPIC
    dispatchers: tuple[Dispatcher, ...] = ()
    force_replicate: bool = False
    filters: ChangeFilter = field(default_factory=ChangeFilter)
    raw_changes: bool = False
    bdr_mode: bool = False
    ddl_rules: str = "code"
    zone: tzinfo | None = None
    stored: bool = True
    requotes: bool = True
    newer: bool = False

    @property
    def splits_first(self) -> bool:
        """Return whether updates of unique keys are split before value expressions see them."""
        return self.newer and not self.raw_changes

    def rule(self, table: TableId) -> Dispatcher | None:
        """Return the first dispatcher that covers the table, or None for the default."""
        return next((rule for rule in self.dispatchers if rule.matches(table)), None)

    def topic_for(self, table: TableId) -> str:
        """Return the topic of a table's rows; a schema's events go to the default topic."""
        rule = self.rule(table) if table.name else None
        return self.topic if rule is None else topic_of(rule.topic, table, self.topic)

    def rules(self) -> DdlRules:
        """Return what decides about the DDL of covered tables."""
        rules = DDL_RULES[self.ddl_rules]
        if self.newer and rules is CodeRules:
            rules = NewerRules
        return rules(self.force_replicate)


def changefeed(
    settings: Settings, partitions: int, protocol: str = "open", dialect: str = "current"
) -> Changefeed:
    """Read filters and routing; ChangefeedError, with its place, for what TiCDC refuses."""
    case_sensitive = bool(settings.get("case-sensitive", False))
    word = str(settings.get("ddl-rules", "code"))
    if word not in DDL_RULES:
        raise unknown("set of DDL rules", word, DDL_RULES, ("ddl-rules",))

    def read(rule: Settings) -> Dispatcher:
        found = dispatcher(
            rule,
            avro=protocol == "avro",
            fixed_topics=dialect not in _PLACEHOLDERS_ONLY,
            case_sensitive=case_sensitive,
        )
        check_name(found.topic)
        return found

    return Changefeed(
        partitions=partitions,
        dispatchers=tuple(_each(settings, "sink.dispatchers", read)),
        force_replicate=bool(settings.get("force-replicate", False)),
        filters=_filters(settings, case_sensitive=case_sensitive, newer=dialect in _NEWER),
        raw_changes=dialect in _SPLITTING_NONE
        or bool(settings.get("sink.kafka-config.output-raw-change-event", False)),
        bdr_mode=bool(settings.get("bdr-mode", False)),
        ddl_rules=word,
        zone=server_zone(settings.get(TIME_ZONE, "UTC")),
        stored=dialect not in _WITHOUT_GENERATED,
        requotes=dialect not in _NEWER,
        newer=dialect in _NEWER,
    )


def _filters(settings: Settings, *, case_sensitive: bool, newer: bool) -> ChangeFilter:
    # No rules at all mean every table; a list of empty rules means none.
    rules = texts(settings.get("filter.rules")) or EVERY_TABLE
    try:
        covered = parse_rules(rules, case_sensitive=case_sensitive)
    except ChangefeedError as refusal:
        raise refusal.under("filter.rules") from None
    read = list(_each(settings, "filter.event-filters", partial(_event_filter, newer=newer)))
    if newer and not case_sensitive:
        read = [half for rule, values in read for half in _halves(rule, values)]
    return ChangeFilter(
        tables=covered,
        events=tuple(rule for rule, _ in read),
        values=tuple(values for _, values in read),
        ignored_start_ts=frozenset(numbers(settings.get("filter.ignore-txn-start-ts"))),
    )


def _event_filter(rule: Settings, *, newer: bool) -> tuple[EventRule, ValueFilter]:
    return (
        event_rule(
            texts(rule.get("matcher")),
            texts(rule.get("ignore-event")),
            texts(rule.get("ignore-sql")),
        ),
        value_filter({key: str(rule[key]) for key in VALUE_KEYS if rule.get(key)}, newer=newer),
    )


def _halves(rule: EventRule, values: ValueFilter) -> tuple[tuple[EventRule, ValueFilter], ...]:
    """Return a rule's names and texts without regard to case, and its expressions with it.

    So the newer architecture matches tables: ticdc b813e76 pkg/filter/sql_event_filter.go,
    `newSQLEventFilterRule`, and expr_filter.go, `newExprFilterRule`.
    """
    folded = replace(rule, matcher=rule.matcher.folded())
    return (folded, ValueFilter({})), (EventRule(rule.matcher), values)


def _each(settings: Settings, name: str, read: Callable[[Settings], _T]) -> Iterator[_T]:
    """Yield what each rule of a list is read as; a refusal says which rule."""
    for number, rule in enumerate(tables(settings.get(name))):
        try:
            yield read(rule)
        except ChangefeedError as refusal:
            raise refusal.under(name, number) from None

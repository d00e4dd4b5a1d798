"""Dispatchers: the topic and the partition of a table's events."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from harness.errors import SourceStopped
from harness.model.change import Op
from harness.model.source_events import DdlEvent, SourceEvent, SourceTable
from harness.model.table import TableId
from harness.mutants.producers.changefeed.edits import ddl, settings
from harness.mutants.producers.changefeed.hashes import PLACING, numbered
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, patch, result
from harness.sources.tidb.changefeed import DEFAULT_TOPIC, Changefeed
from harness.sources.tidb.dispatch import Placing
from harness.sources.tidb.dispatcher import Dispatcher

TOPIC: Final = "harness.sources.tidb.topic"


def _rules(change: Callable[[Dispatcher], Dispatcher]) -> Patch:
    """Return the patch that changes each dispatcher."""
    return settings(lambda feed: {"dispatchers": tuple(map(change, feed.dispatchers))})


def _kind(of: Sequence[str], kind: str) -> Patch:
    """Return the patch by which partition rules are read as another one."""
    return _rules(
        lambda rule: (
            replace(rule, partition=kind, columns=(), index="") if rule.partition in of else rule
        )
    )


def _without_rule(kind: str) -> Patch:
    """Return the patch by which tables without a partition rule have another one."""
    every = Dispatcher(("*.*",), kind)

    def changed(feed: Changefeed) -> dict[str, object]:
        ruled = (
            replace(rule, partition=kind) if rule.partition == "default" else rule
            for rule in feed.dispatchers
        )
        return {"dispatchers": (*ruled, every)}

    return settings(changed)


def first_of_handle(original: Callable[..., None]) -> Callable[..., None]:
    """Return an `__init__` that hashes the first column of a handle alone."""

    def made(placing: Any, rule: Dispatcher | None, *given: object, **named: object) -> None:  # noqa: ANN401
        original(placing, rule, *given, **named)
        if rule is not None and rule.partition in ("index-value", "rowid") and not rule.index:
            placing._columns = placing._columns[:1]  # noqa: SLF001

    return made


def _old_images(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `made` that places updates by the row before."""

    def made(maker: Any, changes: Sequence[Any], of: Any, numbers: Iterator[int]) -> Any:  # noqa: ANN401
        found = original(maker, changes, of, numbers)
        place, count = maker._place(), maker._partitions  # noqa: SLF001
        return [
            replace(row, partition=place.partition(row.before, row.commit_ts, count))
            if row.op is Op.UPDATE
            else row
            for row in found
        ]

    return made


def _deletes_without_values(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `made` that places deletes by the hash of the table alone."""

    def made(maker: Any, changes: Sequence[Any], of: Any, numbers: Iterator[int]) -> Any:  # noqa: ANN401
        digest, count = maker._place()._digest, maker._partitions  # noqa: SLF001
        return [
            replace(row, partition=digest % count) if row.op is Op.DELETE else row
            for row in original(maker, changes, of, numbers)
        ]

    return made


def _default_instead(key: str) -> Patch:
    """Return the patch that falls back to the table where what a rule's key names is missing."""

    def changed(original: Callable[..., None]) -> Callable[..., None]:
        def made(placing: Placing, rule: object, table: SourceTable, *, newer: bool) -> None:
            try:
                original(placing, rule, table, newer=newer)
            except SourceStopped:
                if not getattr(rule, key, None):
                    raise
                original(placing, None, table, newer=newer)

        return made

    return patch(f"{PLACING}.__init__", changed)


def _virtual_counted(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `_listed_ordinals` that counts virtual columns in rows as well."""
    return lambda table, names, *, counts_all: original(table, names, counts_all=True)  # noqa: ARG005


def _as_a_table(original: Callable[..., str]) -> Callable[..., str]:
    """Return a `topic_for` by which a database is dispatched as its tables are."""

    def topic(feed: Changefeed, table: TableId) -> str:
        return original(feed, table if table.name else TableId(table.schema, "all"))

    return topic


def _handle_for_index(rule: Dispatcher) -> Dispatcher:
    return replace(rule, index="")


def _by_new_name(event: DdlEvent) -> Iterable[SourceEvent]:
    """Yield a rename in the topic of its new name."""
    if event.action != "rename_table" or event.before is None:
        return (event,)
    old = event.before.table.id
    return (replace(event, topic=event.topic.replace(old.name, event.table)),)


def _by_partitioned(event: DdlEvent) -> Iterable[SourceEvent]:
    """Yield an EXCHANGE PARTITION in the topic of the partitioned table."""
    if event.exchanged is None:
        return (event,)
    other = event.exchanged[0].table.id.name
    return (replace(event, topic=event.topic.replace(other, event.table)),)


def _by_plain(event: DdlEvent) -> Iterable[SourceEvent]:
    """Yield an EXCHANGE PARTITION in the topic of the table without partitions."""
    if event.exchanged is None or event.before is None:
        return (event,)
    plain = event.exchanged[0].table.id.name
    return (replace(event, topic=event.topic.replace(event.before.table.id.name, plain)),)


def _named_in_topics(change: Callable[[TableId], TableId]) -> Patch:
    """Return the patch that gives a table another name in topics."""

    def changed(original: Callable[..., str]) -> Callable[..., str]:
        return lambda rule, table, default: original(rule, change(table), default)

    return patch(f"{TOPIC}:topic_of", changed)


def _table_topic(original: Callable[..., str]) -> Callable[..., str]:
    """Return a `topic_of` that writes placeholders in each other's place."""

    def topic(rule: str, table: TableId, default: str) -> str:
        return original(rule, TableId(table.name, table.schema), default)

    return topic


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "feed-default-topic-by-table",
        "changefeed.topic.default",
        "It sends tables whose dispatchers name no topic to another than that of the address.",
        result(
            f"{TOPIC}:topic_of",
            lambda topic: "other" if topic == "ticdc" else topic,
        ),
    ),
    WrongProducer(
        "feed-no-topic-rule-another-topic",
        "changefeed.topic.default",
        "It sends tables without a dispatcher to another topic than that of the sink's address.",
        settings(lambda _: {"topic": "other"}),
    ),
    WrongProducer(
        "feed-last-dispatcher-decides",
        "changefeed.topic.first-rule",
        "It lets the last dispatcher that matches a table decide.",
        settings(lambda feed: {"dispatchers": feed.dispatchers[::-1]}),
    ),
    WrongProducer(
        "feed-topic-placeholders-exchanged",
        "changefeed.topic.placeholders",
        "It writes the table for `{schema}` and the schema for `{table}`.",
        patch(f"{TOPIC}:topic_of", _table_topic),
    ),
    WrongProducer(
        "feed-topic-without-schema",
        "changefeed.topic.placeholders",
        "It leaves `{schema}` out of a topic.",
        _rules(lambda rule: replace(rule, topic=rule.topic.replace("{schema}", ""))),
    ),
    WrongProducer(
        "feed-topic-without-its-prefix",
        "changefeed.topic.placeholders",
        "It leaves the text before `{schema}` out of a topic.",
        _rules(
            lambda rule: (
                replace(rule, topic="{schema}" + rule.topic.partition("{schema}")[2])
                if "{schema}" in rule.topic
                else rule
            )
        ),
    ),
    WrongProducer(
        "feed-topic-without-table",
        "changefeed.topic.placeholders",
        "It leaves `{table}` out of a topic.",
        _rules(lambda rule: replace(rule, topic=rule.topic.replace("{table}", ""))),
    ),
    WrongProducer(
        "feed-topic-without-the-text-between",
        "changefeed.topic.placeholders",
        "It leaves the text between `{schema}` and `{table}` out of a topic.",
        _rules(lambda rule: replace(rule, topic=re.sub(r"\}.+\{", "}{", rule.topic))),
    ),
    WrongProducer(
        "feed-topic-without-its-suffix",
        "changefeed.topic.placeholders",
        "It leaves the text behind `{table}` out of a topic.",
        _rules(lambda rule: replace(rule, topic=re.sub(r"(?<=\{table\}).+", "", rule.topic))),
    ),
    WrongProducer(
        "feed-database-ddl-by-the-rules",
        "changefeed.topic.ddl-of-database",
        "It sends the DDL event of a database to the topic that a rule gives to its tables.",
        patch("harness.sources.tidb.changefeed:Changefeed.topic_for", _as_a_table),
    ),
    WrongProducer(
        "feed-table-ddl-in-the-default-topic",
        "changefeed.topic.ddl-old-name",
        "It sends the DDL event of a table to the topic of the sink's address.",
        ddl(lambda event: (replace(event, topic=DEFAULT_TOPIC) if event.table else event,)),
    ),
    WrongProducer(
        "feed-rename-in-the-new-topic",
        "changefeed.topic.ddl-old-name",
        "It sends a rename to the topic of the new name.",
        ddl(_by_new_name),
    ),
    WrongProducer(
        "feed-exchange-in-its-own-topic",
        "changefeed.topic.ddl-old-name",
        "It sends EXCHANGE PARTITION to the topic of the partitioned table.",
        ddl(_by_partitioned),
    ),
    WrongProducer(
        "feed-exchange-anew-as-before",
        "changefeed.topic.exchange-anew",
        "It sends EXCHANGE PARTITION to the topic of the table without partitions.",
        ddl(_by_plain),
    ),
    *(
        WrongProducer(
            name,
            "changefeed.topic.sanitised",
            f"It writes `-` for what a topic may not have of a {of}.",
            _named_in_topics(change),
        )
        for name, of, change in (
            ("feed-topic-dashes", "table", lambda t: TableId(t.schema, _dashes(t.name))),
            ("feed-topic-dashes-first", "database", lambda t: TableId(_dashes(t.schema), t.name)),
        )
    ),
    WrongProducer(
        "feed-fixed-topic-by-table",
        "changefeed.topic.fixed",
        "It adds the table to a topic rule of legal characters only.",
        patch(
            f"{TOPIC}:topic_of",
            lambda original: (
                lambda rule, table, default: (
                    original(rule, table, default)
                    + (f"_{table.name}" if rule and "{" not in rule else "")
                )
            ),
        ),
    ),
    WrongProducer(
        "feed-default-is-index-value",
        "changefeed.partition.default",
        "It places rows by their handle without a partition rule.",
        _without_rule("index-value"),
    ),
    WrongProducer(
        "feed-default-rule-is-index-value",
        "changefeed.partition.default",
        "It places rows by their handle under `default`, by their table without a rule.",
        _kind(("default",), "index-value"),
    ),
    WrongProducer(
        "feed-default-is-ts",
        "changefeed.partition.default",
        "It places rows by their commit ts without a partition rule.",
        _without_rule("ts"),
    ),
    WrongProducer(
        "feed-table-is-index-value",
        "changefeed.partition.table",
        "It places rows by their handle under `table`.",
        _kind(("table",), "index-value"),
    ),
    *(
        WrongProducer(
            f"feed-{kind}-is-table",
            "changefeed.partition.index-value",
            f"It places rows by their table under `{kind}`.",
            _kind((kind,), "table"),
        )
        for kind in ("index-value", "rowid")
    ),
    WrongProducer(
        "feed-handle-of-its-first-column",
        "changefeed.partition.index-value",
        "It hashes the first column alone of the handle.",
        patch(f"{PLACING}.__init__", first_of_handle),
    ),
    WrongProducer(
        "feed-index-ignored",
        "changefeed.partition.named-index",
        "It places rows by their handle whatever `index` says.",
        _rules(_handle_for_index),
    ),
    WrongProducer(
        "feed-index-of-its-first-column",
        "changefeed.partition.named-index",
        "It hashes the first column alone of the index that `index` names.",
        result("harness.sources.tidb.dispatch:_index_ordinals", lambda found: found[:1]),
    ),
    WrongProducer(
        "feed-ts-is-table",
        "changefeed.partition.ts",
        "It places rows by their table under `ts`.",
        _kind(("ts",), "table"),
    ),
    WrongProducer(
        "feed-ts-is-start-ts",
        "changefeed.partition.ts",
        "It places rows under `ts` by the ts at which their transaction began.",
        numbered(lambda placing, _, __, found: found - placing._by_ts),  # noqa: SLF001
    ),
    WrongProducer(
        "feed-columns-is-index-value",
        "changefeed.partition.columns",
        "It places rows by their handle under `columns`.",
        _kind(("columns",), "index-value"),
    ),
    WrongProducer(
        "feed-columns-counted-without-virtual-ones",
        "changefeed.partition.columns",
        "It hashes the listed columns behind a virtual one in the older architecture too.",
        patch("harness.sources.tidb.dispatch:_listed_ordinals", _virtual_counted),
    ),
    WrongProducer(
        "feed-first-listed-column-alone",
        "changefeed.partition.columns",
        "It hashes the first of the listed columns alone.",
        _rules(lambda rule: replace(rule, columns=rule.columns[:1])),
    ),
    WrongProducer(
        "feed-updates-placed-by-old-values",
        "changefeed.partition.new-values",
        "It places an update by the row before.",
        patch("harness.sources.tidb.rows:TableRows.made", _old_images),
    ),
    WrongProducer(
        "feed-deletes-placed-by-their-table",
        "changefeed.partition.new-values",
        "It places a delete by its table, as if it had no values.",
        patch("harness.sources.tidb.rows:TableRows.made", _deletes_without_values),
    ),
    *(
        WrongProducer(
            f"feed-missing-{word}-is-default",
            "changefeed.partition.missing-column",
            f"It places rows by their table where a rule's {word} is missing.",
            _default_instead(key),
        )
        for word, key in (("column", "columns"), ("index", "index"))
    ),
)


def _dashes(name: str) -> str:
    return "".join(
        each if each.isascii() and (each.isalnum() or each in "._-") else "-" for each in name
    )

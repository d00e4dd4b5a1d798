"""Each rule of streams was seen to fail: a producer that breaks just its clause is noticed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import workspace
from harness.engine.plan.case import Plan
from harness.engine.plan.stream_problems import stream_of
from harness.model.record import Record
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES
from harness.spec.clause import Level
from harness.stream_rules.stream import Stream, broken, remembering
from harness.wire.framing import frame_keys, frame_values, unframe

Records = Sequence[Record]
Break = Callable[[Records], Records]
ROWS = {"insert", "update", "delete"}


def rows(records: Records) -> list[int]:
    """Return where the messages with rows stand, tombstones left out."""
    return [n for n, r in enumerate(records) if r.origins[0].kind in ROWS and r.value is not None]


def of_kind(records: Records, kind: str) -> list[int]:
    """Return where the messages of a kind stand."""
    return [number for number, record in enumerate(records) if record.origins[0].kind == kind]


def backwards(records: Records) -> Records:
    """Turn the row messages round."""
    out, places = list(records), rows(records)
    for here, there in zip(places, reversed(places), strict=True):
        out[here] = records[there]
    return out


def marks_first(records: Records) -> Records:
    """Send the last mark of each partition before everything."""
    marks = of_kind(records, "resolved")
    return [*(records[n] for n in marks[-1:]), *records]


def without(kind: str, partition: int) -> Break:
    """Leave out a partition's messages of a kind."""

    def change(records: Records) -> Records:
        gone = {n for n in of_kind(records, kind) if records[n].partition == partition}
        return [record for number, record in enumerate(records) if number not in gone]

    return change


def copied_elsewhere(records: Records) -> Records:
    """Send the last row message once more, to another partition."""
    last = records[rows(records)[-1]]
    return [*records, replace(last, partition=last.partition + 1)]


def a_long_one(records: Records) -> Records:
    """Send a row message that is longer than any may be."""
    last = rows(records)[-1]
    long = replace(records[last], value=(records[last].value or b"") + bytes(11 << 20))
    return [*records[:last], long, *records[last + 1 :]]


def a_row_of_another_topic(records: Records) -> Records:
    """Send the last row message to the topic of the first."""
    first, last = rows(records)[0], rows(records)[-1]
    moved = replace(records[last], topic=records[first].topic)
    return [*records[:last], moved, *records[last + 1 :]]


def a_topic_of_its_own(records: Records) -> Records:
    """Send the last row message to a topic that nobody has."""
    last = rows(records)[-1]
    return [*records[:last], replace(records[last], topic="other"), *records[last + 1 :]]


def once_more_as_new(records: Records) -> Records:
    """Encode a row's event a second time."""
    last = rows(records)[-1]
    origins = tuple(replace(o, event=o.event + 1000) for o in records[last].origins)
    return [*records[: last + 1], replace(records[last], origins=origins), *records[last + 1 :]]


def _pairs(record: Record) -> Sequence[tuple[bytes, bytes]]:
    return unframe(record.key or b"", record.value or b"")


def joined(first: str, kind: str) -> Break:
    """Put a message and the next of its partition and another kind into one."""

    def change(records: Records) -> Records:
        one = of_kind(records, first)[-1]
        two = next(n for n in of_kind(records, kind) if n > one)
        pairs = [p for r in (records[one], records[two]) for p in _pairs(r)]
        message = replace(
            records[one],
            key=frame_keys([key for key, _ in pairs]),
            value=frame_values([value for _, value in pairs]),
            origins=(*records[one].origins, *records[two].origins),
        )
        return [*records[:one], message, *records[one + 1 : two], *records[two + 1 :]]

    return change


def an_empty_one(records: Records) -> Records:
    """Send a message without any event in it."""
    return [*records, replace(records[-1], value=b"")]


def with_a_header(records: Records) -> Records:
    """Give the first message a header."""
    return [replace(records[0], headers=(("a", b"b"),)), *records[1:]]


def no_tombstones(records: Records) -> Records:
    """Leave out the tombstones."""
    return [record for record in records if record.value is not None]


def a_tombstone(records: Records) -> Records:
    """Send a tombstone behind the last row."""
    last = rows(records)[-1]
    return [*records[: last + 1], replace(records[last], value=None), *records[last + 1 :]]


def parted(records: Records) -> Records:
    """Send the first row message of a transaction behind the last of all."""
    first, last = rows(records)[0], rows(records)[-1]
    return [*records[:first], *records[first + 1 : last + 1], records[first], *records[last + 1 :]]


def without_the_last(kind: str) -> Break:
    """Leave out the last message of a kind."""

    def change(records: Records) -> Records:
        last = of_kind(records, kind)[-1]
        return [*records[:last], *records[last + 1 :]]

    return change


def dispatched(partition: str, **more: object) -> Mapping[str, Any]:
    """Return the settings with one dispatcher for all tables."""
    return {"sink.dispatchers": [{"matcher": ["*.*"], "partition": partition, **more}]}


# Clause of both protocols of TiCDC -> the settings under which it is in force.
HOMES: Mapping[str, Mapping[str, Any]] = {
    "changefeed.partition.default": dispatched("default"),
    "changefeed.partition.table": dispatched("table"),
    "changefeed.partition.index-value": dispatched("index-value"),
    "changefeed.partition.named-index": dispatched("index-value", index="by_code"),
    "changefeed.partition.ts": dispatched("ts"),
    "changefeed.partition.columns": dispatched("columns", columns=["id"]),
}
BY_INDEX = "routing.by-named-index[{},p1]"
# Protocol and clause -> a case of the catalogue, what breaks the clause in it, and settings.
BROKEN: Mapping[tuple[str, str], tuple[str, Break, Mapping[str, Any]]] = {
    **{
        (protocol, clause): (BY_INDEX.format(protocol), copied_elsewhere, settings)
        for protocol in ("open", "avro")
        for clause, settings in HOMES.items()
    },
    **{
        ("open", clause): (case, change, {})
        for clause, case, change in [
            ("open.order.per-table-ts", "keys.near-misses[open,p1]", backwards),
            ("open.txn.deletes-first", "keys.text-keys[open,p1]", backwards),
            ("open.txn.one-event-per-row", "ddl.views[open,p1]", once_more_as_new),
            ("open.resolved.complete", "types.year[open,4.0.4,p1]", marks_first),
            ("open.resolved.per-partition", "types.year[open,4.0.4,p1]", marks_first),
            ("open.resolved.inclusive", "ordering.mark-at-the-commit[open,p1]", marks_first),
            ("open.resolved.broadcast", "ddl.views[open,p2]", without("resolved", 1)),
            ("open.ddl.topic-broadcast", "ddl.views[open,p2]", without("ddl", 1)),
            ("open.frame.batch", "ddl.views[open,p1]", an_empty_one),
            ("open.frame.alone", "types.year[open,p1]", joined("insert", "resolved")),
            ("open.frame.no-headers", "ddl.views[open,p1]", with_a_header),
            ("open.batch.size", "routing.by-commit-ts[open,p1]", joined("insert", "resolved")),
            ("open.batch.bytes", "ddl.views[open,p1]", a_long_one),
            ("open.row.same-partition", "ordering.one-partition-lags[open,p2]", copied_elsewhere),
            ("open.partition.by-table", "ddl.columns-forced[open,p1]", copied_elsewhere),
            ("open.partition.index-value", "ddl.truncate[open,p1]", copied_elsewhere),
        ]
    },
    **{
        ("avro", clause): (case, change, {})
        for clause, case, change in [
            ("avro.order.per-key", "ddl.truncate[avro,p1]", backwards),
            ("avro.order.deletes-first", "routing.by-named-index[avro,p1]", backwards),
            ("avro.txn.net-effect", "types.year[avro,p1]", once_more_as_new),
            ("avro.topic.one-table", "dml.foreign-keys[avro,p1]", a_row_of_another_topic),
        ]
    },
    **{
        ("vitess", clause): (case, change, {})
        for clause, case, change in [
            ("vitess.order.as-generated", "types.year[vitess,p1]", backwards),
            ("vitess.order.per-key", "ddl.truncate[vitess,p1]", backwards),
            ("connect.partition.by-key", "types.year[vitess,p1]", copied_elsewhere),
            ("kafka.partition.murmur2", "types.year[vitess,p1]", copied_elsewhere),
            ("vitess.topic.per-table", "vitess.tables-chosen[vitess,p1]", a_row_of_another_topic),
            ("vitess.topic.one-per-table", "types.year[vitess,p1]", a_topic_of_its_own),
            ("vitess.tombstone.follows", "keys.pk-swap[vitess,p1]", no_tombstones),
            ("vitess.tombstone.off", "deletes.tombstones-off[vitess,p1]", a_tombstone),
            ("vitess.txn.whole", "ddl.truncate[vitess,p1]", parted),
            ("vitess.txn.boundaries", "sharding.shard-is-back[vitess,p1]", without_the_last("end")),
            ("vitess.txn.total-order", "sharding.shard-is-back[vitess,p1]", once_more_as_new),
            ("vitess.ordered.epoch-rises", "sharding.shard-is-back[vitess,p1]", backwards),
            ("vitess.ordered.rank-rises", "sharding.split-in-mid-stream[vitess,p1]", backwards),
        ]
    },
    **{
        ("debezium-mysql", clause): (f"{scenario}[debezium-mysql,p1]", change, {})
        for clause, scenario, change in [
            ("debezium-mysql.order.as-logged", "types.year", backwards),
            ("debezium-mysql.order.per-key", "ddl.truncate", backwards),
            ("connect.partition.by-key", "types.year", copied_elsewhere),
            ("kafka.partition.murmur2", "types.year", copied_elsewhere),
            ("debezium-mysql.topic.per-table", "vitess.tables-chosen", a_row_of_another_topic),
            ("debezium-mysql.tombstone.follows", "keys.pk-swap", no_tombstones),
            ("debezium-mysql.tombstone.off", "deletes.tombstones-off", a_tombstone),
            (
                "debezium-mysql.txn.boundaries",
                "transactions.begin-and-end",
                without_the_last("begin"),
            ),
            ("debezium-mysql.txn.total-order", "transactions.begin-and-end", once_more_as_new),
        ]
    },
}


@cache
def plan_of(name: str) -> Plan:
    """Return the plan of a case of the catalogue."""
    space = workspace(Path.cwd(), None, None)
    scenario = name.partition("[")[0].replace(".", "/", 1)
    loaded = load(space, [Path("scenarios", f"{scenario}.yaml")])
    case = next(case for case in selected(loaded, None) if case.id == name)
    return planned_only(space, [case], expectations=False)[0]


def stream(name: str, settings: Mapping[str, Any], change: Break = tuple) -> Stream:
    """Return a case's stream, changed, under further settings."""
    planned = plan_of(name)
    found = stream_of(planned, tuple(change(planned.records)), remembering(planned.wire))
    return replace(found, produced=True, settings={**found.settings, **settings})


@pytest.mark.parametrize(("protocol", "clause"), BROKEN)
def test_a_broken_producer_is_noticed(protocol: str, clause: str) -> None:
    """The rule holds for what is produced, and not once its clause is broken."""
    case, change, settings = BROKEN[protocol, clause]
    rules = [rule for rule in PROTOCOLS[protocol].stream_rules if rule.clause == clause]
    assert not list(broken(rules, stream(case, settings)))
    assert [breach.rule.clause for breach in broken(rules, stream(case, settings, change))]


def test_each_partition_of_a_table_has_an_order_of_its_own() -> None:
    """A newer row of one partition of a table may come before an older one of another."""
    rules = [r for r in PROTOCOLS["open"].stream_rules if r.clause == "open.order.per-table-ts"]
    assert not list(broken(rules, stream("ddl.partition-exchanged[open,p1]", {}, backwards)))


def test_every_rule_was_broken() -> None:
    """Each rule of each protocol has its broken producer, and is a MUST."""
    rules = {(name, rule.clause) for name, row in PROTOCOLS.items() for rule in row.stream_rules}
    assert set(BROKEN) == rules
    assert {CLAUSES[clause].level for _, clause in rules} == {Level.MUST}

"""What golden files say: a text that a person can review, and that no change slips past."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.engine.catalogue import golden
from harness.engine.catalogue.record_text import (
    ReadableRecord,
    RecordPrinter,
    content_digest,
    digest,
)
from harness.engine.plan.case import Plan
from harness.model.record import Origin, Record, SchemaUse
from harness.scenario.expand import Case
from tests.engine.plan.test_case import TEXT, planned


def plain(root: Path) -> Plan:
    """Return the plan of the undisturbed case."""
    return planned(root)[None]


def test_records_text(tmp_path: Path) -> None:
    """The records file shows each record's place, hash, and events as they are on the wire."""
    one = plain(tmp_path)
    text = golden.records_text(one)
    assert text.startswith("# a open-p2: records before any disturbance\n\nticdc/0@0 sha256=")
    assert text.count("sha256=") == len(one.records)
    shown = [line.split()[0] for line in text.splitlines() if line.startswith("ticdc/")]
    assert len(set(shown)) == len(one.records)
    create = '  value  {"q":"CREATE TABLE `t` (`id` INT PRIMARY KEY,`v` INT)","t":3}\n'
    assert text.count(create) == 2


def test_tables_text(tmp_path: Path) -> None:
    """The tables file shows each table with its key, and its rows in an order of their own."""
    one = plain(tmp_path)
    assert golden.tables_text(one) == (
        f"# a open-p2: tables at resolved ts {one.expected.resolved_ts}\n"
        "\n"
        "shop.t  key id\n"
        "  {id: 2, v: 2}\n"
        "  {id: 3, v: 3}\n"
        "  {id: 4, v: 1}\n"
    )


def test_digest() -> None:
    """The hash tells keys from values and null from empty."""
    pairs = [(b"a", b"b"), (b"ab", b""), (b"", b"ab"), (b"", b""), (None, b""), (b"", None)]
    for of in (digest, content_digest):
        assert len({of(Record("t", 0, key, value, ())) for key, value in pairs}) == len(pairs)


SENT = Record(
    "t",
    0,
    b"{}",
    b"{}",
    (Origin(1, 0, 0, "insert"),),
    headers=(("a", b"1"), ("b", None)),
    key_schema=SchemaUse("t-key", "{}", 1),
    value_schema=SchemaUse("t-value", "{}", 2),
    timestamp=5,
)
# What is wrong with a record -> the record.
WRONG = {
    "no headers": replace(SENT, headers=()),
    "headers in another order": replace(SENT, headers=SENT.headers[::-1]),
    "another header name": replace(SENT, headers=(("A", b"1"), ("b", None))),
    "another header value": replace(SENT, headers=(("a", b"2"), ("b", None))),
    "an empty header for a null": replace(SENT, headers=(("a", b"1"), ("b", b""))),
    "one header twice": replace(SENT, headers=(*SENT.headers, ("b", None))),
    "name and value cut elsewhere": replace(SENT, headers=(("a1", b""), ("b", None))),
    "no timestamp": replace(SENT, timestamp=None),
    "another timestamp": replace(SENT, timestamp=50),
    "another schema id": replace(SENT, value_schema=SchemaUse("t-value", "{}", 3)),
    "another subject": replace(SENT, key_schema=SchemaUse("t_key", "{}", 1)),
    "another schema text": replace(SENT, key_schema=SchemaUse("t-key", '{"a":1}', 1)),
    "no schema": replace(SENT, value_schema=None),
    "schemas exchanged": replace(SENT, key_schema=SENT.value_schema, value_schema=SENT.key_schema),
    "another partition": replace(SENT, partition=1),
    "another topic": replace(SENT, topic="T"),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_all_that_a_consumer_can_see_is_shown(wrong: Record) -> None:
    """A record that differs in anything that a consumer can see has another text."""
    texts = {"\n".join(RecordPrinter().lines(ReadableRecord(one, 0, ()))) for one in (SENT, wrong)}
    assert len(texts) == 2
    place = (SENT.topic, SENT.partition, SENT.key_schema) == (
        wrong.topic,
        wrong.partition,
        wrong.key_schema,
    )
    assert not place or digest(SENT) != digest(wrong)


def test_variants(tmp_path: Path) -> None:
    """Goldens are apart by protocol, dialect and partitions; disturbed cases share the plain's."""
    plans = planned(tmp_path)
    case: Case = plans[None].case
    assert golden.variant(case) == golden.variant(plans["again"].case) == "open-p2"
    assert golden.variant(replace(case, dialect="4.0.4", partitions=1)) == "open@4.0.4-p1"
    assert golden.texts(plans[None]) == golden.texts(plans["again"])


def test_every_byte_counts(tmp_path: Path) -> None:
    """Records that only differ in how they share messages have different texts."""
    other = planned(tmp_path, TEXT.replace("max-batch-size: 2", "max-batch-size: 3"))[None]
    assert golden.records_text(plain(tmp_path)) != golden.records_text(other)
    assert golden.tables_text(plain(tmp_path)) == golden.tables_text(other)

"""What golden files say: a text that a person can review, and that no change slips past."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.engine.catalogue import golden
from harness.engine.plan.case import Plan
from harness.model.record import Record
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
    create = '  value {"q":"CREATE TABLE `t` (`id` INT PRIMARY KEY,`v` INT)","t":3}\n'
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
    digests = {golden.digest(Record("t", 0, key, value, ())) for key, value in pairs}
    assert len(digests) == len(pairs)


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

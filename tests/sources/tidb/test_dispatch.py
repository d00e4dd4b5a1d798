"""Which partition a row goes to: the vendor's own decisions, and the texts that are hashed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import SourceStopped
from harness.model.change import Op
from harness.model.columns import Column, ColumnKind, Generated
from harness.model.table import Index, IndexPart
from harness.model.values import Value
from harness.sources.key_text import value_text
from harness.sources.tidb.changefeed import PARTITION_RULES, Dispatcher, changefeed
from harness.sources.tidb.dispatch import Placing, target_of
from tests.source_tables import shop_table
from tests.strategies import narrow
from tests.vectors import SUBSET, Vector, full_truth, lines, mounted_rows, sink_of

ALL = full_truth()
ID = Column(1, "id", ColumnKind.INT, nullable=False)
NAME = Column(2, "name", ColumnKind.VARCHAR)
TABLE = shop_table(ID, NAME)


def rules(vector: Vector) -> list[dict[str, Any]]:
    """Return the partition rules of a vector; its topics are no business of ours here."""
    found = sink_of(vector).get("dispatchers", [])
    return [{name: value for name, value in rule.items() if name != "topic"} for rule in found]


def supported(vector: Vector) -> bool:
    """Return whether we support every rule of a vector."""
    return all(
        set(rule) <= {"matcher", "partition", "columns"}
        and rule.get("partition", "default") in PARTITION_RULES
        and not any(pattern.startswith("!") for pattern in rule["matcher"])
        for rule in rules(vector)
    )


def wrong(vector: Vector) -> Iterator[str]:
    """Yield each row that we send elsewhere; None stands for a refusal."""
    for row, target in zip(mounted_rows(vector), vector["dispatch"], strict=True):
        image = row.before if row.op is Op.DELETE else row.after
        assert image is not None
        for count, partition in target["partition"].items():
            feed = changefeed({"sink.dispatchers": rules(vector)}, int(count))
            rule = feed.rule(row.table.table.id)
            try:
                ours = Placing(rule, row.table).partition(image, row.commit_ts, int(count))
            except SourceStopped:
                ours = None
            theirs = None if isinstance(partition, dict) else partition
            if ours != theirs:
                yield f"{vector['id']} of {count}: {ours}, not {theirs}"


def decided(path: Path) -> list[Vector]:
    """Return the vectors whose rules we support."""
    return [vector for vector in lines(path) if supported(vector)]


@pytest.mark.parametrize("vector", decided(SUBSET / "dispatch.jsonl"), ids=lambda v: v["id"])
def test_committed_vectors(vector: Vector) -> None:
    """A row goes to the partition that the vendor chose, for every number of partitions."""
    assert list(wrong(vector)) == []


@pytest.mark.skipif(ALL is None, reason="CDC_TRUTH_DIR does not name the vectors")
def test_all_vectors() -> None:
    """Every row of every vector with rules that we support goes where the vendor sent it."""
    assert ALL is not None
    vectors = decided(ALL / "dispatch.jsonl")
    assert len(vectors) > 200
    assert [what for vector in vectors for what in wrong(vector)] == []


TEXTS: list[tuple[ColumnKind, Value, bytes]] = [
    (ColumnKind.INT, None, b"null"),
    (ColumnKind.BIGINT, -(2**63), b"-9223372036854775808"),
    (ColumnKind.ENUM, 2, b"2"),
    (ColumnKind.DECIMAL, "1.50", b"1.50"),
    (ColumnKind.VARCHAR, "é", "é".encode()),
    (ColumnKind.VARBINARY, b"\xff\0", b"\xff\0"),
    (ColumnKind.DOUBLE, 0.0, b"0"),
    (ColumnKind.DOUBLE, 1.0, b"1"),
    (ColumnKind.DOUBLE, -0.1, b"-0.1"),
    (ColumnKind.DOUBLE, 1e21, b"1000000000000000000000"),
    (ColumnKind.DOUBLE, 1e-7, b"0.0000001"),
    (ColumnKind.FLOAT, narrow(0.1), b"0.1"),
    (ColumnKind.FLOAT, narrow(123456.79), b"123456.79"),
    (ColumnKind.FLOAT, narrow(3.4028235e38), b"340282350000000000000000000000000000000"),
]


@pytest.mark.parametrize(("kind", "value", "text"), TEXTS)
def test_value_text(kind: ColumnKind, value: Value, text: bytes) -> None:
    """A value is hashed as its plain text: no quotes, no exponents, 32-bit floats by 32 bits."""
    assert value_text(kind, value) == text


@given(st.integers(-(2**31), 2**31 - 1), st.text(), st.integers(1, 8), st.integers(1, 2**62))
def test_partitions_exist(number: int, name: str, count: int, ts: int) -> None:
    """Every rule names one of the partitions, and of one there is no choice."""
    for kind in PARTITION_RULES:
        rule = Dispatcher(("*.*",), kind, ("NAME",) if kind == "columns" else ())
        assert 0 <= Placing(rule, TABLE).partition((number, name), ts, count) < count
        assert Placing(rule, TABLE).partition((number, name), ts, 1) == 0


def test_unknown_column() -> None:
    """A rule over a column that the table lacks names those that it has."""
    rule = Dispatcher(("*.*",), "columns", ("nope",))
    with pytest.raises(SourceStopped, match=r"'nope', which shop\.t does not have") as refusal:
        Placing(rule, TABLE).partition((1, "a"), 1, 2)
    assert refusal.value.expected == "one of id, name"


def test_indexes() -> None:
    """A rule over an index hashes its columns; a clustered integer key is no index."""
    rule = Dispatcher(("*.*",), "index-value", index="uk")
    keyed = replace(TABLE.table, indexes=(Index(2, "UK", (IndexPart("name"),), unique=True),))
    by_index = target_of(rule, replace(TABLE, table=keyed), (1, "a"), 1)
    assert by_index == target_of(Dispatcher((), "columns", ("name",)), TABLE, (1, "a"), 1)
    clustered = replace(TABLE.table.indexes[0], id=0)
    table = replace(TABLE, table=replace(TABLE.table, indexes=(clustered,)))
    with pytest.raises(SourceStopped, match=r"index 'uk', which shop\.t does not have"):
        target_of(rule, table, (1, "a"), 1)
    with pytest.raises(SourceStopped):
        target_of(replace(rule, index="PRIMARY"), table, (1, "a"), 1)


def test_indexes_behind_virtual_columns() -> None:
    """TiCDC counts virtual columns where it looks for values: the next column's is hashed."""
    virtual = Column(3, "w", ColumnKind.INT, generated=Generated("`id`", stored=False))
    index = Index(2, "uk", (IndexPart("id"),), unique=True)
    columns = (virtual, ID, NAME)
    table = replace(TABLE.table, columns=columns, indexes=(index,))
    behind = replace(TABLE, table=table, emitted=(1, 2), handle=(1,))
    rule = Dispatcher(("*.*",), "index-value", index="uk")
    found = target_of(rule, behind, (None, 1, "a"), 1).number
    assert found == crc32(b"shopt") ^ crc32(b"id" + b"a")
    last = replace(index, parts=(IndexPart("name"),))
    with pytest.raises(SourceStopped, match="holds or follows a virtual column"):
        target_of(rule, replace(behind, table=replace(table, indexes=(last,))), (None, 1, "a"), 1)
    with pytest.raises(SourceStopped, match="which is virtual"):
        target_of(Dispatcher((), "columns", ("w",)), behind, (None, 1, "a"), 1)
    # The newer architecture counts them on both sides.
    newer = Placing(rule, behind, newer=True).target((None, 1, "a"), 1).number
    assert newer == crc32(b"shopt") ^ crc32(b"id1")


def test_listed_columns_behind_virtual_columns() -> None:
    """TiCDC counts virtual columns for listed ones too, and hashes what it finds with its name."""
    virtual = Column(3, "w", ColumnKind.INT, generated=Generated("`id`", stored=False))
    table = replace(TABLE.table, columns=(virtual, ID, NAME))
    behind = replace(TABLE, table=table, emitted=(1, 2), handle=(1,))
    rule, row = Dispatcher(("*.*",), "columns", ("ID",)), (None, 1, "a")
    assert target_of(rule, behind, row, 1).number == crc32(b"shopt") ^ crc32(b"namea")
    newer = Placing(rule, behind, newer=True).target(row, 1).number
    assert newer == crc32(b"shopt") ^ crc32(b"id1")
    with pytest.raises(SourceStopped, match="follow a virtual column"):
        target_of(replace(rule, columns=("name",)), behind, row, 1)


def test_a_word_that_is_no_rule() -> None:
    """TiCDC takes a partition rule that it does not know for the default one."""
    table = target_of(None, TABLE, (1, "a"), 7)
    assert target_of(Dispatcher(("*.*",), "hash"), TABLE, (1, "a"), 7) == table
    assert table.key == "shop.t"
    assert target_of(Dispatcher(("*.*",), "TS"), TABLE, (1, "a"), 7).key == "7"

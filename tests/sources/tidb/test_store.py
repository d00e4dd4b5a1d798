"""What a transaction nets to: one event for each TiKV key whose value changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ddl import Catalogue
from harness.errors import StepError
from harness.model.change import RowChanged
from harness.model.table import Table
from harness.model.values import Row
from harness.sources.tidb.store import NetChange, TableStore, int_handle, signed
from tests.changelogs import SCHEMA, T, delete, insert, update

CLUSTERED = "CREATE TABLE t (id INT PRIMARY KEY, v INT)"
NONCLUSTERED = "CREATE TABLE t (id INT PRIMARY KEY NONCLUSTERED, v INT)"
COMPOSITE = "CREATE TABLE t (id INT, v INT, PRIMARY KEY (v, id))"
KEYLESS = "CREATE TABLE t (id INT, v INT)"


def table(sql: str) -> Table:
    """Return the table that a CREATE TABLE makes."""
    return Catalogue.with_schemas(SCHEMA).apply(sql, SCHEMA).catalogue.table(T)


def netted(sql: str, *transactions: list[RowChanged]) -> list[NetChange]:
    """Return what the last of the transactions nets to."""
    store = TableStore(table(sql))
    net: list[NetChange] = []
    for changes in transactions:
        for change in changes:
            store.apply(change)
        net = store.commit()
    return net


def images(net: list[NetChange]) -> list[tuple[str, Row | None, Row | None]]:
    """Return operation, old row and new row of each net change."""
    return [(change.op.value, change.before, change.after) for change in net]


STORED = [insert(1, 1), insert(2, 2), insert(3, 3)]

# Statements of one transaction over rows (1,1), (2,2), (3,3) -> net changes, when id is clustered.
NETTING: dict[str, tuple[list[RowChanged], list[Any]]] = {
    "insert, update": (
        [insert(4, 4), update((4, 4), (4, 5))],
        [("insert", None, (4, 5))],
    ),
    "insert, delete": ([insert(4, 4), delete(4, 4)], []),
    "insert, update, delete": ([insert(4, 4), update((4, 4), (4, 5)), delete(4, 5)], []),
    "delete, insert": ([delete(1, 1), insert(1, 7)], [("update", (1, 1), (1, 7))]),
    "delete, insert of the same": ([delete(1, 1), insert(1, 1)], []),
    "update twice": (
        [update((1, 1), (1, 5)), update((1, 5), (1, 6))],
        [("update", (1, 1), (1, 6))],
    ),
    "update and back": ([update((1, 1), (1, 5)), update((1, 5), (1, 1))], []),
    "update, delete": ([update((1, 1), (1, 5)), delete(1, 5)], [("delete", (1, 1), None)]),
    "key moves to a free key": (
        [update((1, 1), (4, 1))],
        [("delete", (1, 1), None), ("insert", None, (4, 1))],
    ),
    "key moves and back": ([update((1, 1), (4, 1)), update((4, 1), (1, 1))], []),
    "chain": (
        [update((3, 3), (4, 3)), update((2, 2), (3, 2)), update((1, 1), (2, 1))],
        [
            ("delete", (1, 1), None),
            ("update", (2, 2), (2, 1)),
            ("update", (3, 3), (3, 2)),
            ("insert", None, (4, 3)),
        ],
    ),
    "swap": (
        [update((1, 1), (9, 1)), update((2, 2), (1, 2)), update((9, 1), (2, 1))],
        [("update", (1, 1), (1, 2)), ("update", (2, 2), (2, 1))],
    ),
    "deletes, updates, inserts": (
        [insert(9, 9), update((2, 2), (2, 8)), delete(3, 3), insert(0, 0), delete(1, 1)],
        [
            ("delete", (1, 1), None),
            ("delete", (3, 3), None),
            ("update", (2, 2), (2, 8)),
            ("insert", None, (0, 0)),
            ("insert", None, (9, 9)),
        ],
    ),
}


@pytest.mark.parametrize(("changes", "expected"), NETTING.values(), ids=NETTING)
def test_netting(changes: list[RowChanged], expected: list[Any]) -> None:
    """A transaction emits one event a key: deletes, then updates, then inserts, each by key."""
    assert images(netted(CLUSTERED, STORED, changes)) == expected


def test_nonclustered_key_moves() -> None:
    """A key that is not the row's handle moves within one update of one row id."""
    net = netted(NONCLUSTERED, STORED, [update((2, 2), (7, 2))])
    assert images(net) == [("update", (2, 2), (7, 2))]
    assert net[0].key == (2,)


def test_nonclustered_reinsert() -> None:
    """A row that is deleted and inserted again gets another row id: two events, not an update."""
    net = netted(NONCLUSTERED, STORED, [delete(2, 2), insert(2, 7)])
    assert images(net) == [("delete", (2, 2), None), ("insert", None, (2, 7))]
    assert [change.key for change in net] == [(2,), (4,)]


def test_replaced_row() -> None:
    """REPLACE makes another row under a hidden row id, and the same row under a clustered key."""
    change = replace(update((2, 2), (2, 7)), replaced=True)
    net = netted(NONCLUSTERED, STORED, [change])
    assert images(net) == [("delete", (2, 2), None), ("insert", None, (2, 7))]
    assert [one.key for one in net] == [(2,), (4,)]
    assert images(netted(CLUSTERED, STORED, [change])) == [("update", (2, 2), (2, 7))]


def test_composite_key() -> None:
    """A clustered key of several columns is in the key's own column order."""
    net = netted(COMPOSITE, [insert(2, 1), insert(1, 2), insert(1, 1)])
    assert [change.key for change in net] == [(1, 1), (1, 2), (2, 1)]
    assert images(net) == [("insert", None, row) for row in [(1, 1), (2, 1), (1, 2)]]


def test_keyless_duplicates() -> None:
    """Equal rows of a keyless table are rows of their own; the oldest goes first."""
    twins = [insert(1, 1), insert(1, 1), insert(1, 1)]
    assert [change.key for change in netted(KEYLESS, twins)] == [(1,), (2,), (3,)]
    assert [c.key for c in netted(KEYLESS, twins, [delete(1, 1)])] == [(1,)]
    assert [c.key for c in netted(KEYLESS, twins, [delete(1, 1)], [delete(1, 1)])] == [(2,)]
    both = netted(KEYLESS, twins, [update((1, 1), (2, 2)), update((1, 1), (2, 2))])
    assert [change.key for change in both] == [(1,), (2,)]
    assert netted(KEYLESS, twins, [insert(1, 1), delete(1, 1)])[0].key == (1,)


# The key's definition -> keys in the order of TiKV.
ORDERS: dict[str, list[Any]] = {
    "INT PRIMARY KEY": [-10, -1, 2, 3, 10],
    # A key of 64 unsigned bits is stored as the signed number of the same bits.
    "BIGINT UNSIGNED PRIMARY KEY": [2**63, 2**64 - 1, 1, 2**63 - 1],
    "VARCHAR(9) PRIMARY KEY CLUSTERED": ["10", "9", "Z", "a", "b", "ä"],
    "VARBINARY(9) PRIMARY KEY CLUSTERED": [b"", b"\x00", b"a", b"\xff"],
    "DECIMAL(9,1) PRIMARY KEY CLUSTERED": ["-10.0", "-9.0", "9.5", "10.0"],
    "DOUBLE PRIMARY KEY CLUSTERED": [-2.0, -0.5, 0.0, 1.5],
    "TIME(1) PRIMARY KEY CLUSTERED": ["-100:00:00.5", "-01:00:00.0", "00:00:00.0", "100:00:00.1"],
    "DATE PRIMARY KEY CLUSTERED": ["0000-00-00", "1999-12-31", "2000-01-01"],
    "ENUM('b','a') PRIMARY KEY CLUSTERED": [1, 2],
}


@pytest.mark.parametrize(("key", "keys"), ORDERS.items(), ids=ORDERS)
@given(data=st.data())
def test_order_of_keys(key: str, keys: list[Any], data: st.DataObject) -> None:
    """Events of one kind are in the order of their TiKV keys, however they were written."""
    shuffled = data.draw(st.permutations(keys))
    net = netted(f"CREATE TABLE t (id {key}, v INT)", [insert(value, 1) for value in shuffled])
    assert [change.after for change in net] == [(value, 1) for value in keys]


def test_order_of_composite_keys() -> None:
    """Keys of several columns are ordered column by column."""
    sql = "CREATE TABLE t (a VARCHAR(9), b INT, PRIMARY KEY (a, b) CLUSTERED)"
    keys = [("a", -1), ("a", 2), ("a", 10), ("ab", 0), ("b", 0)]
    net = netted(sql, [insert(*key) for key in reversed(keys)])
    assert [change.after for change in net] == keys


@pytest.mark.parametrize(
    ("sql", "integer"),
    [
        (CLUSTERED, True),
        (NONCLUSTERED, True),
        (KEYLESS, True),
        (COMPOSITE, False),
        ("CREATE TABLE t (id VARCHAR(9) PRIMARY KEY CLUSTERED)", False),
        ("CREATE TABLE t (id VARCHAR(9) PRIMARY KEY NONCLUSTERED)", True),
    ],
)
def test_int_handle(sql: str, integer: bool) -> None:  # noqa: FBT001
    """The handle is an integer for a clustered integer key and wherever there is a row id."""
    assert int_handle(table(sql)) is integer


@given(st.integers(0, 2**64 - 1))
def test_signed(number: int) -> None:
    """An unsigned number becomes the signed one of the same bits."""
    assert signed(number).to_bytes(8, signed=True) == number.to_bytes(8)


def test_last_statement_is_remembered() -> None:
    """A net change points at the last statement that touched its row."""
    (change,) = netted(CLUSTERED, [insert(1, 1, line=3), update((1, 1), (1, 2), line=4)])
    assert change.change.line == 4


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (update((1, 2), (1, 3)), "does not hold the row of this update"),
        (delete(9, 9), "does not hold the row of this delete"),
        (insert(1, 7), r"already holds a row with the primary key \(1,\)"),
        (update((1, 1), (2, 1)), r"already holds a row with the primary key \(2,\)"),
    ],
)
def test_impossible_changes(change: RowChanged, said: str) -> None:
    """A change that no database can have made is refused with its line."""
    with pytest.raises(StepError, match=said) as refusal:
        netted(CLUSTERED, STORED, [change])
    assert refusal.value.line == change.line


def test_row_ids_are_never_given_twice() -> None:
    """A table's row ids go on rising after its rows are gone."""
    net = netted(KEYLESS, [insert(1, 1)], [delete(1, 1)], [insert(1, 1)])
    assert net[0].key == (2,)


@given(st.lists(st.tuples(st.sampled_from("iud"), st.integers(0, 3), st.integers(0, 3))))
def test_net_changes_lead_there(statements: list[tuple[str, int, int]]) -> None:
    """However a transaction got there, its net changes lead from the rows before to those after."""
    rows: dict[int, int] = {1: 1, 2: 2, 3: 3}
    start = dict(rows)
    changes: list[RowChanged] = []
    for kind, key, value in statements:
        if kind == "i" and key not in rows:
            changes.append(insert(key, value))
            rows[key] = value
        elif kind == "u" and key in rows and value not in rows:
            changes.append(update((key, rows[key]), (value, key)))
            del rows[key]
            rows[value] = key
        elif kind == "d" and key in rows:
            changes.append(delete(key, rows.pop(key)))
    reached: set[Row | None] = set(start.items())
    for op, before, after in images(netted(CLUSTERED, STORED, changes)):
        assert (before is None, after is None) == (op == "insert", op == "delete")
        assert before != after
        reached -= {before}
        reached |= {after}
    assert reached - {None} == set(rows.items())

"""The fold of a change log, its differences from a reading, and row events from two readings."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ddl import DdlError
from harness.model.change import Op, RowChanged
from harness.model.table import Table, TableId
from harness.model.values import Row
from harness.record.reads import changed, key_ordinals
from harness.record.world import World, difference

T = TableId("d", "t")


def world(*ddl: str) -> World:
    """Return a world after these statements."""
    made = World(["d"])
    for sql in ddl:
        made.ddl(sql)
    return made


def insert(*row: int | str | None) -> RowChanged:
    """Return the insert of a row into d.t."""
    return RowChanged(Op.INSERT, T, None, row, 1)


def table(sql: str) -> Table:
    """Return the table that a statement creates."""
    return world(sql).catalogue.table(T)


KEYED = table("CREATE TABLE d.t (id INT PRIMARY KEY, a INT, b INT)")
KEYLESS = table("CREATE TABLE d.t (id INT, a INT, b INT)")


def test_rows_follow_their_table() -> None:
    """New columns, renames and new types keep the rows; truncating and dropping lose them."""
    made = world("CREATE TABLE d.t (id INT PRIMARY KEY)")
    made.change(insert(1))
    made.ddl("ALTER TABLE d.t ADD COLUMN a INT NOT NULL DEFAULT 7")
    assert +made.rows[T] == Counter([(1, 7)])
    made.ddl("ALTER TABLE d.t MODIFY COLUMN a VARCHAR(5)")
    made.ddl("RENAME TABLE d.t TO d.u")
    assert made.rows == {TableId("d", "u"): Counter([(1, "7")])}
    made.ddl("TRUNCATE TABLE d.u")
    assert made.rows == {TableId("d", "u"): Counter()}
    made.ddl("DROP DATABASE d")
    assert made.rows == {}


def test_rows_that_are_not_there_are_reported() -> None:
    """A delete or update of a row that the fold lacks names the row."""
    made = world("CREATE TABLE d.t (id INT)")
    made.change(insert(1))
    made.change(insert(1))
    made.change(RowChanged(Op.DELETE, T, (1,), None, 1))
    made.change(RowChanged(Op.UPDATE, T, (1,), (2,), 1))
    with pytest.raises(ValueError, match=r"d\.t has no row {id: 1}"):
        made.change(RowChanged(Op.DELETE, T, (1,), None, 1))


def test_what_cannot_be_expressed_is_an_error() -> None:
    """DDL that the catalogue refuses, and conversions without an exact form."""
    made = world("CREATE TABLE d.t (id VARCHAR(9))")
    made.change(insert("x"))
    with pytest.raises(ValueError, match="'x' is not an integer"):
        made.ddl("ALTER TABLE d.t MODIFY COLUMN id INT")
    with pytest.raises(DdlError):
        made.ddl("DROP TABLE d.nothing")


@pytest.mark.parametrize(
    ("log", "select", "what"),
    [
        ([(1, 2, 3)], [(1, 2, 3)], None),
        ([], [], None),
        ([(1, 2, 3)], [(1, 2, 4)], "d.t, row id=1, column `b`: the log says 3, a SELECT says 4"),
        ([(1, 2, 3)], [], "the log has a row that a SELECT lacks: {id: 1, a: 2, b: 3}"),
        ([], [(1, 2, None)], "a SELECT has a row that the log lacks: {id: 1, a: 2, b: NULL}"),
    ],
)
def test_differences_name_row_and_column(
    log: list[Row], select: list[Row], what: str | None
) -> None:
    """By key down to the column, else the whole row, and on which side it is missing."""
    found = difference(KEYED, Counter(log), Counter(select))
    assert (found is None) if what is None else (found is not None and what in found)


def test_differences_count_in_tables_without_a_key() -> None:
    """How often a row occurs counts."""
    row = (1, 2, 3)
    assert difference(KEYLESS, Counter([row, row]), Counter([row, row])) is None
    found = difference(KEYLESS, Counter([row] * 3), Counter([row]))
    assert found is not None
    assert "(2 times) " in found


@pytest.mark.parametrize(
    ("columns", "ordinals"),
    [
        ("id INT PRIMARY KEY, a INT", (0,)),
        ("id INT, a INT, PRIMARY KEY (a, id)", (1, 0)),
        ("id INT, a INT NOT NULL UNIQUE", (1,)),
        ("id INT NOT NULL, a INT NOT NULL UNIQUE, PRIMARY KEY (id)", (0,)),
        ("id INT, a INT UNIQUE", ()),
        ("id INT, a VARCHAR(9) NOT NULL, UNIQUE (a(3))", ()),
        ("id INT, a INT, KEY (a)", ()),
    ],
)
def test_keys_identify_rows(columns: str, ordinals: tuple[int, ...]) -> None:
    """The primary key, else a unique key that has no NULL and no prefix."""
    assert key_ordinals(table(f"CREATE TABLE d.t ({columns})")) == ordinals


SMALL = st.none() | st.integers(0, 3)
ROWS = st.dictionaries(st.integers(0, 5), st.tuples(SMALL, SMALL)).map(
    lambda found: Counter((key, *rest) for key, rest in found.items())
)
MULTISET = st.lists(st.tuples(SMALL, SMALL, SMALL)).map(Counter)


@given(ROWS, ROWS)
def test_events_from_readings_lead_from_one_to_the_other(
    before: Counter[Row], after: Counter[Row]
) -> None:
    """Applied in order they turn the first reading into the second, updates where keys stay."""
    found = _applied(KEYED, before, after)
    kept = {row[0] for row in before} & {row[0] for row in after}
    updated = {old[0] for op, old, _ in found if op is Op.UPDATE and old is not None}
    changed_keys = {r[0] for r in before - after} & {r[0] for r in after - before}
    assert updated == kept & changed_keys


@given(MULTISET, MULTISET)
def test_events_from_readings_without_a_key(before: Counter[Row], after: Counter[Row]) -> None:
    """A table without a key has deletes and inserts only, each as often as it happened."""
    assert all(op is not Op.UPDATE for op, _, _ in _applied(KEYLESS, before, after))


def _applied(
    table: Table, before: Counter[Row], after: Counter[Row]
) -> list[tuple[Op, Row | None, Row | None]]:
    rows = before.copy()
    found: list[tuple[Op, Row | None, Row | None]] = []
    for event in changed(table, before, after):
        for old, new in event.read(table.columns):
            found.append((event.op, old, new))
            if old is not None:
                assert rows[old]
                rows[old] -= 1
            if new is not None:
                rows[new] += 1
    assert +rows == +after
    return found


def test_readings_of_other_columns_are_refused() -> None:
    """Rows that have not the columns asked for are not taken for them."""
    (event,) = changed(KEYED, Counter(), Counter([(1, 2, 3)]))
    with pytest.raises(ValueError, match="2 columns"):
        list(event.read(KEYED.columns[:2]))

"""The author's own expectations, each kind of item when it holds and when it does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from harness.documents.yaml_file import read
from harness.model.columns import Column, ColumnKind
from harness.model.decoded import DecodedEvent, EventKind
from harness.model.table import TableId
from harness.model.values import Value
from harness.verdict.author import check_events, check_rows
from harness.verdict.event_pattern import SHOWN, SentEvent
from tests.changelogs import T, ddl, insert, transaction
from tests.source_tables import shop_table
from tests.verdict.answers import case

Item = Mapping[str, Any]
ID = Column(1, "id", ColumnKind.INT, nullable=False)
V = Column(2, "v", ColumnKind.VARCHAR)
D = Column(3, "d", ColumnKind.DECIMAL, length=9, scale=2)
B = Column(4, "b", ColumnKind.VARBINARY)
TABLE = shop_table(ID, V, D, B)
BOTH = frozenset({0, 1})


def row(kind: EventKind, number: int, v: str | bytes | None = "a", **others: Any) -> SentEvent:
    """Return a sent row event over `shop.t`."""
    image = {"id": number, "v": v, "d": "1.50", "b": b"\xff", **others}
    gone = kind is EventKind.DELETE
    decoded = DecodedEvent(
        kind,
        7,
        "shop",
        "t",
        before=image if gone else None,
        after=None if gone else image,
        handle=("id",),
    )
    return SentEvent(decoded, TABLE, frozenset({number % 2}))


def statement(action: str = "create_table", partitions: frozenset[int] = BOTH) -> SentEvent:
    """Return a sent DDL event."""
    decoded = DecodedEvent(EventKind.DDL, 6, "shop", "t", query="CREATE TABLE `t`")
    return SentEvent(decoded, None, partitions, action)


def mark(*partitions: int) -> SentEvent:
    """Return a sent resolved event."""
    return SentEvent(DecodedEvent(EventKind.RESOLVED, 9), None, frozenset(partitions))


I1, I2 = row(EventKind.INSERT, 1), row(EventKind.INSERT, 2)
U1 = row(EventKind.UPDATE, 1, "z")
D1, D2 = row(EventKind.DELETE, 1), row(EventKind.DELETE, 2)
PUT1 = row(EventKind.UPSERT, 1)
MARK = mark(0, 1)

# Items, sent events.
HOLD: dict[str, tuple[list[Item], list[SentEvent]]] = {
    "nothing": ([], []),
    "insert": ([{"insert": {"id": 1}}], [I1]),
    "insert of any row": ([{"insert": {}}], [I2]),
    "update by its new row": ([{"update": {"id": 1, "v": "z"}}], [U1]),
    "delete by its old row": ([{"delete": {"id": 1, "v": "a"}}], [D1]),
    "upsert as insert": ([{"insert": {"id": 1}}], [PUT1]),
    "upsert as update": ([{"update": {"id": 1}}], [PUT1]),
    "table": ([{"insert": {"id": 1}, "table": "shop.t"}], [I1]),
    "any exact spelling": ([{"insert": {"id": "1", "d": 1.5, "b": "FF"}}], [I1]),
    "text where the wire has bytes": (
        [{"insert": {"v": "é", "b": "6162"}}],
        [row(EventKind.INSERT, 1, "é".encode(), b="ab")],
    ),
    "null": ([{"insert": {"v": None}}], [row(EventKind.INSERT, 1, None)]),
    "DDL": ([{"ddl": "create_table"}], [statement()]),
    "DDL on all": ([{"ddl": "create_table", "partitions": "all"}], [statement()]),
    "marks are passed over": ([{"insert": {"id": 1}}], [MARK, I1, MARK]),
    "mark": ([{"insert": {"id": 1}}, {"resolved": True}], [I1, MARK]),
    "unordered": ([{"unordered": [{"insert": {"id": 2}}, {"insert": {"id": 1}}]}], [I1, I2]),
    "unordered, then more": (
        [{"unordered": [{"insert": {"id": 2}}, {"delete": {"id": 1}}]}, {"insert": {"id": 1}}],
        [D1, I2, I1],
    ),
    "unordered with a mark": (
        [{"unordered": [{"resolved": True}, {"insert": {"id": 1}}]}],
        [I1, MARK],
    ),
    "per key": (
        [
            {
                "per-key": [
                    {"key": {"id": 1}, "ops": ["delete", "insert"]},
                    {"key": {"id": 2}, "ops": ["delete"]},
                ]
            }
        ],
        [D1, D2, I1],
    ),
    "per key, upserts": (
        [{"per-key": [{"key": {"id": 1}, "ops": ["insert", "update"]}]}],
        [PUT1] * 2,
    ),
    "optional, there": ([{"optional": {"insert": {"id": 1}}}, {"insert": {"id": 2}}], [I1, I2]),
    "optional, not there": ([{"optional": {"insert": {"id": 1}}}, {"insert": {"id": 2}}], [I2]),
    "optional at the end": ([{"insert": {"id": 1}}, {"optional": {"delete": {"id": 1}}}], [I1]),
    "optional mark": ([{"insert": {"id": 1}}, {"optional": {"resolved": True}}], [I1, MARK]),
    "optional group": (
        [
            {"optional": {"unordered": [{"insert": {"id": 1}}, {"insert": {"id": 9}}]}},
            {"insert": {}},
        ],
        [I1],
    ),
}


@pytest.mark.parametrize(("items", "sent"), HOLD.values(), ids=HOLD)
def test_holds(items: list[Item], sent: list[SentEvent]) -> None:
    """An expectation that the stream keeps is silent."""
    assert check_events(items, sent, 2) is None


# Items, sent events, what is said.
FAIL: dict[str, tuple[list[Item], list[SentEvent], str]] = {
    "too few events": (
        [{"insert": {"id": 1}}],
        [],
        "item 1: the stream ended where {insert: {id: 1}} was expected",
    ),
    "too many events": ([], [I1], "the list ends, but insert of shop.t {id: 1"),
    "another row": (
        [{"insert": {"id": 2}}],
        [I1],
        "event 1 is insert of shop.t {id: 1, v: a, d: '1.50', b: ff}, not {insert: {id: 2}}",
    ),
    "second item": ([{"insert": {"id": 1}}, {"insert": {"id": 1}}], [I1, I2], "item 2: event 2 is"),
    "another operation": ([{"insert": {"id": 1}}], [U1], "event 1 is update of shop.t"),
    "delete for update": ([{"update": {"id": 1}}], [D1], "event 1 is delete of shop.t"),
    "another table": ([{"insert": {"id": 1}, "table": "shop.x"}], [I1], "event 1 is insert"),
    "unknown column": ([{"insert": {"nope": 1}}], [I1], "event 1 is insert"),
    "unreadable value": ([{"insert": {"id": "one"}}], [I1], "event 1 is insert"),
    "null for a value": ([{"insert": {"v": None}}], [I1], "event 1 is insert"),
    "another DDL": (
        [{"ddl": "drop_table"}],
        [statement()],
        "event 1 is DDL `create_table`: CREATE TABLE `t`, not {ddl: drop_table}",
    ),
    "DDL on one partition": (
        [{"ddl": "create_table", "partitions": "all"}],
        [statement(partitions=frozenset({0}))],
        "event 1 is DDL",
    ),
    "row for DDL": ([{"ddl": "create_table"}], [I1], "event 1 is insert"),
    "DDL for row": ([{"insert": {}}], [statement()], "event 1 is DDL"),
    "no mark": ([{"resolved": True}], [I1], "event 1 is insert"),
    "mark on one partition": ([{"resolved": True}], [mark(0)], "event 1 is resolved 9"),
    "mark where a row is": (
        [{"insert": {}}, {"resolved": True}],
        [MARK, I1],
        "event 1 is resolved",
    ),
    "unordered lacks one": (
        [{"unordered": [{"insert": {"id": 1}}, {"insert": {"id": 9}}]}],
        [I1, I2],
        "item 1: {insert: {id: 9}} is not among the events left here: insert of shop.t {id: 2",
    ),
    "unordered counts": (
        [{"unordered": [{"insert": {"id": 1}}, {"insert": {"id": 1}}]}],
        [I1],
        "is not among the events left here: none",
    ),
    "per key in another order": (
        [{"per-key": [{"key": {"id": 1}, "ops": ["insert", "delete"]}]}],
        [D1, I1],
        "item 1: key {id: 1} has the events ['delete', 'insert'], not ['insert', 'delete']",
    ),
    "per key with a stranger": (
        [{"per-key": [{"key": {"id": 1}, "ops": ["delete", "insert"]}]}],
        [D1, D2, I1],
        "key {id: 1} has the events ['delete'], not ['delete', 'insert']",
    ),
    "per key, DDL between": (
        [{"per-key": [{"key": {"id": 1}, "ops": ["delete", "insert"]}]}],
        [D1, statement(), I1],
        "key {id: 1} has the events ['delete']",
    ),
    "per key, too few": (
        [{"per-key": [{"key": {"id": 1}, "ops": ["delete", "insert"]}]}],
        [D1],
        "key {id: 1} has the events ['delete']",
    ),
    "optional, and another": ([{"optional": {"insert": {"id": 9}}}], [I1], "the list ends, but"),
}


@pytest.mark.parametrize(("items", "sent", "said"), FAIL.values(), ids=FAIL)
def test_does_not_hold(items: list[Item], sent: list[SentEvent], said: str) -> None:
    """An expectation that the stream breaks is told with its item and the event that is there."""
    found = check_events(items, sent, 2)
    assert found is not None
    _, what = found
    assert what is not None
    assert said in what


FILLED = case(
    ddl("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(9), d DECIMAL(9,2), g INT AS (id + 1))"),
    transaction(insert(1, "a", "1.50", 2), insert(2, None, None, 3)),
    ddl("CREATE TABLE a (id INT PRIMARY KEY)"),
).expected
ONE, TWO = {"id": 1, "v": "a", "d": 1.5}, {"id": "2", "v": None}


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("shop.t", (ONE, TWO)),
        ("shop.t", (TWO, {**ONE, "d": "1.5"})),
        ("shop.a", ()),
        ("shop.x", None),
        ("shop.x", ()),
    ],
)
def test_rows_hold(name: str, rows: tuple[Item, ...] | None) -> None:
    """Rows hold in any order and spelling; columns left out are NULL, or never sent."""
    assert check_rows(FILLED, name, rows) is None


@pytest.mark.parametrize(
    ("name", "rows", "said"),
    [
        ("shop.t", (ONE,), "the table also holds {id: 2, v: NULL, d: NULL}"),
        ("shop.t", (ONE, TWO, TWO), "row {id: '2', v: NULL} is not there; "),
        ("shop.t", (ONE, {"id": 2, "v": "b"}), "row {id: 2, v: b} is not there"),
        ("shop.t", (ONE, {"id": 2, "w": 1}), "the table has no column w"),
        ("shop.t", (ONE, {"id": 2, "g": 3}), "the table has no column g"),
        ("shop.t", (ONE, {"id": "two"}), "'two' is not an integer"),
        ("shop.t", None, "table shop.t exists, with 2 rows"),
        ("shop.a", ({"id": 1},), "row {id: 1} is not there; not listed, but there: nothing"),
        ("shop.x", (ONE,), "table shop.x does not exist at the end"),
    ],
)
def test_rows_do_not_hold(name: str, rows: tuple[Item, ...] | None, said: str) -> None:
    """Rows that do not hold are told with what the table holds."""
    what = check_rows(FILLED, name, rows)
    assert what is not None
    assert said in what


def test_keyless_rows_count() -> None:
    """Equal rows of a keyless table are listed as often as they are there."""
    twins = case(
        ddl("CREATE TABLE t (id INT)"), transaction(insert(1), insert(1)), force_replicate=True
    ).expected
    assert check_rows(twins, "shop.t", ({"id": 1}, {"id": 1})) is None
    assert check_rows(twins, "shop.t", ({"id": 1},)) is not None
    assert TableId("shop", "t") == T


SHOWN_ROWS: dict[str, tuple[str, Value, str]] = {
    "bytes": ("BLOB", b"\x61\x00", "'6100'"),
    "a member": ("ENUM('new', 'paid')", 2, "paid"),
    "members": ("SET('a', 'b c')", 3, "'a,b c'"),
    "what no member says": ("ENUM('7')", 0, "0"),
    "a quote and a backslash": ("TEXT", "it's a \\n", "'it''s a \\n'"),
    "a line's end": ("TEXT", "tea\nmilk\u2028", '"tea\\nmilk\\u2028"'),
    "a word that YAML has": ("TEXT", "null", "'null'"),
    "digits": ("TEXT", "007", "'007'"),
    "nothing": ("TEXT", None, "NULL"),
    "a date": ("DATE", "2024-02-29", "'2024-02-29'"),
    "a double": ("DOUBLE", 1e300, "1e+300"),
}


@pytest.mark.parametrize(("kind", "value", "written"), SHOWN_ROWS.values(), ids=SHOWN_ROWS)
def test_rows_are_shown_as_they_are_written(kind: str, value: Value, written: str) -> None:
    """What a message shows of a row can be written into the scenario as it stands."""
    table = ddl(f"CREATE TABLE t (id INT PRIMARY KEY, v {kind})")
    filled = case(table, transaction(insert(1, value))).expected
    what = check_rows(filled, "shop.t", ())
    assert what == f"the table also holds {{id: 1, v: {written}}}"
    row = read(what.removeprefix("the table also holds "), "a.yaml").data
    assert check_rows(filled, "shop.t", (row,)) is None


def test_a_name_that_yaml_reads_otherwise_is_quoted() -> None:
    """A column may be called as YAML calls nothing, or with a colon."""
    table = ddl("CREATE TABLE t (`null` INT PRIMARY KEY, `a: b` INT)")
    what = check_rows(case(table, transaction(insert(1, 2))).expected, "shop.t", ())
    assert what == "the table also holds {'null': 1, 'a: b': 2}"


def test_many_rows() -> None:
    """Of many rows that are not listed a few are shown, and the others counted."""
    rows = transaction(*(insert(number) for number in range(9)))
    many = case(ddl("CREATE TABLE t (id INT PRIMARY KEY)"), rows).expected
    what = check_rows(many, "shop.t", ())
    assert what is not None
    assert what.startswith("the table also holds {id: 0}, {id: 1}")
    assert what.endswith(f" and {9 - SHOWN} more rows")

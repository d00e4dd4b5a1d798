"""Value expressions: what they say of a row, and what is refused."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ddl import Catalogue
from harness.errors import SourceStopped, UsageError
from harness.model.change import Op
from harness.model.table import Table
from harness.model.values import Row
from harness.sources.tidb.refusal import ChangefeedError
from harness.sources.tidb.value_filter import DELETE, INSERT, UPDATE_NEW, UPDATE_OLD, value_filter

SQL = """
    CREATE TABLE t (
        id BIGINT UNSIGNED PRIMARY KEY, v INT, name VARCHAR(20), ci VARCHAR(20) COLLATE
        utf8mb4_general_ci, uni VARCHAR(20) COLLATE utf8mb4_unicode_ci, d DECIMAL(5, 2), f DOUBLE,
        ts DATETIME(3), day DATE, at TIME, e ENUM('a', 'b'), s SET('x', 'y'), y YEAR,
        bin VARBINARY(9), j JSON, bits BIT(4)
    )
"""


def table(sql: str = SQL) -> Table:
    """Return the table that the expressions are about."""
    found = Catalogue.with_schemas("shop").apply(sql, "shop").catalogue.find("shop", "t")
    assert found is not None
    return found


T = table()
ROW: Row = (
    *(2**63 + 1, 12, "bob ", "Bob", "bob", "1.50", 2.5),
    *("2020-01-02 03:04:05.000", "2020-01-02", "-01:02:03", 2, 3, 2020, b"\xff", "{}", 3),
)
NULLS: Row = (1, *(None,) * (len(ROW) - 1))

# An expression, and whether it ignores ROW, and a row of NULLs.
HOLDS: list[tuple[str, bool, bool]] = [
    ("v > 10 and name = 'bob'", True, False),
    ("v > 12 or name = 'bob'", True, False),
    ("v = 12 xor v = 13", True, False),
    ("not v = 13", True, False),
    ("!(v = 13)", True, False),
    ("v <> 13 && v != 13", True, False),
    ("v <=> null", False, True),
    ("v is null", False, True),
    ("v is not null", True, False),
    ("(v > 1) is unknown", False, True),
    ("(v > 1) is true", True, False),
    ("(v > 100) is not true", True, True),
    ("(v > 100) is false", True, False),
    ("v in (1, '12', null)", True, False),
    ("v not in (1, 2)", True, False),
    ("v not in (1, null)", False, False),
    ("v between 12 and '12'", True, False),
    ("v not between 1 and 11", True, False),
    ("v + 1 = 13 and v - 1 = 11 and v * 2 = 24", True, False),
    ("v div 5 = 2 and v % 5 = 2 and mod(-v, 5) = -2", True, False),
    ("-7 div 2 = -3 and -7.5 div 2 = -3", True, True),
    ("v div 0 is null", True, True),
    ("v", False, False),
    ("v - 11", True, False),
    ("1", True, True),
    ("1.0", False, False),
    ("'1'", False, False),
    ("e - 1", True, False),
    ("v = '12abc'", True, False),
    ("v = 'abc'", False, False),
    ("name = 0", True, False),
    ("id = 9223372036854775809", True, False),
    ("id = '9223372036854775809'", True, False),
    ("id = '9223372036854775808'", False, False),
    ("d = 1.5 and d = '1.5' and d > 1", True, False),
    ("d + 0.1 = 1.6", True, False),
    ("f = 2.5 and f > d", True, False),
    ("name = 'bob' and name = 'bob   '", True, False),
    ("name = 'BOB'", False, False),
    ("name < 'c'", True, False),
    ("ci = 'bOB' and ci like 'b%'", True, False),
    ("name like 'b_b '", True, False),
    ("name like 'b_b'", False, False),
    ("name not like 'x%'", True, False),
    ("'a%b' like 'a\\\\%b' and 'axb' not like 'a|%b' escape '|'", True, True),
    ("ts > '2020-01-02' and ts < '2020-01-02 03:04:06'", True, False),
    ("ts < 20200103 and day = 20200102", True, False),
    ("day = '2020-1-2' and day <= ts", True, False),
    ("at < '00:00:00' and at = '-01:02:03'", True, False),
    ("e = 'b' and e = 2 and e > 1", True, False),
    ("s = 'x,y' and s = 3", True, False),
    ("e like 'b' and e = e", True, False),
    ("y = 2020", True, False),
    ("bits = 3", True, False),
    ("j is null", False, True),
    ("case when v = 12 then 1 else 0 end", True, False),
    ("case v when 1 then 0 when 12 then 1 end", True, False),
    ("case v when 1 then 1 end", False, False),
    ("if(v = 12, 1, 0)", True, False),
    ("ifnull(v, 1)", False, True),
    ("coalesce(null, v, 12) = 12", True, True),
    ("nullif(v, 12) is null", True, True),
    ("t.v = 12", True, False),
    ("V = 12", True, False),
    ("+v = 12 and v = 1.2e1 and true", True, False),
]


@pytest.mark.parametrize(("text", "row", "nulls"), HOLDS)
def test_conditions(text: str, *, row: bool, nulls: bool) -> None:
    """A row is ignored when the condition is the integer 1; NULL is not."""
    found = value_filter({INSERT: text})
    assert bool(found.ignores(Op.INSERT, T, None, ROW)) is row
    assert bool(found.ignores(Op.INSERT, T, None, NULLS)) is nulls


IMAGES: list[tuple[str, Op, str]] = [
    (INSERT, Op.INSERT, "after"),
    (DELETE, Op.DELETE, "before"),
    (UPDATE_OLD, Op.UPDATE, "before"),
    (UPDATE_NEW, Op.UPDATE, "after"),
]


@pytest.mark.parametrize(("key", "op", "image"), IMAGES)
def test_images(key: str, op: Op, image: str) -> None:
    """Each expression sees its own kind of change, and of an update its own image."""
    found = value_filter({key: "v = 12"})
    for each in Op:
        before = ROW if image == "before" else NULLS
        after = ROW if image == "after" else NULLS
        held = found.ignores(each, T, before, after)
        assert held == (key if each is op else "")


def test_stops() -> None:
    """An expression that names what the table lacks stops the changefeed at its first row."""
    for text in ("nope > 1", "other.v > 1"):
        found = value_filter({INSERT: text})
        assert found.ignores(Op.DELETE, T, ROW, None) == ""
        with pytest.raises(SourceStopped) as stop:
            found.ignores(Op.INSERT, T, None, ROW)
        assert stop.value.code == "ErrExpressionColumnNotFound"


@pytest.mark.parametrize("text", ["v >", "v = 1 1", "v = = 1"])
def test_what_does_not_parse(text: str) -> None:
    """An expression that does not parse refuses the changefeed by the name of its key."""
    with pytest.raises(ChangefeedError) as refusal:
        value_filter({INSERT: text})
    assert refusal.value.code == "ErrInvalidFilterExpression"
    assert refusal.value.path == (INSERT,)


UNSUPPORTED: list[tuple[str, str]] = [
    ("v / 2 = 6", "/"),
    ("abs(v) = 1", "ABS()"),
    ("name regexp 'b'", "REGEXP"),
    ("v & 1", "&"),
    ("~v", "~"),
    ("name = x'61'", "a hex literal"),
    ("(v, 1) = (1, 1)", "ROW"),
    ("v in (select 1)", "IN (SELECT)"),
    ("name collate utf8mb4_bin = 'b'", "COLLATE"),
    ("if(v, 1) = 1", "IF() of 2 arguments"),
    ("j -> '$.a' = 1", "JSON_EXTRACT()"),
    ("ts > date '2020-01-01'", "TYPED LITERAL"),
]


@pytest.mark.parametrize(("text", "name"), UNSUPPORTED)
def test_operators_that_are_not_evaluated(text: str, name: str) -> None:
    """An operator that is not in the list is refused by name, with the list."""
    with pytest.raises(ChangefeedError) as refusal:
        value_filter({INSERT: text})
    assert name in refusal.value.what
    assert "BETWEEN" in refusal.value.expected
    assert refusal.value.path == (INSERT,)


INEXACT: list[str] = [
    "j = '{}'",
    "uni = 'bob'",
    "name = ci",
    "ci = 'é'",
    "y = 20",
    "ts = 'soon'",
    "ts > '2020-02-30'",
    "ts > '0000-00-00'",
    "at = '01:60:00'",
    "ts + 1 > 0",
    "ts and 1",
    "at = 10203",
    "v like '1%'",
    "coalesce(v, 'a') = 1",
    "id * id * id > 1",
    "f * 1e308 > 1",
    "day = 2.5",
]


@pytest.mark.parametrize("text", INEXACT)
def test_values_that_are_not_evaluated(text: str) -> None:
    """Where a value would be evaluated otherwise than by TiDB, the scenario's author is told."""
    with pytest.raises(UsageError, match="the harness does not evaluate the filter expression"):
        value_filter({INSERT: text}).ignores(Op.INSERT, T, None, ROW)


def test_binary_texts() -> None:
    """Binary columns compare byte by byte, trailing spaces included."""
    small = table("CREATE TABLE t (a VARBINARY(9))")
    found = value_filter({INSERT: "a = 'a'"})
    assert found.ignores(Op.INSERT, small, None, (b"a",)) == INSERT
    assert found.ignores(Op.INSERT, small, None, (b"a ",)) == ""
    assert found.ignores(Op.INSERT, small, None, (b"\xff",)) == ""


WORDS = (
    *("v", "name", "ts", "e", "d", "f", "y", "null", "1", "2.5", "'a'", "'2020-01-02'", "(", ")"),
    *("and", "or", "not", "=", "<", "in", "(1, 'b')", "like", "between", "is null", "+", "%", "-"),
    *("case when", "then", "end", "if(", ",", "coalesce("),
)


@given(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join) | st.text())
def test_any_text_is_evaluated_or_refused(text: str) -> None:
    """Whatever is written as an expression, a row passes, is ignored, or a refusal says why."""
    with suppress(ChangefeedError, SourceStopped, UsageError):
        assert value_filter({INSERT: text}).ignores(Op.INSERT, T, None, ROW) in ("", INSERT)

"""Each column kind has one spelling for each value; what does not fit is refused."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model.canonical import canonical
from harness.model.columns import Column, ColumnKind
from harness.model.values import Value
from tests.strategies import EACH_KIND, VALUES, columns, narrow, values

K = ColumnKind


def of(kind: ColumnKind, **properties: Any) -> Column:
    """Return a column of a kind."""
    return Column(1, "c", kind, **properties)


TINY = of(K.TINYINT)
BIG = of(K.BIGINT)
UBIG = of(K.BIGINT, unsigned=True)
MONEY = of(K.DECIMAL, length=20, scale=4)
WHOLE = of(K.DECIMAL, length=65)
MILLIS = of(K.DATETIME, scale=3)
SIZE = of(K.ENUM, members=("s", "m", "2"))
FLAGS = of(K.SET, members=("x", "y", "2"))

# Column, spelling, canonical value.
GOOD: list[tuple[Column, object, Value]] = [
    *((of(kind), None, None) for kind in K),
    (TINY, 1, 1),
    (TINY, True, 1),
    (TINY, "-128", -128),
    (TINY, Decimal("127.000"), 127),
    (TINY, 1.0, 1),
    (TINY, "+007", 7),
    (of(K.SMALLINT, unsigned=True), 65535, 65535),
    (of(K.MEDIUMINT), -8388608, -8388608),
    (of(K.INT), "2147483647", 2147483647),
    (BIG, "-9223372036854775808", -(2**63)),
    (BIG, 9007199254740993, 9007199254740993),
    (BIG, Decimal(9007199254740993), 9007199254740993),
    (BIG, Decimal("9.007199254740993e15"), 9007199254740993),
    (UBIG, "18446744073709551615", 2**64 - 1),
    (UBIG, Decimal(18446744073709551615), 2**64 - 1),
    (of(K.YEAR), 1970, 1970),
    (of(K.YEAR), "0000", 0),
    (of(K.YEAR), 2155, 2155),
    (of(K.BIT, length=64), "18446744073709551615", 2**64 - 1),
    (of(K.BIT), 1, 1),
    (of(K.FLOAT), "0.1", narrow(0.1)),
    (of(K.FLOAT), Decimal("0.10000000149011612"), narrow(0.1)),
    (of(K.FLOAT), Decimal("3.4028235e38"), narrow(3.4028234663852886e38)),
    (of(K.FLOAT), -1e-60, 0.0),
    (of(K.DOUBLE), "1e-07", 1e-7),
    (of(K.DOUBLE), ".5", 0.5),
    (of(K.DOUBLE), Decimal("1E+2"), 100.0),
    (of(K.DOUBLE), 16777217, 16777217.0),
    (of(K.DOUBLE), "-0", 0.0),
    (MONEY, 1, "1.0000"),
    (MONEY, "1.5", "1.5000"),
    (MONEY, Decimal("1.50000000"), "1.5000"),
    (MONEY, "-0.0000", "0.0000"),
    (MONEY, "1e3", "1000.0000"),
    (MONEY, 0.1, "0.1000"),
    (MONEY, "9007199254740993.0001", "9007199254740993.0001"),
    (WHOLE, "9" * 65, "9" * 65),
    (of(K.DECIMAL, length=65, scale=30), f"0.{'9' * 30}", f"0.{'9' * 30}"),
    (SIZE, "m", 2),
    (SIZE, 3, 3),
    (SIZE, "2", 3),
    (SIZE, "1", 1),
    (SIZE, "", 0),
    (SIZE, Decimal(2), 2),
    (FLAGS, "x,y", 3),
    (FLAGS, "y,x,y", 3),
    (FLAGS, "", 0),
    (FLAGS, "2", 4),
    (FLAGS, "7", 7),
    (FLAGS, 2, 2),
    (of(K.DATE), "2024-02-29", "2024-02-29"),
    (of(K.DATE), "0000-00-00", "0000-00-00"),
    (of(K.TIME), "-838:59:59", "-838:59:59"),
    (of(K.TIME, scale=3), "01:02:03.5", "01:02:03.500"),
    (of(K.TIME), "01:02:03.000", "01:02:03"),
    (MILLIS, "2024-02-29 23:59:59", "2024-02-29 23:59:59.000"),
    (MILLIS, "2024-02-29T23:59:59.120000", "2024-02-29 23:59:59.120"),
    (of(K.TIMESTAMP, scale=6), "1970-01-01 00:00:01.000001", "1970-01-01 00:00:01.000001"),
    (of(K.CHAR, length=10), "a  ", "a"),
    (of(K.VARCHAR, length=10), "a  ", "a  "),
    (of(K.LONGTEXT), "é\0", "é\0"),
    (of(K.BINARY, length=4), "6162", b"ab\0\0"),
    (of(K.VARBINARY, length=4), "FF00", b"\xff\x00"),
    (of(K.BLOB), b"\x89", b"\x89"),
    (of(K.BLOB), "", b""),
    (of(K.VECTOR), " [ 1, 2.5 ,-3]", "[1,2.5,-3]"),
    (of(K.VECTOR), "[]", "[]"),
    # 32 bits, the fewest digits, no exponent: TiDB's VectorFloat32.String.
    (
        of(K.VECTOR),
        "[1e3,1e-7,123456789,0.10,3.4028235e38]",
        f"[1000,0.0000001,123456790,0.1,{34028235 * 10**31}]",
    ),
    (of(K.JSON), '{"b":1,"a":[1.0,1e2,"é<"]}', '{"a": [1.0, 100.0, "é<"], "b": 1}'),
    # TiCDC vectors type_json_null/2, 7 to 10, 12 to 14: what TiDB makes of each spelling.
    (of(K.JSON), "1e-7", "0.0000001"),
    (of(K.JSON), "1e20", "1e20"),
    (of(K.JSON), "1e21", "1e21"),
    (of(K.JSON), "3.0", "3.0"),
    (of(K.JSON), "0.1", "0.1"),
    (of(K.JSON), "-9223372036854775808", "-9223372036854775808"),
    (of(K.JSON), r'"<a>&\u2028\\/\n\t\b"', r'"<a>&\u2028\\/\n\t\b"'),
    # TiDB pkg/types/json_binary.go `appendBinaryNumber`, `marshalFloat64To`.
    (of(K.JSON), "1E+5", "100000.0"),
    (of(K.JSON), "2.500", "2.5"),
    (of(K.JSON), "-0", "0"),
    (of(K.JSON), "-0.0", "-0.0"),
    (of(K.JSON), "999999999999999.9", "999999999999999.9"),
    (of(K.JSON), "1e15", "1e15"),
    (of(K.JSON), "1e-15", "0.000000000000001"),
    (of(K.JSON), "9.9e-16", "9.9e-16"),
    (of(K.JSON), "18446744073709551616", "1.8446744073709552e19"),
    (of(K.JSON), "-9223372036854775809", "-9.223372036854776e18"),
    (of(K.JSON), "123456789012345678901234567890", "1.2345678901234568e29"),
    (of(K.JSON), r'"\ud800"', '"\N{REPLACEMENT CHARACTER}"'),
    (of(K.JSON), "null", "null"),
    (of(K.JSON), "18446744073709551615", "18446744073709551615"),
    (of(K.JSON), '{"測": 1, "z": 2, "é": 3}', '{"z": 2, "é": 3, "測": 1}'),
]


@pytest.mark.parametrize(("column", "raw", "value"), GOOD, ids=lambda part: ascii(part)[:30])
def test_good_spellings(column: Column, raw: object, value: Value) -> None:
    """Each spelling that fits becomes the one canonical value, of the one canonical type."""
    # Equal texts are equal types as well, and tell the two zeros apart.
    assert repr(canonical(column, raw)) == repr(value)


HUGE = Decimal("1e100000")
# Column, wrong spelling, part of the reason.
BAD: list[tuple[Column, object, str]] = [
    *((of(kind), [1], "is not") for kind in K),
    *((of(kind), {"a": 1}, "is not") for kind in K),
    (TINY, 128, "128 is out of the range of tinyint"),
    (TINY, -129, "out of the range"),
    (of(K.TINYINT, unsigned=True), -1, "out of the range of tinyint unsigned"),
    (UBIG, 2**64, "out of the range of bigint unsigned"),
    (BIG, 2**63, "out of the range"),
    (TINY, Decimal("1.5"), "is not an integer"),
    (TINY, float("nan"), "is not an integer"),
    (TINY, float("inf"), "is not an integer"),
    (TINY, Decimal("NaN"), "is not an integer"),
    (TINY, Decimal("Infinity"), "is not an integer"),
    (BIG, HUGE, "is not an integer"),
    (BIG, Decimal("1e-100000"), "is not an integer"),
    (BIG, "9" * 10_000, "is not an integer"),
    (TINY, "1_0", "'1_0' is not an integer"),
    (TINY, " 1", "is not an integer"),
    (TINY, "1\n", "is not an integer"),
    (TINY, "٣", "is not an integer"),
    (TINY, "", "is not an integer"),
    (of(K.YEAR), 1900, "is not a year"),
    (of(K.YEAR), 70, "is not a year"),
    (of(K.YEAR), 2156, "is not a year"),
    (of(K.BIT, length=3), 8, "does not fit into 3 bits"),
    (of(K.BIT), -1, "does not fit into 1 bits"),
    (of(K.FLOAT), "1e39", "out of the range of float"),
    (of(K.DOUBLE), "1e309", "not a finite number"),
    (of(K.DOUBLE), 10**400, "not a finite number"),
    (of(K.DOUBLE), HUGE, "not a finite number"),
    (of(K.DOUBLE), "inf", "is not a number"),
    (of(K.DOUBLE), "nan", "is not a number"),
    (of(K.DOUBLE), "1_0", "is not a number"),
    (of(K.DOUBLE), " 1", "is not a number"),
    (of(K.DOUBLE), True, "is not a number"),
    (of(K.DOUBLE), "1" * 1000, "is not a number"),
    (MONEY, "1.00001", "more than 4 digits after the point"),
    (MONEY, Decimal("1e-999"), "more than 4 digits after the point"),
    (MONEY, "1_0", "is not a number"),
    (MONEY, "", "is not a number"),
    (MONEY, Decimal("sNaN"), "not a finite number"),
    (MONEY, HUGE, "more digits than any decimal column"),
    (MONEY, False, "is not a number"),
    (SIZE, "l", "'l' is not a member of"),
    (SIZE, 4, "4 is not an index into"),
    (SIZE, -1, "is not an index into"),
    (FLAGS, "x,z", "'z' is not a member of"),
    (FLAGS, "x,", "'' is not a member of"),
    (FLAGS, 8, "8 is not a mask over"),
    (FLAGS, "9", "9 is not a mask over"),
    (of(K.DATE), "2024-2-29", "is not a date"),
    (of(K.DATE), "2024-02-29 00:00:00", "is not a date"),
    (of(K.DATE), 20240229, "is not a date"),
    (of(K.TIME), "1:02:03", "is not a time"),
    (of(K.TIME), "01:02:03.001", "more than 0 fractional digits"),
    (MILLIS, "2024-02-29", "is not a date and time"),
    (MILLIS, "2024-02-29 23:59:59.1201", "more than 3 fractional digits"),
    (MILLIS, "2024-02-29 23:59:59Z", "is not a date and time"),
    (of(K.VARCHAR), 1, "is not text"),
    (of(K.VARCHAR), b"a", "is not text"),
    (of(K.BLOB), "6", "is not hexadecimal"),
    (of(K.BLOB), "zz", "is not hexadecimal"),
    (of(K.BLOB), 1, "is not binary"),
    (of(K.JSON), 1, "is not JSON text"),
    (of(K.JSON), "{", "is not JSON"),
    (of(K.JSON), "NaN", "is not JSON"),
    (of(K.JSON), "1e400", "out of the range of a double"),
    (of(K.JSON), "[" * 100_000, "nested too deeply"),
    (of(K.JSON), "'a'", "is not JSON"),
    (of(K.VECTOR), "1,2", "is not a vector"),
    (of(K.VECTOR), "[1,]", "is not a vector"),
    (of(K.VECTOR), "[nan]", "is not a vector"),
]


@pytest.mark.parametrize(("column", "raw", "why"), BAD, ids=lambda part: ascii(part)[:30])
def test_bad_spellings(column: Column, raw: object, why: str) -> None:
    """A spelling that does not fit is refused at once, in a sentence of sane length."""
    with pytest.raises(ValueError, match=why) as refusal:
        canonical(column, raw)
    assert len(str(refusal.value)) < 1000


def test_every_kind_has_a_strategy() -> None:
    """A new column kind is drawn by the properties below, or this fails."""
    assert set(VALUES) == set(K)


@pytest.mark.parametrize("kind", K)
@EACH_KIND
@given(data=st.data())
def test_canonical_is_a_fixed_point(kind: ColumnKind, data: st.DataObject) -> None:
    """What is canonical is its own canonical form."""
    column = data.draw(columns(kind))
    value = data.draw(values(column))
    assert canonical(column, value) == value


JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.decimals()
    | st.text()
    | st.text("0123456789.-:eE+ T", max_size=24)
    | st.binary(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=3,
)


@pytest.mark.parametrize("kind", K)
@EACH_KIND
@given(data=st.data(), raw=JSON_VALUES)
def test_anything_is_read_or_refused(kind: ColumnKind, data: st.DataObject, raw: object) -> None:
    """Whatever a consumer answers, it is read, canonical from then on, or refused."""
    column = data.draw(columns(kind))
    try:
        value = canonical(column, raw)
    except ValueError:
        return
    assert canonical(column, value) == value


@given(st.integers(-(2**63), 2**64 - 1), st.integers(-(2**63), 2**64 - 1))
def test_json_integers_stay_apart(one: int, other: int) -> None:
    """Integers of 64 bits are the same only when every digit is."""
    column = of(K.JSON)
    same = canonical(column, json.dumps([one])) == canonical(column, json.dumps([other]))
    assert same == (one == other)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_json_doubles_are_exact(number: float) -> None:
    """Whatever a double looks like, what is written reads back as it and never as an integer."""
    written = canonical(of(K.JSON), json.dumps(number))
    assert repr(float(str(written))) == repr(number)
    assert not isinstance(json.loads(str(written)), int)


@given(st.integers(2**53, 2**64 - 1))
def test_integers_are_exact(number: int) -> None:
    """Beyond 2^53 a number, its text and its decimal are still one value, its neighbour another."""
    spellings = [number, str(number), Decimal(number)]
    assert {canonical(UBIG, spelling) for spelling in spellings} == {number}
    assert canonical(UBIG, number - 1) != number

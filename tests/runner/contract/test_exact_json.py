"""JSON from consumers is read exactly, or refused with words that help."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.runner.contract.exact_json import MAX_DEPTH, Malformed, parse

SCALARS = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)

REFUSED = {
    b"": "empty",
    b"  ": "empty",
    b'{"a": 1': "half-written: the text ends at column 7",
    b'{"a": "tex': "half-written: the text ends at column 10",
    b"[1, ": "half-written: the text ends at column 3",
    b"{'a': 1}": "not JSON at column 2",
    b'{"a": 1} x': "not JSON at column 10",
    b"NaN": "NaN is not JSON",
    b"[-Infinity]": "-Infinity is not JSON",
    b"01": "not JSON at column 2",
    b'{"a": 1, "b": {"c": 1, "c": 1}}': "the key 'c' is there twice",
    b'"\xff"': "byte 2 (0xff) is not UTF-8",
    b'["\\ud800"]': "half of a surrogate pair",
    b'{"\\udc00": 1}': "half of a surrogate pair",
    b"1e999999999": "the number 1e999999999 is out of bounds",
    b"1e99999999999999999999999": "is out of bounds",
    b"1e-99999999999999999999999": "is out of bounds",
    b"9" * 5000: "more than 4300 digits",
    b"[" * 100 + b"]" * 100: "nested deeper",
    b"[" * 100_000: "nested deeper",
    b"\x00": "not JSON at column 1",
    b'"\x01"': "not JSON at column 2",
}


@pytest.mark.parametrize(("raw", "words"), REFUSED.items(), ids=range(len(REFUSED)))
def test_what_is_not_json_is_refused_in_words(raw: bytes, words: str) -> None:
    """Each way of not being JSON has a message of its own."""
    with pytest.raises(Malformed) as refusal:
        parse(raw)
    assert words in refusal.value.what


@given(VALUES)
def test_what_json_can_say_is_read_as_said(value: object) -> None:
    """Any JSON value without fractions comes back equal, escaped or not."""
    assert parse(json.dumps(value).encode()) == value
    assert parse(json.dumps(value, ensure_ascii=False).encode()) == value


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**40), max_value=10**40))
def test_fractions_keep_every_digit(number: Decimal) -> None:
    """A number with a point or an exponent is the decimal that was written, digit for digit."""
    text = f"{number:e}"
    assert parse(text.encode()) == number


def test_integers_stay_integers() -> None:
    """The largest unsigned bigint is exact, and `1` is not `1.0`."""
    assert parse(b"18446744073709551615") == 2**64 - 1
    assert isinstance(parse(b"1"), int)
    assert isinstance(parse(b"1.0"), Decimal)


def test_nesting_up_to_the_bound_is_read() -> None:
    """The bound is on depth, not on the number of brackets."""
    assert parse(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    assert parse(b"[" + b",".join([b"{}"] * 500) + b"]") == [{}] * 500

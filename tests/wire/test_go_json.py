"""JSON and quoted text as Go prints them; the facts are those of the vendor's vectors."""

from __future__ import annotations

import json
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from struct import pack, unpack

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.wire.go_json import go_float, go_quote, go_string, go_unquote

SURROGATES = "\ud800\udbff\udc00\udc80\udfff"


def float32(number: float) -> float:
    """Return the 32-bit float that is nearest."""
    narrowed: float = unpack("<f", pack("<f", number))[0]
    return narrowed


# Text -> its JSON. Vectors: type_char10_null, type_varchar64_null, key_html_col_names.
STRINGS = {
    "": '""',
    "aa": '"aa"',
    '"': r'"\""',
    "\\": r'"\\"',
    "\b\f/": r'"\b\f/"',
    "line1\nline2\ttab\rcr": r'"line1\nline2\ttab\rcr"',
    "<>&": r'"\u003c\u003e\u0026"',
    "\x00\x01\x1f\x7f": '"\\u0000\\u0001\\u001f\x7f"',
    "\v\a\x1b": r'"\u000b\u0007\u001b"',
    "\u2028\u2029": r'"\u2028\u2029"',
    "测试 😀 e\u0301\u00a0": '"测试 😀 e\u0301\u00a0"',
    "\ufeffbom\U0010ffff": '"\ufeffbom\U0010ffff"',
    "a\x85b": '"a\x85b"',
    SURROGATES: '"' + r"\ufffd" * 5 + '"',
}


@pytest.mark.parametrize(("text", "written"), STRINGS.items(), ids=ascii)
def test_string(text: str, written: str) -> None:
    """Text is escaped as encoding/json escapes it, HTML included, and nothing else is."""
    assert go_string(text) == written


@given(st.text(st.characters(codec="utf-8")))
def test_string_reads_back(text: str) -> None:
    """A JSON reader gets the text back, and no character that Go escapes is left raw."""
    written = go_string(text)
    assert json.loads(written) == text
    assert not any(char in "<>&\u2028\u2029" or char < " " for char in written)


# Number -> its text. Vectors: type_double_null, float_negzero.
DOUBLES = {
    0.0: "0",
    1.5: "1.5",
    -0.1: "-0.1",
    100000.0: "100000",
    1e20: "100000000000000000000",
    999999999999999934463.0: "999999999999999900000",
    1e21: "1e+21",
    -1e21: "-1e+21",
    1.5e22: "1.5e+22",
    1e-6: "0.000001",
    9.99999e-7: "9.99999e-7",
    1e-7: "1e-7",
    -1e-9: "-1e-9",
    1.25e-10: "1.25e-10",
    123456789.12345679: "123456789.12345679",
    9007199254740992.0: "9007199254740992",
    1.7976931348623157e308: "1.7976931348623157e+308",
    2.2250738585072014e-308: "2.2250738585072014e-308",
    5e-324: "5e-324",
}
# Vectors: type_float_null.
FLOATS = {
    0.0: "0",
    3.14: "3.14",
    153.123: "153.123",
    0.1: "0.1",
    1e10: "10000000000",
    1e20: "100000000000000000000",
    1e21: "1e+21",
    -1e21: "-1e+21",
    1e-6: "0.000001",
    -1e-6: "-0.000001",
    9.9999e-7: "9.9999e-7",
    1e-7: "1e-7",
    3.4028235e38: "3.4028235e+38",
    -3.4028235e38: "-3.4028235e+38",
    1.1754944e-38: "1.1754944e-38",
    1e-45: "1e-45",
    16777216.0: "16777216",
    16777217.0: "16777216",
    33554432.0: "33554432",
    123456.79: "123456.79",
    1.36441695e-05: "0.0000136441695",
    -1e-9: "-1e-9",
}


@pytest.mark.parametrize(("number", "written"), DOUBLES.items())
def test_double(number: float, written: str) -> None:
    """A 64-bit float has the shortest digits, fixed notation from 1e-6 up to below 1e21."""
    assert go_float(number) == written


@pytest.mark.parametrize(("number", "written"), FLOATS.items())
def test_float(number: float, written: str) -> None:
    """A 32-bit float has the digits that 32 bits need; 1e-6 is still fixed notation."""
    assert go_float(float32(number), 32) == written


def test_negative_zero() -> None:
    """TiDB stores no negative zero, so none is written."""
    assert go_float(-0.0) == go_float(-0.0, 32) == "0"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_double_reads_back(number: float) -> None:
    """The text of a 64-bit float is JSON, reads back as the same float, and has no idle digits."""
    written = go_float(number)
    assert float(json.loads(written)) == number
    assert not ("." in written and written.split("e")[0].endswith("0"))


def shortest(number: float) -> int:
    """Return how many digits a 32-bit float needs, by trying both roundings of each length."""
    exact = abs(Decimal(number))
    for digits in range(1, 10):
        unit = Decimal(1).scaleb(exact.adjusted() - digits + 1)
        for rounding in (ROUND_FLOOR, ROUND_CEILING):
            rounded = (exact / unit).to_integral_value(rounding) * unit
            if rounded < Decimal(2) ** 128 and narrows(float(rounded)) == abs(number):
                return digits
    raise AssertionError(number)


def narrows(number: float) -> float | None:
    """Return the nearest 32-bit float, None beyond the greatest."""
    try:
        return float32(number)
    except OverflowError:
        return None


def holds(number: float) -> bool:
    """Return whether a 32-bit float's text reads back, and none with fewer digits does."""
    written = go_float(number, 32)
    digits = len(Decimal(written).normalize().as_tuple().digits)
    return float32(float(written)) == number and digits == shortest(number)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False).filter(bool))
@example(1.401298464324817e-45)
@example(3.4028234663852886e38)
def test_float_reads_back(number: float) -> None:
    """The text of a 32-bit float reads back as the same float, and none with fewer digits does."""
    assert holds(number)


def test_powers_of_two() -> None:
    """Powers of two, whose neighbours lie at unequal distances, have their shortest digits too."""
    powers = [2.0**exponent for exponent in range(-149, 128)]
    assert [power for power in powers if not (holds(power) and holds(-power))] == []


# Bytes -> strconv.Quote of them. Vectors: type_varbinary64_null, type_binary4_null.
QUOTED = {
    b"": "",
    b"ab\x00\x00": r"ab\x00\x00",
    b"\x89PNG\r\n\x1a\n": r"\x89PNG\r\n\x1a\n",
    b'\x00\x11"3DUfw\x88\x99\xaa\xbb\xcc\xdd\xee\xff': (
        r"\x00\x11\"3DUfw\x88\x99\xaa\xbb\xcc\xdd\xee\xff"
    ),
    b"\a\b\f\v\t": r"\a\b\f\v\t",
    b"\"\\'": r"\"\\'",
    b"\xff\xfe\x00": r"\xff\xfe\x00",
    b"\xe4\xb8": r"\xe4\xb8",
    b"\xe2\x80\xa8": r"\u2028",
    b"\x7f": r"\x7f",
    b"\xc2\x80": r"\u0080",
    b"\xc2\xad": r"\u00ad",
    b"\xc2\xa0": r"\u00a0",
    b"\xef\xbb\xbf": r"\ufeff",
    b"\xef\xbf\xbd": "\ufffd",
    b"\xee\x80\x80": r"\ue000",
    b"\xf4\x8f\xbf\xbf": r"\U0010ffff",
    b"\xc0\xaf": r"\xc0\xaf",
    b"\xed\xa0\x80": r"\xed\xa0\x80",
    "测试 😀é".encode(): "测试 😀é",
}


@pytest.mark.parametrize(("raw", "written"), QUOTED.items(), ids=ascii)
def test_quote(raw: bytes, written: str) -> None:
    """Bytes are quoted as strconv.Quote quotes them, and unquoted again."""
    assert go_quote(raw) == written
    assert go_unquote(written) == raw


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "replace")))
def test_quote_loses_nothing(raw: bytes) -> None:
    """Unquoting gives back the very bytes that were quoted, whatever they are."""
    assert go_unquote(go_quote(raw)) == raw


def test_quote_every_byte() -> None:
    """Each of the 256 bytes survives, alone and between others."""
    for code in range(256):
        for raw in (bytes([code]), bytes([0x61, code, 0x62])):
            assert go_unquote(go_quote(raw)) == raw


@pytest.mark.parametrize(
    "text",
    [
        "\\",
        r"\q",
        r"\x1",
        r"\xgg",
        r"\u12",
        r"\ud800",
        r"\U00110000",
        r"\U0010fff",
        r"\'",
        "\ud800",
    ],
    ids=ascii,
)
def test_bad_quotes(text: str) -> None:
    """An escape that Go does not write is refused with ValueError."""
    with pytest.raises(ValueError):  # noqa: PT011  (the kind is the promise, the words are Python's)
        go_unquote(text)


@given(st.text())
def test_any_text_unquotes_or_is_refused(text: str) -> None:
    """Unquoting any text gives bytes or ValueError."""
    try:
        go_unquote(text)
    except ValueError:
        return

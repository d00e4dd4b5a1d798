"""Promises of reading column values."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from cdc_spark.errors import DecodingError
from cdc_spark.open.values import DIALECTS, image, read

# (type code, flag, wire value) -> what the contract wants to see; codes of the 2020 document.
CURRENT: list[tuple[int, int, Any, Any]] = [
    (1, 65, -128, -128),
    (8, 193, 18446744073709551615, 18446744073709551615),
    (8, 65, -9223372036854775808, -9223372036854775808),
    (4, 65, 3.4028235e38, 3.4028235e38),
    (5, 65, 153, 153.0),
    (5, 65, 100000000000000000000, 1e20),
    (7, 65, "1973-12-30 15:30:00", "1973-12-30 15:30:00"),
    (10, 65, "0000-00-00", "0000-00-00"),
    (11, 65, "-838:59:59.999", "-838:59:59.999"),
    (13, 193, 1970, 1970),
    (15, 64, "测试", "测试"),
    (15, 64, r"\x41", r"\x41"),
    (15, 65, r"\x89PNG\r\n", "89504e470d0a"),
    (254, 65, r"a\x00", "6100"),
    (253, 64, "a", "a"),
    (16, 193, 18446744073709551615, 18446744073709551615),
    (225, 65, "[1,2.5]", "[1,2.5]"),
    (245, 65, '{"a": 1e20}', '{"a": 1e20}'),
    (246, 65, "129012.1230000", "129012.1230000"),
    (247, 64, 2, 2),
    (248, 64, 18446744073709551615, 18446744073709551615),
    (252, 64, base64.b64encode("测试".encode()).decode(), "测试"),
    (249, 65, base64.b64encode(b"\xff\x00").decode(), "ff00"),
    (6, 0, None, None),
    (3, 65, None, None),
]

REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("text for a number", {"t": 3, "f": 0, "v": "1"}),
    ("a boolean", {"t": 1, "f": 0, "v": True}),
    ("a fraction", {"t": 3, "f": 0, "v": 1.5}),
    ("a number for text", {"t": 15, "f": 0, "v": 1}),
    ("a number for a decimal", {"t": 246, "f": 0, "v": 1.5}),
    ("no base64", {"t": 252, "f": 1, "v": "?"}),
    ("text that is not UTF-8", {"t": 252, "f": 0, "v": "/w=="}),
    ("an unknown type code", {"t": 99, "f": 0, "v": 1}),
    ("GEOMETRY", {"t": 255, "f": 0, "v": "x"}),
    ("a value of NULL type", {"t": 6, "f": 0, "v": 1}),
    ("no value", {"t": 3, "f": 0}),
    ("no flag", {"t": 3, "v": 1}),
    ("no type", {"f": 0, "v": 1}),
]


@pytest.mark.parametrize(("code", "flag", "wire", "expected"), CURRENT)
def test_values_of_the_current_dialect(code: int, flag: int, wire: Any, expected: Any) -> None:
    """Each type code's value arrives exactly, and in its own JSON type."""
    found = read(DIALECTS["current"], "c", {"t": code, "f": flag, "v": wire})
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize("code", [15, 249, 250, 251, 252, 253, 254])
def test_strings_of_the_first_dialect_are_bytes_of_unknown_nature(code: int) -> None:
    """Version 4.0.4 sends all strings as base64, and does not say whether they are text."""
    assert read(DIALECTS["4.0.4"], "c", {"t": code, "v": "YWE="}) == ["6161"]


@pytest.mark.parametrize(("what", "wire"), REFUSED)
def test_what_does_not_fit_is_refused_by_name(what: str, wire: dict[str, Any]) -> None:
    """A column that cannot be read is named, whatever is wrong with it."""
    with pytest.raises(DecodingError, match="'c'"):
        read(DIALECTS["current"], "c", wire)
    assert what


def test_the_handle_key_is_carried_twice() -> None:
    """A column is of the handle key when it says `h`, or when flag bit 2 does."""
    document = {
        "says": {"t": 3, "h": True, "f": 1, "v": 1},
        "flagged": {"t": 3, "f": 11, "v": 2},
        "other": {"t": 3, "f": 65, "v": 3},
        "denies": {"t": 3, "h": False, "f": 65, "v": 4},
    }
    row, handle = image(DIALECTS["current"], document)
    assert handle == ["flagged", "says"]
    assert row == {"says": 1, "flagged": 2, "other": 3, "denies": 4}

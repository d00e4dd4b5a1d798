"""Scenario text is read as YAML 1.2, exactly, and nothing in it can hurt the reader."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.documents.scalars import plain
from harness.documents.yaml_file import BYTES_MAX, DEPTH_MAX, NODES_MAX, read
from harness.errors import Problem, ScenarioError

# Text of a plain scalar -> its value, by YAML 1.2's core schema.
SCALARS: list[tuple[str, Any]] = [
    ("", None),
    ("~", None),
    ("null", None),
    ("NULL", None),
    ("nUll", "nUll"),
    ("true", True),
    ("False", False),
    ("yes", "yes"),
    ("no", "no"),
    ("on", "on"),
    ("off", "off"),
    ("y", "y"),
    ("0", 0),
    ("010", 10),
    ("-0", 0),
    ("+7", 7),
    ("0o17", 15),
    ("0o8", "0o8"),
    ("0xFf", 255),
    ("0xg", "0xg"),
    ("0b11", "0b11"),
    ("1_000", "1_000"),
    ("18446744073709551615", 2**64 - 1),
    ("12:30:45", "12:30:45"),
    ("190:20:30", "190:20:30"),
    ("2024-02-29", "2024-02-29"),
    ("2024-02-29 23:59:59.120", "2024-02-29 23:59:59.120"),
    ("1.10", Decimal("1.10")),
    ("-.5", Decimal("-0.5")),
    ("1.", Decimal(1)),
    ("6.02e23", Decimal("6.02e23")),
    ("0.1000000000000000055511151231257827", Decimal("0.1000000000000000055511151231257827")),
    ("4.0.4", "4.0.4"),
    ("1e5x", "1e5x"),
    (".", "."),
    ("-", "-"),
    ("-.infinite", "-.infinite"),
    ("nope", "nope"),
]


@pytest.mark.parametrize(("text", "value"), SCALARS, ids=[text or "empty" for text, _ in SCALARS])
def test_plain_scalars_follow_the_core_schema(text: str, value: object) -> None:
    """A bare word is a number, a truth value or null by YAML 1.2's rules, and text by no other."""
    got = plain(text)
    assert (got, type(got)) == (value, type(value))
    assert str(got) == str(value)


@pytest.mark.parametrize(
    "text", [".inf", "-.INF", ".nan", "1e401", "1e-999999", "9" * 401, "0x" + "f" * 401]
)
def test_numbers_that_no_column_holds_are_refused(text: str) -> None:
    """An infinite, undefined or monstrous number is a mistake, not a value."""
    with pytest.raises(ValueError, match=r"number|column"):
        plain(text)


@given(st.integers() | st.decimals(allow_nan=False, allow_infinity=False, places=30))
def test_numbers_are_exact(number: int | Decimal) -> None:
    """Whatever number is written, that number is read, to the last digit."""
    text = f"{number:f}" if isinstance(number, Decimal) else str(number)
    value = read(f"a: {text}", "x").data["a"]
    assert (value, f"{value:f}" if isinstance(number, Decimal) else str(value)) == (number, text)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"])))
def test_quoted_text_is_read_as_it_is(text: str) -> None:
    """What stands in double quotes, escaped as JSON escapes it, comes back unchanged."""
    assert read(f"a: {json.dumps(text, ensure_ascii=False)}", "x").data == {"a": text}


def refusal(text: str) -> str:
    """Return what is said about a text that is refused."""
    with pytest.raises(ScenarioError) as caught:
        read(text, "x")
    return str(caught.value)


def test_depth_is_bounded() -> None:
    """A file that nests a hundred thousand lists is refused, and the process lives on."""
    assert f"more than {DEPTH_MAX} deep" in refusal("- " * 100_000)
    assert f"more than {DEPTH_MAX} deep" in refusal("[" * 100_000)
    assert f"more than {DEPTH_MAX} deep" in refusal("{a: " * 100_000)


def test_expansion_is_bounded() -> None:
    """A billion laughs are refused before anybody laughs."""
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    assert f"more than {NODES_MAX} values" in refusal("\n".join(lines))


def test_a_file_of_the_largest_size_is_read() -> None:
    """A million bytes of text take no special path."""
    text = "a: " + "x" * (BYTES_MAX - 10)
    assert len(read(text, "x").data["a"]) == BYTES_MAX - 10


@pytest.mark.parametrize("char", ["\0", "\x07", "\x1b", "\x7f", "\ufffe", "\ud800"])
def test_characters_outside_of_yaml_are_refused_at_their_place(char: str) -> None:
    """A control character is told by its number, line and column, however wide what precedes it."""
    said = refusal(f"a: é\nb: 日本𝒳{char}")
    assert said.startswith(f"x:2:7: not YAML: the character U+{ord(char):04X} is not allowed")


def test_aliases_are_expanded() -> None:
    """An anchor may be used again, as data is data."""
    source = read("a: &row {id: 1}\nb: [*row, *row]", "x")
    assert source.data == {"a": {"id": 1}, "b": [{"id": 1}, {"id": 1}]}


def test_places_are_those_of_the_file() -> None:
    """Keys, values and items are found where they stand; what is not there leads to its parent."""
    source = read("a:\n  - x\n  - {é: 1, b: 2}\n", "f")
    assert str(source.place(("a", 1, "b"))) == "f:3:15"
    assert str(source.place_of_key(("a", 1, "b"))) == "f:3:12"
    assert str(source.place_of_key(("a", 1))) == "f:3:5"
    assert str(source.place(("a", 1, "missing"))) == "f:3:5"
    assert str(source.place(("a", 9))) == "f:2:3"
    assert str(source.place_of_key(("a", 1, "missing"))) == "f:3:5"


@given(st.text(st.sampled_from("ab:- \n#&*[]{}'\"|>!%@`,?1\t\\~"), max_size=40))
def test_any_text_is_data_or_a_problem(text: str) -> None:
    """No text leads to anything but data or a ScenarioError with a place."""
    problems: tuple[Problem, ...] = ()
    try:
        read(text, "x")
    except ScenarioError as error:
        problems = error.problems
    assert all(problem.location.line for problem in problems)

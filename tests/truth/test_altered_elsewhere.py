"""Whatever of a vector is compared, a change to it is noticed: Avro, Vitess, and decisions.

Each row of the table walks to one member of one vector and changes it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import reduce
from typing import Any, cast

import pytest

from harness.codecs.connect.errors import JavaError
from harness.codecs.debezium import errors
from harness.codecs.debezium.errors import ConnectorFailed
from harness.mutants.producers.patch import applied, instead
from harness.truth.read import vectors
from tests.truth.vectors import SUBSET, judged

Change = Callable[[Any], Any]
Path = tuple[str | int, ...]


def flip(text: str) -> str:
    """Turn the last bit of hexadecimal text."""
    return text[:-1] + format(int(text[-1], 16) ^ 1, "x")


def longer(text: str) -> str:
    """Add a character to a text."""
    return text + "x"


def more(number: int) -> int:
    """Add one to a number."""
    return number + 1


def twice(members: list[Any]) -> list[Any]:
    """Repeat the first member of a list at its end."""
    return [*members, members[0]]


def fewer(members: list[Any]) -> list[Any]:
    """Take the last member of a list away."""
    return members[:-1]


def rewritten(_: object) -> str:
    """Say that there was an error."""
    return "an error"


TYPES = "ticdc/avro_types.jsonl"
CRUD = "vitess/01_crud_keys.jsonl"
FAILED = "vitess/07_protocol_errors.jsonl"
SPOILT: list[tuple[str, Path, Change]] = [
    (TYPES, ("events", 0, "value_hex"), flip),
    (TYPES, ("events", 0, "key_hex"), flip),
    (TYPES, ("events", 0, "producer_length"), more),
    (TYPES, ("events", 0, "topic"), longer),
    (TYPES, ("events",), twice),
    (TYPES, ("events",), fewer),
    (TYPES, ("registered", 0, "subject"), longer),
    (TYPES, ("registered", 0, "body"), longer),
    (TYPES, ("registered",), fewer),
    (TYPES, ("schemas", 0), longer),
    (TYPES, ("rows", 0, "columns", 0, "type"), more),
    (TYPES, ("rows", 0, "columns", 0, "flag"), more),
    (CRUD, ("records", 0, "key_text"), longer),
    (CRUD, ("records", 0, "value_text"), longer),
    (CRUD, ("records", 0, "topic"), longer),
    (CRUD, ("records", 0, "value", "schema", "name"), longer),
    (CRUD, ("records", 0, "value", "schema", "fields"), fewer),
    (CRUD, ("records", 0, "headers"), fewer),
    (CRUD, ("records", 0, "source_offset", "vgtid"), longer),
    (CRUD, ("records",), fewer),
    (CRUD, ("records",), twice),
    (FAILED, ("error", 0), longer),
    (FAILED, ("error", 1), longer),
    ("ticdc/dispatch.jsonl", ("dispatch", 0, "partition", "100"), more),
    ("ticdc/dispatch.jsonl", ("dispatch", 0, "topic"), longer),
    ("ticdc/topics.jsonl", ("dispatch", 0, "topic"), longer),
    ("ticdc/filters.jsonl", ("expected",), longer),
    ("ticdc/ddl_eligibility.jsonl", ("expected",), longer),
]


def holding(file: str, path: Path) -> dict[str, Any]:
    """Return the first vector of a file that has something at the end of the path."""
    for _, found in vectors(SUBSET / file):
        try:
            if reduce(_member, path, found):
                return copy.deepcopy(dict(found))
        except (IndexError, KeyError, TypeError):
            continue
    raise KeyError(path)


def _member(value: Any, step: str | int) -> Any:
    return value[_key(value, step)]


def _key(value: Any, step: str | int) -> Any:
    """Return a step as a key of the value: a number counts the members of an object too."""
    if isinstance(step, int) and isinstance(value, dict):
        return list(cast("dict[str, Any]", value))[step]
    return step


def altered(value: Any, path: Path, change: Change) -> Any:
    """Return a document with the member at the end of the path changed."""
    if not path:
        return change(value)
    key = _key(value, path[0])
    value[key] = altered(value[key], path[1:], change)
    return value


@pytest.mark.parametrize(
    ("file", "path", "change"),
    SPOILT,
    ids=[f"{file}:{'.'.join(map(str, path))}:{c.__name__}" for file, path, c in SPOILT],
)
def test_what_is_altered_is_noticed(file: str, path: Path, change: Change) -> None:
    """The untouched vector is equal; with one member changed it is not."""
    whole = holding(file, path)
    assert judged(whole).differences == ()
    said = judged(altered(whole, path, change))
    assert said.differences
    assert said.differences[0].ours != said.differences[0].theirs


@pytest.mark.parametrize(
    ("file", "where", "path", "change"),
    [
        (TYPES, "events[0].value_hex", ("events", 0, "value_hex"), flip),
        (CRUD, "records[0].value_text", ("records", 0, "value_text"), longer),
        ("ticdc/dispatch.jsonl", "dispatch[0].topic", ("dispatch", 0, "topic"), longer),
    ],
)
def test_the_place_is_reported(file: str, where: str, path: Path, change: Change) -> None:
    """A difference names the member that differs, from the vector's root."""
    said = judged(altered(holding(file, path), path, change))
    assert any(difference.where.startswith(where) for difference in said.differences)


@pytest.mark.parametrize("name", ["err.grpc_unknown", "err.grpc_unavailable"])
def test_a_stream_that_fails_is_retried(name: str) -> None:
    """The vendor's task ends as one that is started again; one that stops for good differs."""
    (whole,) = [found for _, found in vectors(SUBSET / FAILED) if found["id"] == name]
    assert judged(whole).differences == ()

    def stops(error: JavaError, *_: str) -> ConnectorFailed:
        return errors.not_restarted(error)

    with applied(instead("harness.codecs.debezium.errors:restarted", stops)):
        (difference,) = judged(whole).differences
    assert difference.where == "error"

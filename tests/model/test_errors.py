"""The promise of errors that a worker raises: whoever waits for it gets the error itself."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from inspect import Parameter, signature
from typing import Any

import pytest

from harness.codecs.connect import errors as connect
from harness.codecs.debezium import errors as debezium
from harness.ddl import errors as ddl
from harness.errors import HarnessError, Location, Problem
from harness.process import guarded
from harness.sources.tidb import refusal

HERE = (connect, debezium, ddl, guarded, refusal)  # what defines errors of its own is imported
GIVEN = {
    "problems": (Problem(Location("a.yaml", 3, 1), "no"),),
    "path": ("sink", 0),
    "innermost": connect.JavaError("DataException", "no"),
}


def kinds(kind: type[HarnessError] = HarnessError) -> Iterator[type[HarnessError]]:
    """Yield an error and all that are made of it."""
    yield kind
    for one in kind.__subclasses__():
        yield from kinds(one)


@pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: kind.__name__)
def test_an_error_comes_whole_through_pickle(kind: Any) -> None:
    """Its kind, its words and all else that it knows."""
    needed = [
        one for one in signature(kind).parameters.values() if one.kind is not Parameter.VAR_KEYWORD
    ]
    words = {one.name: GIVEN.get(one.name, f"the {one.name}") for one in needed}
    error = kind(**words)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (kind, str(error), vars(error))

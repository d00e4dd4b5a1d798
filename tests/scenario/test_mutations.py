"""Whatever is done to a sound scenario, the loader answers with a scenario or with problems."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.documents.yaml_file import read
from harness.errors import Problem, ScenarioError
from harness.scenario.load import load
from tests.scenario.test_load import WHOLE

NAMES = (
    "ddl",
    "sql",
    "emit",
    "resolved",
    "transaction",
    "insert",
    "unordered",
    "shop.t",
    "open",
    "a",
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 10**20),
    st.sampled_from(
        ["", "all", "one", "plain", "shop.t", "t", "SELECT 'x", "4.0.4", "open", *NAMES]
    ),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=5,
)


def as_json(data: object) -> object:
    """Return the data with its exact decimals as floats, which JSON text can carry."""
    if isinstance(data, dict):
        return {key: as_json(value) for key, value in data.items()}
    if isinstance(data, list):
        return [as_json(value) for value in data]
    return data if isinstance(data, str | int | bool | None) else float(str(data))


DATA = as_json(read(WHOLE, "x").data)


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values below a node."""
    keys = (
        list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
    )
    return [found for key in keys for found in [(*path, key), *places(node[key], (*path, key))]]


PLACES = places(DATA)


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose path fits the scenario's id."""
    home = tmp_path_factory.mktemp("mutations") / "all"
    home.mkdir()
    return home / "of-it.yaml"


def change(data: Any, path: tuple[Any, ...], value: object) -> None:
    """Put a value in a place, or remove what is there; a place that is gone stays gone."""
    with suppress(KeyError, IndexError, TypeError):
        for part in path[:-1]:
            data = data[part]
        data[path[-1]] = value
        if value == "remove":
            del data[path[-1]]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(changes=st.lists(st.tuples(st.sampled_from(PLACES), VALUES | st.just("remove")), max_size=3))
def test_any_mutation_is_a_scenario_or_a_problem(
    file: Path, changes: list[tuple[tuple[Any, ...], Any]]
) -> None:
    """No value in any place makes the loader stumble; each problem has a line of the file."""
    data = copy.deepcopy(DATA)
    for path, value in changes:
        change(data, path, value)
    file.write_bytes(json.dumps(data, indent=1).encode())
    problems: tuple[Problem, ...] | None = None
    try:
        load(file, file.parents[1])
    except ScenarioError as error:
        problems = error.problems
    assert problems is None or problems
    assert all(problem.location.line for problem in problems or ())

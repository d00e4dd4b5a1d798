"""Promises of the spec: everything in its file counts, and what is wrong has its place told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.documents.typed import schema
from harness.errors import HarnessError, ScenarioError, UsageError
from harness.load.spec import Spec, as_json, checked, load

WRONG = {
    "event: 5": ("2:1", "`events`"),
    "events: many": ("2:9", "a whole number from 1"),
    "update: 1.5": ("2:9", "a number from 0.0 to 1.0"),
    "protocol: canal": ("2:11", "one of `open`, `avro`, `vitess`"),
    "settings: 5": ("2:11", "the protocol's settings"),
    "partitions: 0": ("2:13", "from 1 to 1000"),
    "tables: true": ("2:9", "a whole number"),
}
BOUNDS = {
    name: (row["minimum"], row["maximum"])
    for name, row in schema(Spec)["properties"].items()
    if "minimum" in row
}


@pytest.mark.parametrize("line", WRONG)
def test_what_is_wrong_is_reported_with_line_and_column(tmp_path: Path, line: str) -> None:
    """The place is the value's, or the name's where the name is wrong."""
    file = tmp_path / "spec.yaml"
    file.write_text(f"seed: 3\n{line}\n", encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        load(file, {})
    place, expected = WRONG[line]
    assert f"spec.yaml:{place}:" in str(caught.value)
    assert expected in str(caught.value)


def test_flags_go_before_the_file(tmp_path: Path) -> None:
    """A file says what to make, a flag says it otherwise once."""
    file = tmp_path / "spec.yaml"
    file.write_text("events: 7\nseed: 3\nskew-keys: 2\nsettings: {max-batch-size: 2}\n")
    spec = load(file, {"seed": 4})
    assert (spec.events, spec.seed, spec.skew_keys) == (7, 4, 2.0)
    assert spec.settings == {"max-batch-size": 2}


@pytest.mark.parametrize(
    "values",
    [
        {"update": 0.9, "delete": 0.2},
        {"protocol": "avro", "dialect": "4.0.4"},
        {"partitions": 1000, "mark": 1000},
    ],
)
def test_a_whole_that_cannot_be_is_refused(values: dict[str, object]) -> None:
    """Values that are fine alone may not fit together."""
    with pytest.raises(UsageError) as caught:
        checked(values)
    assert caught.value.expected


@pytest.mark.parametrize("name", BOUNDS)
def test_the_bounds_themselves_are_fine(name: str) -> None:
    """A value at its bound is taken, one beyond it is not."""
    least, most = BOUNDS[name]
    lone = {"update": 0, "delete": 0, "move": 0, "mark": 1, "partitions": 1}
    for value in (least, most):
        assert checked({**lone, name: value})
    for value in (least - 1, most + 1):
        with pytest.raises(HarnessError):
            checked({**lone, name: value})


def test_a_spec_travels_as_text() -> None:
    """Who reads an expected state anew has the very spec that it is of."""
    spec = checked({"protocol": "avro", "update": 0.25, "settings": {"namespace": "n"}})
    assert checked(json.loads(as_json(spec))) == spec

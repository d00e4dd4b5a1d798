"""Lists of values become a few profiles in which every two values of two settings meet."""

from __future__ import annotations

from itertools import combinations, product
from math import prod
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from harness.scenario.expand import cases
from harness.scenario.load import load
from harness.scenario.pairwise import chosen, covering, profiles
from tests.scenario.corpus import SOUND

SIZES = st.lists(st.integers(2, 5), min_size=1, max_size=6)
LISTS = {
    "time.mode": ["connect", "isostring"],
    "big.mode": ["long", "precise"],
    "on": [True, False],
}


@given(SIZES)
def test_every_two_values_meet(sizes: list[int]) -> None:
    """Every two values of two settings are in a row, in fewer rows than there are combinations."""
    rows = list(covering(sizes))
    for a, b in combinations(range(len(sizes)), 2):
        assert {(row[a], row[b]) for row in rows} == set(product(range(sizes[a]), range(sizes[b])))
    assert {row[0] for row in rows} == set(range(sizes[0]))
    assert len(set(rows)) == len(rows) <= prod(sizes)


@given(st.integers(3, 5), st.integers(4, 6))
def test_they_are_few(size: int, columns: int) -> None:
    """Three times the least possible number at most, where all combinations would be far more."""
    assert len(list(covering([size] * columns))) <= 3 * size**2 < size**columns


def test_a_profile_is_named_by_its_values() -> None:
    """A profile is called by its values, so that a list's growth renames none that stays."""
    names = [name for name, _ in chosen(LISTS)]
    assert names[0] == "connect-long-on-true"
    longer = {**LISTS, "big.mode": ["long", "precise", "string"]}
    found = {
        name: settings["vitess"]
        for name, settings in profiles({"pairwise": {"vitess": longer}}).items()
    }
    for name, settings in found.items():
        words = [str(value).lower() for value in settings.values()]
        assert name == f"{words[0]}-{words[1]}-on-{words[2]}"


def test_protocols_share_a_profile_of_one_name() -> None:
    """Lists of two protocols that make the same name make one profile, each its own settings."""
    lists = {"avro": {"a-b": [True, False]}, "open": {"c.b": [True, False]}}
    found = profiles({"pairwise": lists, "profiles": {"own": {}}})
    assert list(found) == ["own", "b-true", "b-false"]
    assert found["b-true"] == {"avro": {"a-b": True}, "open": {"c.b": True}}


def test_cases_and_places(tmp_path: Path) -> None:
    """Each profile is a case beside the plain one; each setting knows where its value stands."""
    text = SOUND.replace("partitions: [1, 2]", "partitions: [1]")
    (tmp_path / "bad").mkdir()
    file = tmp_path / "bad" / "file.yaml"
    file.write_text(text + "pairwise:\n  open:\n    max-batch-size: [1, 16]\n", encoding="utf-8")
    scenario = load(file, tmp_path)
    assert [case.id for case in cases(scenario)] == [
        "bad.file[open,p1]",
        "bad.file[open,+size-1,p1]",
        "bad.file[open,+size-16,p1]",
    ]
    assert [case.settings for case in cases(scenario)][1:] == [
        {"max-batch-size": 1},
        {"max-batch-size": 16},
    ]
    place = scenario.setting_places["+size-16", "open", "max-batch-size"]
    assert (place.line, place.column) == (text.count("\n") + 3, 25)

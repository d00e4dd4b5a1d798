"""Promises about the figures of the catalogue: what they count, and what they leave apart."""

from __future__ import annotations

from typing import Any

import pytest

from harness.bench.spark.catalogue import figures, phases


def events(*timed: tuple[str, str, float]) -> list[dict[str, Any]]:
    """Return the events of phases: name, detail and seconds of each."""
    found: list[dict[str, Any]] = []
    for name, detail, seconds in timed:
        found.append({"event": "phase-started", "phase": name, "detail": detail})
        found.append({"event": "phase-finished", "phase": name, "seconds": seconds})
    return found


EVERY = phases(
    events(
        ("services", "starting kafka", 2.0),
        ("consume", "spark", 60.0),
        ("read alone", "10 cases", 5.0),
        ("alone under kill", "4 cases", 30.0),
        ("services", "starting kafka", 3.0),
    )
)
ONE = phases(events(("consume", "spark", 11.0)))


def test_both_ways_are_reported_with_what_one_more_case_adds() -> None:
    """Packs beside one query each, and the marginal case of either; faults are timed apart."""
    found = {one.name: one for one in figures(140.0, 104, EVERY, ONE, 2)}
    assert found["spark.catalogue"].value == 105.0
    assert (found["spark.catalogue: reading"].value, found["spark.catalogue: reading"].floor) == (
        60.0,
        50.0,
    )
    assert found["spark.catalogue: a case"].value == pytest.approx(1000 * 49 / 98)
    assert found["spark.catalogue: a case"].floor == 500.0
    assert found["spark.catalogue: alone under kill"].value == 30.0


def test_phases_of_one_name_are_added() -> None:
    """A service that starts twice has taken its time twice."""
    assert EVERY.seconds["services"] == 5.0
    assert EVERY.faults() == ["alone under kill"]

"""Digests tell two versions of the same records apart, whichever part of a record differs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.digests import differing, digest_line, digests, read_digests
from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import Workspace
from harness.engine.plan.case import Plan
from harness.model.record import Record, SchemaUse
from tests.tree import ROOT

CHANGED: dict[str, dict[str, Any]] = {
    "topic": {"topic": "other"},
    "partition": {"partition": 7},
    "key": {"key": None},
    "value": {"value": b"{}"},
    "headers": {"headers": (("name", b"value"),)},
    "timestamp": {"timestamp": 1},
    "key schema": {"key_schema": SchemaUse("subject", "{}", 1)},
    "value schema": {"value_schema": SchemaUse("subject", "{}", 1)},
    "origins": {"origins": ()},
}


@pytest.fixture(scope="module")
def plan() -> Plan:
    """A small case."""
    space = Workspace(ROOT, ROOT / "scenarios", ROOT / "golden")
    chosen = selected(load(space, [ROOT / "scenarios/dml/no-net-change.yaml"]), "open and p1")
    return planned_only(space, chosen, expectations=False)[0]


@pytest.mark.parametrize("part", CHANGED)
def test_a_changed_part_of_a_record_is_named(plan: Plan, part: str) -> None:
    """Each part of a record has a digest of its own, and no other part's changes with it."""
    first, *others = plan.records
    changed = replace(plan, records=(replace(first, **CHANGED[part]), *others))
    assert differing({"case": digests(plan)}, {"case": digests(changed)}) == {
        "case": [f"encoded {part}"]
    }


def test_what_is_sent_is_compared_too(plan: Plan) -> None:
    """A message that the delivery sends twice differs, in the messages and in the log."""
    steps = (*plan.delivery.steps, next(s for s in plan.delivery.steps if isinstance(s, Record)))
    changed = replace(plan, delivery=replace(plan.delivery, steps=steps))
    found = differing({"case": digests(plan)}, {"case": digests(changed)})["case"]
    assert all(name.startswith("sent ") for name in found)
    assert "sent value" in found


def test_lines_are_read_back(plan: Plan) -> None:
    """What is written as a line is read as it was; a case on one side only is told."""
    found = digests(plan)
    assert read_digests([digest_line("one", found)]) == {"one": found}
    assert differing({"one": found}, {"two": found}) == {
        "one": ["only before"],
        "two": ["only after"],
    }


def test_a_line_that_is_no_digest_is_refused() -> None:
    """Anything else is a ValueError."""
    for line in ("[]", "{}", "text", '{"case": 1}'):
        with pytest.raises(ValueError, match=r"."):
            read_digests([line])

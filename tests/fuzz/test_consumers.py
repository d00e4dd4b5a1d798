"""Right consumers of three designs agree on the catalogue; a wrong one among them is noticed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import settings

from cdc_spark.conformance import in_memory
from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import workspace
from harness.engine.plan.case import Plan
from harness.errors import UsageError
from harness.fuzz import consumers
from harness.fuzz.consumers import Together
from harness.fuzz.rereading import Rereading
from harness.fuzz.scene import Ddl, Scene, Transaction
from harness.fuzz.scenes import varied
from harness.model.finding import FINDINGS
from harness.protocols import OWN
from harness.scenario.expand import Case
from tests.tree import ROOT

# One case in so many at each push, all of them under the profile `nightly`.
EACH = 1 if settings().max_examples >= 1000 else 10
STEPS = (Ddl("CREATE TABLE fuzz.t (id INT PRIMARY KEY)"), Transaction("t1", ("INSERT 1",)))


@cache
def plans() -> tuple[Plan, ...]:
    """Return plans of the catalogue, but for hostile deliveries: the same ones everywhere."""
    space = workspace(ROOT)
    chosen: Sequence[Case] = selected(load(space), None)
    if EACH > 1:
        chosen = Random("three designs").sample(list(chosen), len(chosen) // EACH)
    found = planned_only(space, chosen, expectations=False)
    return tuple(plan for plan in found if plan.judged.hostile is None)


def disagreements(*consumers: str) -> list[str]:
    """Return the cases in which one of these consumers is found wrong."""
    together = Together(consumers)
    return [
        f"{plan.case.id}: {verdict}"
        for plan in plans()
        for (verdicts,) in [together.verdicts([plan])]
        for verdict in verdicts
        if verdict.judgement in FINDINGS
    ]


@pytest.mark.spark
def test_three_designs_agree() -> None:
    """Reference, the one that reads again from the start, and Spark's code: none is failed."""
    assert not disagreements("reference", "rereading", "spark")


def forgetful(
    feed: Mapping[str, Any],
    schemas: Mapping[int, str],
    batches: Iterable[Sequence[in_memory.Message]],
) -> Mapping[str, Any]:
    """Read all but the last batch."""
    return in_memory.consume(feed, schemas, list(batches)[:-1])


@pytest.mark.spark
def test_a_wrong_consumer_disagrees() -> None:
    """A consumer of one's own can take part, and is found wrong where it is."""
    assert disagreements(f"{__name__}:forgetful")


def test_reading_again_is_what_the_other_design_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its readings the consumer that buffers nothing has no tables, and is failed."""
    monkeypatch.setattr(Rereading, "_limit", lambda _: 0)
    assert disagreements("rereading")


@pytest.mark.parametrize("name", ["nobody", "no.such:thing", "harness.fuzz.consumers:nothing"])
def test_a_consumer_that_is_not_there_is_refused(name: str) -> None:
    """The names are said."""
    with pytest.raises(UsageError, match="there is no consumer"):
        Together([name])


def test_a_library_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The consumer of Spark works on pandas' columns: an error says what to install."""
    monkeypatch.setattr(consumers, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match="needs pandas") as caught:
        Together(["spark"])
    assert "cdc-conformance[spark]" in caught.value.hint


@pytest.mark.parametrize("protocol", OWN)
def test_variants_keep_what_happened(protocol: str) -> None:
    """What varies are settings, dialect, partitions and delivery; the seed alone decides."""
    scene = Scene(protocol, "current", 1, (), {}, STEPS)
    found = [varied(scene, Random(number)) for number in range(60)]
    assert found == [varied(scene, Random(number)) for number in range(60)]
    assert {one.steps for one in found} == {STEPS}
    assert len({one.partitions for one in found}) > 1
    assert len({str(one.settings) for one in found}) > 4
    assert len({str(one.delivery) for one in found if one.delivery}) > 10

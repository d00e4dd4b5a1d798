"""Promises of cases over another number of partitions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

import pytest

from harness.cli.main import main
from harness.cli.options import space
from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.repartitioned import repartition
from harness.engine.plan.compaction import as_gaps
from harness.errors import UsageError
from harness.faults.log import simulate_log
from harness.scenario.expand import Case

NUMBERS = (1, 2, 4)
SHARE = 20  # one scenario of so many


@cache
def every() -> tuple[Case, ...]:
    """Return all cases of the catalogue."""
    return selected(load(space(None, None), ()), None)


def drawn(seed: int) -> Sequence[Case]:
    """Return the cases of a drawn share of the scenarios."""
    names = sorted({case.scenario.id for case in every()})
    chosen = set(random.Random(seed).sample(names, len(names) // SHARE))
    return [case for case in every() if case.scenario.id in chosen]


@pytest.mark.parametrize("partitions", NUMBERS)
def test_all_records_lie_on_the_partitions_that_are_there(partitions: int) -> None:
    """A drawn share is planned over each number; all other cases have a reason beside them."""
    cases = drawn(partitions)
    found = repartition(space(None, None), cases, partitions)
    assert {case.scenario.id for case in found.cases} | {
        name.partition("[")[0] for name in found.left
    } == {case.scenario.id for case in cases}
    for plan in found.plans:
        assert plan.case.partitions == partitions
        assert all(record.partition < partitions for record in plan.records)
    assert len({case.id for case in found.cases}) == len(found.cases)


def test_readers_begin_where_a_compacted_partition_begins() -> None:
    """Compaction may leave a partition empty; its readers are sent to what is there."""
    cases = [case for case in every() if case.scenario.id == "transport.compacted-topic"]
    plans = repartition(space(None, None), cases, 4).plans
    moved = 0
    for plan in plans:
        filled = simulate_log(as_gaps(plan.delivery.steps))
        assert plan.delivery.starts == {there: log.start for there, log in filled.items()}
        moved += sum(log.start > 0 for log in filled.values())
    assert moved


def test_a_case_that_names_a_partition_is_left_out() -> None:
    """What acts between two partitions has nothing to act on in one, and says so."""
    cases = [case for case in every() if case.partitions > 1 and case.delivery is not None]
    alone = [case for case in cases if 1 not in case.scenario.matrix.partitions]
    found = repartition(space(None, None), alone, 1)
    assert found.left
    assert all(found.left.values())
    assert not {case.id for case in found.cases} & set(found.left)


def test_nothing_to_lay_is_refused() -> None:
    """When every chosen case depends on its partitions, the first reason is the hint."""
    cases = [case for case in every() if case.partitions > 1 and case.delivery is not None]
    alone = [case for case in cases if 1 not in case.scenario.matrix.partitions]
    left = repartition(space(None, None), alone, 1).left
    stuck = next(case for case in alone if case.id.replace(f"p{case.partitions}", "p1") in left)
    with pytest.raises(UsageError, match="can run over 1 partition") as caught:
        repartition(space(None, None), [stuck], 1)
    assert caught.value.hint


@pytest.mark.services
@pytest.mark.usefixtures("shared_services")
@pytest.mark.parametrize("partitions", NUMBERS)
def test_a_right_consumer_passes_over_any_number(partitions: int) -> None:
    """The reference consumer passes a drawn share of the scenarios, laid over each number."""
    words = " or ".join(f"'{name}'" for name in sorted({c.scenario.id for c in drawn(7)})[:8])
    assert main(["certify", "reference", "--partitions", str(partitions), "-k", words]) == 0

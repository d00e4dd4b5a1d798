"""The promise that the number of partitions changes no answer: a drawn share, laid anew."""

from __future__ import annotations

import random

import pytest

from harness.cli.main import main
from harness.cli.options import space
from harness.engine.catalogue.choose import load, selected

pytestmark = pytest.mark.spark

SEED, EACH = 5, 8


def drawn(partitions: int) -> list[str]:
    """Return the ids of packed cases of each protocol that were written for another number."""
    cases = selected(load(space(None, None)), None)
    chance = random.Random(SEED)
    others = [case for case in cases if case.partitions != partitions and case.delivery is None]
    return [
        case.id
        for protocol in ("open", "avro", "vitess")
        for case in chance.sample([one for one in others if one.protocol == protocol], EACH)
    ]


@pytest.mark.usefixtures("shared_services")
def test_a_drawn_share_passes_over_four_partitions() -> None:
    """Cases of each protocol are planned over four partitions, and the consumer is right there."""
    words = " or ".join(f"'{name}'" for name in drawn(4))
    assert main(["certify", "spark", "--partitions", "4", "-k", words]) == 0

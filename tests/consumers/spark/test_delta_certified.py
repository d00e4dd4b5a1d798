"""The promise of the production sink: what it keeps is what the catalogue expects."""

from __future__ import annotations

import random

import pytest

from harness.cli.main import main
from harness.cli.options import space
from harness.engine.choose import load, selected

pytestmark = pytest.mark.spark

SEED, CASES = 8, 12


def drawn() -> list[str]:
    """Return the ids of drawn cases, undisturbed, some of each protocol: one pack."""
    packed = [case for case in selected(load(space(None, None)), None) if case.delivery is None]
    chance = random.Random(SEED)
    return [
        case.id
        for protocol in ("open", "avro", "vitess")
        for case in chance.sample([one for one in packed if one.protocol == protocol], CASES // 3)
    ]


def test_a_drawn_share_passes_through_the_delta_sink() -> None:
    """Cases of all protocols, each judged by the rows of its Delta tables."""
    words = " or ".join(f"'{name}'" for name in drawn())
    assert main(["certify", "spark-delta", "-k", words]) == 0

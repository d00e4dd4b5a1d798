"""The promise of the production sink: what it keeps is what the catalogue expects."""

from __future__ import annotations

import random

import pytest

from harness.cli.main import main
from harness.cli.options import space
from harness.engine.catalogue.choose import load, selected
from harness.protocols import OWN

pytestmark = pytest.mark.spark

SEED, CASES = 8, 12
# Half an hour off the hour; and files that are ASCII unless told.
ELSEWHERE = (
    "spark.sql.session.timeZone=America/St_Johns",
    "spark.driver.extraJavaOptions=-Duser.timezone=Asia/Kathmandu -Dfile.encoding=US-ASCII",
)


def drawn() -> list[str]:
    """Return the ids of drawn cases, undisturbed, some of each protocol: one pack."""
    cases = selected(load(space(None, None)), "types or encoding or keys or ddl")
    packed = [case for case in cases if case.delivery is None]
    chance = random.Random(SEED)
    return [
        case.id
        for protocol in OWN
        for case in chance.sample([one for one in packed if one.protocol == protocol], CASES // 3)
    ]


@pytest.mark.usefixtures("shared_services")
def test_a_drawn_share_passes_through_the_delta_sink() -> None:
    """Cases of all protocols, each judged by the rows of its Delta tables, under other zones."""
    words = " or ".join(f"'{name}'" for name in drawn())
    zones = [word for pair in ELSEWHERE for word in ("--spark-conf", pair)]
    assert main(["certify", "spark-delta", *zones, "--deadline", "600", "-k", words]) == 0

"""Known differences explain what they are about, and nothing else."""

from __future__ import annotations

from harness.oracles.reasons import reason
from harness.oracles.vitess.reasons import KNOWN

SCENARIO = "types.vector"
SHOWN = (
    "the connector fails: UNKNOWN: query.Type has no VECTOR in this version of Vitess's client",
    "vitess.types.e/0 #0 missing: ours {} | theirs ",
    "and 1 more",
)


def test_a_known_difference_has_its_reason() -> None:
    """The reason is that of the scenario, the release and the kind of difference together."""
    assert "VECTOR" in reason(KNOWN, SCENARIO, "3.0.0.Final", SHOWN)


def test_nothing_else_is_explained() -> None:
    """Another release, another scenario and another difference are not explained by it."""
    assert not reason(KNOWN, SCENARIO, "3.3.1.Final", SHOWN)
    assert not reason(KNOWN, "keys.pk-chain", "3.0.0.Final", SHOWN)
    assert not reason(
        KNOWN, SCENARIO, "3.0.0.Final", (*SHOWN, "vitess.shop.t/0 #0 value: ours 1 | theirs 2")
    )
    assert not reason(KNOWN, SCENARIO, "3.0.0.Final", ())


def test_no_reason_is_said_of_the_default_release() -> None:
    """What 3.3.1 does otherwise than its encoder is repaired, or waits for a reason of its own."""
    assert not any(reason(KNOWN, SCENARIO, "3.3.1.Final", (one.shows,)) for one in KNOWN)

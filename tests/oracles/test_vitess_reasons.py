"""Known differences explain what they are about, and nothing else."""

from __future__ import annotations

from harness.oracles.vitess.reasons import reason

SCENARIO = "vitess.records-transformed"
SHOWN = (
    "the connector is refused: Invalid value io.debezium.ReplaceFieldValue for transforms.c.type",
    "vitess.shop.t/0 #0 missing: ours {} | theirs ",
    "and 1 more",
)


def test_a_known_difference_has_its_reason() -> None:
    """The reason is that of the scenario, the release and the kind of difference together."""
    assert "ReplaceFieldValue" in reason(SCENARIO, "3.0.0.Final", SHOWN)


def test_nothing_else_is_explained() -> None:
    """Another release, another scenario and another difference are not explained by it."""
    assert not reason(SCENARIO, "3.3.1.Final", SHOWN)
    assert not reason("keys.pk-chain", "3.0.0.Final", SHOWN)
    assert not reason(
        SCENARIO, "3.0.0.Final", (*SHOWN, "vitess.shop.t/0 #0 value: ours 1 | theirs 2")
    )
    assert not reason(SCENARIO, "3.0.0.Final", ())

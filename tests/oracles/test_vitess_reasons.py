"""Known differences explain what they are about, and nothing else."""

from __future__ import annotations

from harness.oracles.vitess.reasons import reason

SCENARIO = "vitess.more-than-rows"
SHOWN = ("vitess.shop.t/0 #0 headers: ours  | theirs __debezium.context.taskId=0", "and 1 more")


def test_a_known_difference_has_its_reason() -> None:
    """The reason is that of the scenario, the release and the kind of difference together."""
    assert "extended.headers.enabled" in reason(SCENARIO, "3.2.0.Final", SHOWN)


def test_nothing_else_is_explained() -> None:
    """Another release, another scenario and another difference are not explained by it."""
    assert not reason(SCENARIO, "3.3.1.Final", SHOWN)
    assert not reason("keys.pk-chain", "3.2.0.Final", SHOWN)
    assert not reason(
        SCENARIO, "3.2.0.Final", (*SHOWN, "vitess.shop.t/0 #0 value: ours 1 | theirs 2")
    )
    assert not reason(SCENARIO, "3.2.0.Final", ())

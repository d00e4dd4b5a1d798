"""What is drawn covers what there is: column kinds, protocols, faults."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from harness.faults import FAULTS, Claim
from harness.fuzz.deliveries import legal
from harness.fuzz.literals import ABSENT, KINDS
from harness.fuzz.protocols import drawable
from harness.fuzz.scene import Label, Scene, text
from harness.fuzz.scenes import scenes
from harness.model.columns import ColumnKind
from harness.protocols import PROTOCOLS
from harness.scenario.load import parse


def test_every_column_kind_is_drawn() -> None:
    """Each kind has a row, but for those that the database does not have."""
    assert {one.kind for one in KINDS.values()} == set(ColumnKind) - ABSENT


def test_every_protocol_is_drawn() -> None:
    """Each protocol has its row, whose dialects exist."""
    assert set(drawable()) == set(PROTOCOLS)
    for protocol, drawn in drawable().items():
        assert set(drawn.dialects) <= set(PROTOCOLS[protocol].codec.dialects)


@pytest.mark.parametrize("protocol", drawable())
def test_only_what_a_clause_allows_is_done(protocol: str) -> None:
    """A delivery is made of allowed faults, all of them."""
    claims = {fault.name: fault.claim(protocol) for fault in FAULTS.values()}
    drawn = {fault.name for fault in legal(protocol)}
    assert drawn == {name for name, said in claims.items() if said is Claim.ALLOWED}


@pytest.mark.parametrize("protocol", drawable())
def test_what_is_drawn_is_a_scenario(protocol: str) -> None:
    """Each scene is a file that keeps the grammar and the rules, and says the scene's own words."""

    @settings(max_examples=25, suppress_health_check=list(HealthCheck))
    @given(scenes((protocol,)))
    def holds(scene: object) -> None:
        assert isinstance(scene, Scene)
        loaded = parse(text(scene, Label("fuzz.example")), "example.yaml", "fuzz/example")
        said = [one.options for one in loaded.delivery.get("disturbed", ())]
        assert [dict(one) for one in said] == [dict(one.options) for one in scene.delivery]
        assert len(loaded.upstream) == len(scene.steps)
        assert dict(loaded.settings.get(protocol, {})) == scene.settings

    holds()

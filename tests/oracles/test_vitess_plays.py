"""Plays: which cases share one, what a connector is configured with, what the server is told."""

from __future__ import annotations

import pytest

from harness.codecs.connect.settings import APICURIO, AVRO, JSON
from harness.engine.catalogue.workspace import workspace
from harness.oracles.vitess.configuration import configuration
from harness.oracles.vitess.plays import NO_PROGRAM, Plays, again, plays
from harness.record.lock import load_lock
from harness.scenario.expand import cases
from harness.scenario.load import load_all
from tests.tree import ROOT


def planned(name: str) -> Plays:
    """Return the plays of a scenario of the catalogue."""
    space = workspace(ROOT)
    (scenario,) = load_all(space.scenarios, (space.scenarios / f"{name}.yaml",))
    chosen = [case for case in cases(scenario) if case.protocol == "vitess"]
    return plays(chosen, lambda case: load_lock(case.scenario, space.golden))


def test_cases_that_differ_in_delivery_share_a_play() -> None:
    """One play stands for the plain case and its deliveries, and for one number of partitions."""
    found = planned("keys/pk-chain").plays
    assert [[case.delivery for case in play.cases] for play in found] == [
        [None, "replayed", "replayed-whole"],
        [None, "replayed", "replayed-whole"],
    ]
    assert len({play.name for play in found}) == len(found)


def test_the_documents_dialect_is_not_played() -> None:
    """Cases of the documents' own samples are listed with the reason."""
    found = planned("dialects/vitess-as-documented")
    assert NO_PROGRAM in found.unplayable.values()


def test_each_play_has_a_prefix_of_its_own() -> None:
    """Our records are made under the name that the connector is given; no two collide."""
    first, second = planned("keys/pk-chain").plays
    for play in (first, second):
        prefix = play.settings["topic.prefix"]
        assert prefix == f"vitess{play.name}"
        assert {one.topic for one in play.expected} == {f"{prefix}.shop.t"}


def test_a_play_that_is_repeated_has_another_name() -> None:
    """A connector that is asked again has no offset of the first time, and is told the same."""
    play = planned("keys/pk-chain").plays[0]
    once = again(play)
    twice = again(once)
    assert len({play.name, once.name, twice.name}) == 3
    assert (twice.attempt, twice.cases, len(twice.expected)) == (2, play.cases, len(play.expected))


def test_the_server_knows_tables_and_shards() -> None:
    """What a connector may ask follows from the stream."""
    script = planned("keys/pk-chain").plays[0].script()
    assert (script.keyspace, script.shards, script.tables) == ("shop", ("0",), ("t",))


def test_settings_reach_the_connector_as_they_stand() -> None:
    """A case's settings go in as text, whatever we add besides."""
    given = {"tombstones.on.delete": False, "tasks.max": 4, "user.timezone": "UTC", "name": "mine"}
    found = configuration(given, "o1", 4711, "http://registry")
    assert (found["tombstones.on.delete"], found["tasks.max"]) == ("false", "4")
    assert found["name"] == "o1"
    assert "user.timezone" not in found


def test_our_transform_comes_last() -> None:
    """The transform that gives a case its topics sees what the case's own have made."""
    found = configuration({"transforms": "a,b"}, "o1", 4711, "")
    assert found["transforms"] == "a,b,oracle"
    assert found["transforms.oracle.replacement"] == "o1.$1"


@pytest.mark.parametrize("converter", [AVRO, APICURIO])
def test_an_avro_converter_writes_confluents_frame(converter: str) -> None:
    """Either converter is played by Apicurio's, told to write Confluent's frame."""
    found = configuration({"value.converter": converter}, "o1", 4711, "http://registry")
    assert found["value.converter"] == APICURIO
    assert found["value.converter.apicurio.registry.as-confluent"] == "true"
    assert found["key.converter"] == JSON


def test_a_converter_is_named_beside_its_settings() -> None:
    """Connect ignores a converter's setting in a connector that does not name the converter."""
    found = configuration({"key.converter.schemas.enable": False}, "o1", 4711, "")
    assert found["key.converter"] == JSON

"""Restarts: where a connector is stopped, what is stored there, and what is sent then."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.model.change import ChangeLog
from harness.model.vstream import Commit
from harness.oracles.result import Status, lines
from harness.oracles.vitess import oracle, run
from harness.oracles.vitess.plays import Play, plays
from harness.oracles.vitess.restart_run import FAILING, failing
from harness.oracles.vitess.restarts import (
    NOTHING_STORED,
    RESHARDED,
    Restart,
    Restarts,
    from_stored,
    restarts,
    stored_form,
)
from harness.oracles.vitess.restarts import again as restart_again
from harness.record.lock import load_lock
from harness.scenario.expand import Case
from tests.tree import ROOT

SPACE = workspace(ROOT)


def log_of(case: Case) -> ChangeLog:
    """Return the locked changes of a case."""
    return load_lock(case.scenario, SPACE.golden)


def cases(expression: str) -> Sequence[Case]:
    """Return Vitess cases of the catalogue."""
    return [c for c in selected(load(SPACE), expression) if c.protocol == "vitess"]


def planned(expression: str) -> Restarts:
    """Return the restarts of cases."""
    return restarts(plays(cases(expression), log_of).plays)


def at(found: Iterable[Restart], place: str, profile: str = "") -> Restart:
    """Return the restart of a profile that stops at a place."""
    return next(
        one
        for one in found
        if one.at == place and (one.play.cases[0].profile or "plain") == (profile or "plain")
    )


def test_a_connector_is_stopped_between_within_and_at_a_failure() -> None:
    """Each place of a stream at which a connector may stop is played, each profile once."""
    found = planned("restart.connector-after-a-crash").restarts
    assert {one.at.partition(" response")[0] for one in found} == {
        "behind",
        "inside",
        "at the first tombstone",
    }
    assert {one.play.cases[0].partitions for one in found} == {1}
    assert len({one.play.name for one in found}) == len(found)


def test_a_failure_stores_the_middle_of_a_transaction() -> None:
    """With boundaries the offset of a record counts what its transaction sent until then."""
    one = at(
        planned("restart.connector-after-a-crash").restarts, "at the first tombstone", "boundaries"
    )
    (offset,) = stored_form(one.stored).values()
    assert offset["transaction_data_collection_order_0.shop.t"] == 2
    assert one.awaited < len(one.play.expected)


def test_each_task_stores_for_itself() -> None:
    """Offsets are kept by the tasks' keys, and each task asks for its own shards."""
    found = planned("sharding.tasks-of-their-own").restarts
    one = next(
        r for r in found if len(r.stored) == 2 and r.play.cases[0].profile in {None, "plain"}
    )
    assert set(stored_form(one.stored)) == {"task0_2_0", "task1_2_0"}
    assert [[s.shard for s in p.shards] for p in one.asked] == [["-40", "80-c0"], ["40-80", "c0-"]]


def test_what_the_server_cannot_play_is_listed() -> None:
    """A stop before anything is stored, and one in a keyspace that is resharded, say why."""
    assert NOTHING_STORED in planned("restart.connector-in-good-order").unplayable.values()
    assert set(planned("task-follows-its-reshard").unplayable.values()) == {RESHARDED}


def test_scenarios_about_other_things_are_not_stopped() -> None:
    """Only a scenario that cites a clause about offsets, stops or tasks is played with stops."""
    assert planned("keys.pk-chain") == Restarts((), {})


def test_ours_goes_on_from_what_a_failed_task_stored() -> None:
    """An offset that one of our records had is taken over; one that none had is not."""
    one = at(planned("restart.connector-after-a-crash").restarts, "at the first tombstone")
    earlier = next(o for o in one.offsets if o and o != one.stored)
    moved = from_stored(one, stored_form(earlier))
    assert moved is not None
    assert moved.stored == earlier
    assert len(moved.play.expected) > len(one.play.expected)
    assert from_stored(one, {"": {"vgtid": "[]"}}) is None


def test_the_failing_transform_comes_first_and_keeps_the_cases_own() -> None:
    """A case's transforms and predicates stay, behind the one that fails."""
    found = failing({"transforms": "a", "predicates": "p"})
    assert found["transforms"] == f"{FAILING},a"
    assert found["predicates"].endswith(",p")


def nothing_stored(one: Restart) -> Restart:
    """Return a restart before which nothing is said to be stored."""
    return replace(one, stored={("", "none"): {}})


def without_headers(one: Restart) -> Restart:
    """Return a restart whose first record is said to have no headers."""
    record, *others = one.play.expected
    return replace(one, play=replace(one.play, expected=(replace(record, headers=()), *others)))


def unchanged(one: Restart) -> Restart:
    """Return a restart as it is."""
    return one


def half_sent(one: Restart) -> Restart:
    """Return a restart whose server keeps its last response, as when transport loses it."""
    return replace(one, first=one.first[:-1])


@pytest.mark.services
def test_a_restarted_connector_agrees_and_disagrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every restart is equal but those whose stored offset, position or records are spoiled.

    One whose stream is lost before the stop is played again.
    """
    spoiled: dict[str, Callable[[Restart], Restart]] = {}
    lost: dict[str, Restart] = {}

    def wrong(given: Iterable[Play]) -> Restarts:
        found = restarts(given)
        first, second, *others = (one for one in found.restarts if not one.fails)
        *_, last = (o for o in others if any(isinstance(e, Commit) for e in o.first[-1].events))
        spoiled.update({first.name: nothing_stored, second.name: without_headers})
        lost[last.name] = last
        changed = {**spoiled, last.name: half_sent}
        return replace(
            found, restarts=tuple(changed.get(o.name, unchanged)(o) for o in found.restarts)
        )

    def again(one: Restart) -> Restart:
        # What is played again, as transport broke, is spoiled as well, but for what was lost.
        whole = lost.get(one.name, one)
        return spoiled.get(one.name, unchanged)(restart_again(replace(whole, play=one.play)))

    monkeypatch.setattr(run, "IDLE_S", 5.0)
    monkeypatch.setattr(oracle, "restarts", wrong)
    monkeypatch.setattr(oracle, "restart_again", again)
    options = oracle.OracleOptions(
        "3.3.1", tmp_path, lambda _: None, lambda _done, _total: None, os.environ, restarts=True
    )
    result = oracle.ask(cases("restart.connector"), log_of, options)
    shown = "\n".join(lines(result))
    assert {one.case for one in result.of(Status.DIFFERS)} == set(spoiled), shown
    assert set(lost) <= {one.case for one in result.of(Status.EQUAL)}, shown
    assert result.replayed
    assert any("stopped at the first tombstone" in o.case for o in result.of(Status.EQUAL))

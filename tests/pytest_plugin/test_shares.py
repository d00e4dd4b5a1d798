"""How cases are dealt to workers: all of them, once, alike in each, whatever their order."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.engine.catalogue.choose import load, selected
from harness.engine.catalogue.workspace import workspace
from harness.errors import SetupError, UsageError
from harness.pytest_plugin.answer import Answer, Chosen, Stopped
from harness.pytest_plugin.options import PluginOptions
from harness.pytest_plugin.shares import Shares, deal, selection
from tests.pytest_plugin.project import ROOT

SPACE = workspace(ROOT)
CASES = selection(
    Chosen(SPACE.scenarios, case)
    for case in selected(load(SPACE, [ROOT / "scenarios" / "keys"]), None)
)


def options(tmp_path: Path, worker: int = 0, workers: int = 1) -> PluginOptions:
    """Return a worker's options."""
    return PluginOptions("reference", 60.0, tmp_path, tmp_path, (), False, "same", worker, workers)  # noqa: FBT003


@given(shares=st.integers(1, 9), seed=st.integers(), data=st.data())
def test_every_case_is_dealt_once_whatever_the_order(
    shares: int, seed: int, data: st.DataObject
) -> None:
    """Shares are disjoint, hold every selected case, and do not depend on the items' order."""
    keys = data.draw(st.lists(st.sampled_from(sorted(CASES)), unique=True))
    shuffled = list(keys)
    Random(seed).shuffle(shuffled)
    dealt = deal({key: CASES[key] for key in keys}, shares)
    assert len(dealt) == shares
    assert sorted(key for share in dealt for key in share) == sorted(keys)
    assert dealt == deal({key: CASES[key] for key in shuffled}, shares)


def test_a_scenarios_cases_stay_together() -> None:
    """No scenario is planned by two workers."""
    dealt = deal(CASES, 3)
    owners = {(CASES[key].case.scenario.id, n) for n, share in enumerate(dealt) for key in share}
    assert len(owners) == len({scenario for scenario, _ in owners})


@pytest.mark.parametrize("asks", [0, 1])
def test_each_share_runs_once_for_all_workers(tmp_path: Path, asks: int) -> None:
    """Whoever asks first runs its own share and what it needs; the others read the answers."""
    packs: list[tuple[int, frozenset[str]]] = []
    workers = [
        Shares(
            CASES,
            options(tmp_path, worker, 2),
            lambda share, me=worker: (
                packs.append((me, frozenset(one.key for one in share)))
                or {one.key: Answer("pass") for one in share}
            ),
        )
        for worker in (0, 1)
    ]
    for number in (asks, 1 - asks):
        assert {workers[number].answer(key).judgement for key in CASES} == {"pass"}
    assert len(packs) == 2
    assert frozenset.union(*(share for _, share in packs)) == frozenset(CASES)


def test_what_stops_one_worker_is_reported_by_it_alone(tmp_path: Path) -> None:
    """An environment that is not fit is one error, and one attempt, however many workers."""
    attempts: list[int] = []

    def pack(share: object) -> dict[str, Answer]:
        del share
        attempts.append(1)
        raise SetupError("there is no Java")

    reported: list[bool] = []
    for worker in (0, 1):
        shares = Shares(CASES, options(tmp_path, worker, 2), pack)
        with pytest.raises(Stopped, match="there is no Java") as stopped:
            shares.answer(next(iter(CASES)))
        reported.append(stopped.value.reported)
    assert reported == [False, True]
    assert attempts == [1]


def test_two_files_with_one_id_are_refused() -> None:
    """Answers go by case id, so an id that two files have is a usage error."""
    one, *_, other = CASES.values()
    twin = Chosen(one.root, type(one.case)(other.case.scenario, "open", "", 1, None, one.case.id))
    with pytest.raises(UsageError, match="both have the id"):
        selection([one, twin])

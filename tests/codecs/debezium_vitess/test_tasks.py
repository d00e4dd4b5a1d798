"""Which tasks a connector starts when each keeps offsets of its own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.connect.errors import JavaError
from harness.codecs.debezium_vitess.settings import read
from harness.codecs.debezium_vitess.tasks import TaskPlan, VitessCluster, task_key, tasks
from harness.codecs.debezium_vitess.vgtid import position
from harness.model.vstream import ShardGtid
from tests.codecs.debezium_vitess.streams import BASE, HOST

Offsets = dict[tuple[str, str | None], dict[str, Any]]
NAMES = [f"{low:x}0-{low + 1:x}0" for low in range(1, 15)]


def planned(
    shards: list[str], count: int, offsets: Offsets, generation: int = 0, before: int = 1
) -> tuple[TaskPlan, ...]:
    """Return the tasks over these shards, for at most that many."""
    asked = {
        **{name: value for name, value in BASE.items() if name != "vitess.shard"},
        "tasks.max": str(count),
        "vitess.offset.storage.per.task": "true",
        "vitess.offset.storage.task.key.gen": str(generation),
        "vitess.prev.num.tasks": str(before),
    }
    return tasks(read(asked), VitessCluster(tuple(shards)), offsets)


@given(st.lists(st.sampled_from(NAMES), min_size=1, unique=True), st.integers(1, 20))
def test_shards_are_dealt_in_turn(shards: list[str], count: int) -> None:
    """Neighbours in order go to different tasks, and no task is without a shard."""
    plans = planned(shards, count, {})
    assert len(plans) == min(count, len(shards))
    dealt = [plan.shards or () for plan in plans]
    assert [dealt[number % len(plans)][number // len(plans)] for number in range(len(shards))] == (
        sorted(shards)
    )


def test_the_name_of_a_task() -> None:
    """A task is known by its number, the number of tasks and their generation."""
    plans = planned(["-80", "80-"], 2, {}, generation=0)
    assert [plan.key for plan in plans] == ["task0_2_0", "task1_2_0"]
    assert task_key(0, 2, 1) == "task0_2_1"


def test_a_generation_takes_over() -> None:
    """Two tasks begin where the one of the generation before had come to, each with its shard."""
    stood = position((ShardGtid("ks", "-80", f"{HOST}7"), ShardGtid("ks", "80-", f"{HOST}9")))
    offsets: Offsets = {("srv", task_key(0, 1, 0)): {"vgtid": stood.text}}
    plans = planned(["-80", "80-"], 2, offsets, generation=1, before=1)
    assert [[(s.shard, s.gtid) for s in plan.start.shards] for plan in plans] == [
        [("-80", f"{HOST}7")],
        [("80-", f"{HOST}9")],
    ]


def test_the_first_generation_takes_over_from_none() -> None:
    """What a connector stored before tasks had offsets of their own counts as generation 0."""
    stood = position((ShardGtid("ks", "-80", f"{HOST}7"), ShardGtid("ks", "80-", f"{HOST}9")))
    offsets: Offsets = {("srv", None): {"vgtid": stood.text}}
    plans = planned(["-80", "80-"], 2, offsets, generation=1, before=1)
    assert [[(s.shard, s.gtid) for s in plan.start.shards] for plan in plans] == [
        [("-80", f"{HOST}7")],
        [("80-", f"{HOST}9")],
    ]
    with pytest.raises(JavaError, match="task0_1_1"):
        planned(["-80", "80-"], 2, offsets, generation=2, before=1)


def test_all_tasks_of_the_generation_before_are_asked() -> None:
    """Four tasks take over from two, as the page has it; one that nobody stored is missed."""
    dealt = {0: ("-40", "80-c0"), 1: ("40-80", "c0-")}
    offsets: Offsets = {
        ("srv", task_key(number, 2, 1)): {
            "vgtid": position(
                tuple(ShardGtid("ks", shard, f"{HOST}{number}{at}") for at, shard in enumerate(own))
            ).text
        }
        for number, own in dealt.items()
    }
    shards = [*dealt[0], *dealt[1]]
    plans = planned(shards, 4, offsets, generation=2, before=2)
    assert [[(s.shard, s.gtid) for s in plan.start.shards] for plan in plans] == [
        [("-40", f"{HOST}00")],
        [("40-80", f"{HOST}10")],
        [("80-c0", f"{HOST}01")],
        [("c0-", f"{HOST}11")],
    ]
    with pytest.raises(JavaError, match="task0_3_1"):
        planned(shards, 4, offsets, generation=2, before=3)

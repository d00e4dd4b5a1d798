"""Tasks: how shards are dealt to them, what they are called, what each streams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import constant, patch
from harness.mutants.producers.vitess.edits import ignoring
from harness.sources.vitess.streams import Streams
from harness.sources.vitess.topology import Topology

TASKS: Final = "harness.codecs.debezium_vitess.tasks"
STREAMS: Final = "harness.sources.vitess.streams"
TaskKey = Callable[[int, int, int], str]
CLUSTER: Final = "harness.sources.vitess.simulator:Cluster"


def _in_blocks(topology: Topology) -> Streams:
    """Return streams over neighbouring shards."""
    shards = sorted(topology.streamed)
    if not topology.tasks:
        return dict.fromkeys(topology.streamed)
    size = -(-len(shards) // min(topology.tasks, len(shards)))
    return {shard: shards[shards.index(shard) // size * size] for shard in topology.streamed}


def _one_for_all(original: Callable[[Topology], Streams], topology: Topology) -> Streams:
    found = original(topology)
    first = next(iter(found.values()), None)
    return dict.fromkeys(found, first)


def _a_stream_a_shard(topology: Topology) -> Streams:
    return {shard: shard for shard in topology.streamed}


def _counting_in_vain(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return what counts the tasks that have no shard in the names of those that have."""

    def tasks(settings: Any, *rest: Any) -> Any:  # noqa: ANN401 as the original
        count = settings.number("tasks.max")
        return tuple(
            replace(plan, key="_".join((name, str(count), generation)))
            for plan in original(settings, *rest)
            for name, _, generation in [plan.key.split("_")]
        )

    return tasks


def _instead(form: TaskKey, original: TaskKey) -> TaskKey:
    del original
    return form


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "vitess-shards-dealt-in-blocks",
        "vitess.task.round-robin",
        "It deals neighbouring shards to a task.",
        patch(f"{STREAMS}:opened", lambda _: _in_blocks),
    ),
    WrongProducer(
        "vitess-shards-all-to-the-first-task",
        "vitess.task.round-robin",
        "It lets the first task follow all shards.",
        patch(
            f"{STREAMS}:opened",
            lambda original: lambda topology: _one_for_all(original, topology),
        ),
    ),
    WrongProducer(
        "vitess-task-of-all-positions",
        "vitess.task.own-stream",
        "It names the shards of other tasks in the VGTIDs of a task.",
        patch(f"{CLUSTER}._advance", lambda _: lambda self, shard: self._position.advance(shard)),
    ),
    WrongProducer(
        "vitess-tasks-not-kept-apart",
        "vitess.task.own-stream",
        "It streams all shards at once although offsets are stored per task.",
        ignoring("vitess.offset.storage.per.task", "tasks.max"),
    ),
    *(
        WrongProducer(
            f"vitess-task-key-{what}",
            "vitess.task.key",
            f"It names a task {words}.",
            patch(f"{TASKS}:task_key", partial(_instead, form)),
        )
        for what, words, form in (
            ("without-generation", "without the generation", lambda n, c, _: f"task{n}_{c}"),
            ("without-count", "without the number of tasks", lambda n, _, g: f"task{n}_{g}"),
            ("from-1", "by a number from 1", lambda n, c, g: f"task{n + 1}_{c}_{g}"),
            ("turned", "by generation before number", lambda n, c, g: f"task{n}_{g}_{c}"),
        )
    ),
    WrongProducer(
        "vitess-more-tasks-than-shards",
        "vitess.task.no-more-than-shards",
        "It counts tasks that have no shard.",
        patch(f"{TASKS}:_per_task", _counting_in_vain),
    ),
    WrongProducer(
        "vitess-only-task-is-1",
        "vitess.task.one",
        "It calls the only task 1.",
        constant(f"{TASKS}:ONLY_TASK", "1"),
    ),
    WrongProducer(
        "vitess-a-stream-a-shard",
        "vitess.task.one",
        "It follows each shard by a stream of its own.",
        patch(f"{STREAMS}:opened", lambda _: _a_stream_a_shard),
    ),
)

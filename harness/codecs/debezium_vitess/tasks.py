"""How many tasks a connector starts, for which shards, and from where.

Source: V:VitessConnector.java taskConfigs, V:VitessConnectorTask.java getConfigWithOffsets,
V:VitessOffsetRetriever.java, V:connection/VitessReplicationConnection.java defaultVgtid; vitess
NOTES §9; vectors start.*, offset.*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from harness.codecs.connect.errors import ILLEGAL_ARGUMENT, JavaError
from harness.codecs.connect.schema import Offset
from harness.codecs.debezium.settings import ConnectorSettings
from harness.codecs.debezium_vitess.ordering import read_epochs
from harness.codecs.debezium_vitess.reference import CURRENT, EMPTY
from harness.codecs.debezium_vitess.settings import keyspace
from harness.codecs.debezium_vitess.settings import shards as configured_shards
from harness.codecs.debezium_vitess.vgtid import VgtidPosition, parse, position
from harness.model.vstream import ShardGtid

# What Connect stored: by server and task key (None where offsets are not kept per task).
Offsets = Mapping[tuple[str, str | None], Offset]
NO_OFFSETS: Final[Offsets] = MappingProxyType({})
# The connector's id of its only task, whatever `task.id` says (vector crud.task_id_prop).
ONLY_TASK: Final = "0"


@dataclass(frozen=True, slots=True)
class VitessCluster:
    """What the connector asks VTGate for: a keyspace's shards and tables."""

    shards: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """One task: its key (None for the only one), its shards, its start, and what was stored."""

    key: str | None
    shards: tuple[str, ...] | None
    start: VgtidPosition
    epochs: Mapping[str, int]
    stored: Offset | None


def start_gtid(settings: ConnectorSettings) -> str:
    """Return `current`, nothing (copy first), or the position that is configured."""
    if settings.mode("snapshot.mode") == "initial":
        return EMPTY
    return settings.text("vitess.vgtid")


def tasks(
    settings: ConnectorSettings, cluster: VitessCluster, offsets: Offsets
) -> tuple[TaskPlan, ...]:
    """Plan a connector's tasks; raises JavaError where it would refuse to."""
    if not settings.flag("vitess.offset.storage.per.task"):
        if settings.number("tasks.max") > 1:
            raise JavaError(ILLEGAL_ARGUMENT, "Only a single connector task may be started")
        stored = offsets.get((settings.prefix, None))
        start, epochs = _start(settings, cluster), _epochs(settings, cluster)
        return (TaskPlan(None, None, start, epochs, stored),)
    return _per_task(settings, cluster, offsets)


def _start(settings: ConnectorSettings, cluster: VitessCluster) -> VgtidPosition:
    shards, gtid = configured_shards(settings), start_gtid(settings)
    if shards is None:
        # Without shards a configured position is not looked at.
        return _same(settings, cluster.shards, EMPTY) if gtid == EMPTY else _everywhere(settings)
    if gtid in {CURRENT, EMPTY}:
        return _same(settings, shards, gtid)
    return parse(gtid)


def _everywhere(settings: ConnectorSettings) -> VgtidPosition:
    return position((ShardGtid(keyspace(settings), "", CURRENT),))


def _same(settings: ConnectorSettings, shards: Sequence[str], gtid: str) -> VgtidPosition:
    if not shards:
        return _everywhere(settings)
    return position(tuple(ShardGtid(keyspace(settings), shard, gtid) for shard in shards))


def _epochs(settings: ConnectorSettings, cluster: VitessCluster) -> dict[str, int]:
    configured = settings.text("vitess.shard.epoch.map")
    if configured:
        return read_epochs(configured)
    return dict.fromkeys(sorted(configured_shards(settings) or cluster.shards), 0)


def task_key(number: int, count: int, generation: int) -> str:
    """Return the name under which a task's offsets are kept."""
    return f"task{number}_{count}_{generation}"


def _per_task(
    settings: ConnectorSettings, cluster: VitessCluster, offsets: Offsets
) -> tuple[TaskPlan, ...]:
    current = configured_shards(settings) or cluster.shards
    count = min(settings.number("tasks.max"), len(current))
    generation = settings.number("vitess.offset.storage.task.key.gen")
    store = _Store(settings.prefix, offsets)
    previous = store.read(settings.number("vitess.prev.num.tasks"), generation - 1, expected=True)
    now = store.read(count, generation, expected=False)
    _check_lost(previous.gtids, current)
    _check_generation(settings, previous.gtids, current, count, generation)
    shards = sorted(_chosen_shards(previous.gtids, now.gtids, current))
    plans: list[TaskPlan] = []
    for number in range(min(count, len(shards))):
        mine = tuple(shards[number::count])
        key = task_key(number, count, generation)
        plans.append(_task(settings, key, mine, (now, previous), offsets))
    return tuple(plans)


@dataclass(frozen=True, slots=True)
class _Known:
    """What one generation's offsets say of each shard; None where there was no generation."""

    gtids: Mapping[str, str] | None
    epochs: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Store:
    server: str
    offsets: Offsets

    def read(self, count: int, generation: int, *, expected: bool) -> _Known:
        """Read the offsets of a generation; those without a task key are generation 0's."""
        if generation < 0:
            return _Known(None, {})
        gtids: dict[str, str] = {}
        epochs: dict[str, int] = {}
        for number in range(count):
            key = task_key(number, count, generation)
            offset = self.offsets.get((self.server, key))
            if offset is None and generation == 0:
                key = "null"
                offset = self.offsets.get((self.server, None))
            if offset is None:
                if expected:
                    raise JavaError(ILLEGAL_ARGUMENT, f"No offset found for {self._named(key)}")
                continue
            gtids.update({s.shard: s.gtid for s in parse(offset["vgtid"]).shards})
            epochs.update(read_epochs(offset.get("transaction_epoch") or "{}"))
        return _Known(gtids, epochs)

    def _named(self, key: str) -> str:
        return f"VitessPartition [sourcePartition={{server={self.server}, task_key={key}}}]"


def _check_lost(previous: Mapping[str, str] | None, current: Sequence[str]) -> None:
    if previous is not None and set(previous) > set(current):
        shards = f"[{', '.join(previous)}]"
        raise JavaError(
            ILLEGAL_ARGUMENT,
            f"Previous shards: {shards} is the superset of current shards: "
            f"[{', '.join(current)}].  We will lose gtid positions for some shards if we continue",
        )


def _check_generation(
    settings: ConnectorSettings,
    previous: Mapping[str, str] | None,
    current: Sequence[str],
    count: int,
    generation: int,
) -> None:
    before = settings.number("vitess.prev.num.tasks")
    if generation > 0 and count == before and previous is not None:
        if set(previous) != set(current):
            return
        raise JavaError(
            ILLEGAL_ARGUMENT,
            f"Previous num.tasks: {before} and current num.tasks: {count} are the same. "
            f"And previous shards: [{', '.join(previous)}] and current shards: "
            f"[{', '.join(current)}] are the same. "
            "Please choose different tasks.max or have different number of vitess shards "
            "if you want to change the task parallelism.  "
            "Otherwise please reset the offset.storage.task.key.gen config to its original value",
        )


def _chosen_shards(
    previous: Mapping[str, str] | None, now: Mapping[str, str] | None, current: Sequence[str]
) -> list[str]:
    """Prefer the cluster's shards, unless offsets name ones that are no longer there."""
    for known in (now, previous):
        if known:
            return list(current if set(known) <= set(current) else known)
    return list(current)


def _task(
    settings: ConnectorSettings,
    key: str,
    shards: tuple[str, ...],
    known: tuple[_Known, _Known],
    offsets: Offsets,
) -> TaskPlan:
    configured = _configured(settings, shards)
    epochs = read_epochs(settings.text("vitess.shard.epoch.map") or "{}")
    gtids = {shard: _first(shard, [k.gtids or {} for k in known], configured) for shard in shards}
    numbers = {
        shard: _first(shard, [k.epochs for k in known], lambda s: epochs.get(s, 0))
        for shard in shards
    }
    start = position(
        tuple(ShardGtid(keyspace(settings), shard, gtids[shard]) for shard in sorted(shards))
    )
    return TaskPlan(key, shards, start, numbers, offsets.get((settings.prefix, key)))


def _first(shard: str, known: Sequence[Mapping[str, Any]], otherwise: Callable[[str], Any]) -> Any:  # noqa: ANN401 a GTID or an epoch
    for values in known:
        if shard in values:
            return values[shard]
    return otherwise(shard)


def _configured(settings: ConnectorSettings, shards: tuple[str, ...]) -> Callable[[str], str]:
    gtid = start_gtid(settings)
    if gtid in {CURRENT, EMPTY}:
        return dict.fromkeys(shards, gtid).__getitem__
    given = {entry.shard: entry.gtid for entry in parse(gtid).shards}
    return {shard: given.get(shard, CURRENT) for shard in shards}.__getitem__

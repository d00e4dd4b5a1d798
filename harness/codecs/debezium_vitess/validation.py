"""What Connect refuses before the Vitess connector starts: the problems of a configuration.

Source: V:VitessConnectorConfig.java, V:VitessConnector.java validateAllFields; vectors
start.vgtid_without_shard, tasks.max2_without_per_task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from harness.codecs.debezium.settings import ConnectorSettings
from harness.codecs.debezium.validation import Problem, common_problems
from harness.codecs.debezium_vitess.reference import CURRENT, EMPTY
from harness.codecs.debezium_vitess.settings import shards
from harness.codecs.debezium_vitess.vgtid import parse
from harness.errors import UsageError

_WORDS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "snapshot.mode": ("initial", "never"),
        "bigint.unsigned.handling.mode": ("string", "precise", "long"),
    }
)


def problems(settings: ConnectorSettings) -> tuple[str, ...]:
    """Return every problem as Connect lists them: the property, then what is said of it."""
    common = common_problems(settings, ("vitess.keyspace",), _WORDS)
    invalid = [
        f"{name}: The '{name}' value is invalid: {what}"
        for name, what in (*common, *_positions(settings))
    ]
    return (*invalid, *(f"{name}: {what}" for name, what in _tasks(settings)))


def _positions(settings: ConnectorSettings) -> Iterator[Problem]:
    listed = shards(settings)
    for name in ("vitess.vgtid", "vitess.gtid"):
        text = settings.text(name)
        if text in {CURRENT, EMPTY}:
            continue
        try:
            given = [entry.shard for entry in parse(text).shards]
        except UsageError as error:
            yield name, error.what
            continue
        if listed is None:
            yield name, "If GTIDs are specified, there must be shards specified"
        elif len(listed) != len(given):
            yield name, "If GTIDs are specified must be specified for all shards"
        elif set(listed) != set(given):
            yield name, "If GTIDs are specified must be specified for matching shards"


def _tasks(settings: ConnectorSettings) -> Iterator[Problem]:
    per_task, generation = "vitess.offset.storage.per.task", "vitess.offset.storage.task.key.gen"
    if settings.number("tasks.max") > 1 and not settings.flag(per_task):
        yield per_task, f"{per_task} needs to be enabled when tasks.max > 1"
    number = settings.number(generation)
    if settings.flag(per_task) and number < 0:
        yield generation, f"{generation} needs to be enabled when {per_task} is specified"
    if number >= 0 and settings.number("vitess.prev.num.tasks") <= 0:
        yield (
            "vitess.prev.num.tasks",
            f"vitess.prev.num.tasks needs to be enabled when {generation} is specified",
        )

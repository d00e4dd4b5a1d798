"""What Connect refuses before anything is started: the problems of a configuration.

Source: V:VitessConnectorConfig.java, V:VitessConnector.java validateAllFields, C:config/Field.java;
vectors start.vgtid_without_shard, tasks.max2_without_per_task.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from harness.codecs.debezium_vitess.connector.java import buckets, hash_order, split
from harness.codecs.debezium_vitess.connector.settings import CURRENT, EMPTY, Settings
from harness.codecs.debezium_vitess.connector.vgtid import parse
from harness.errors import UsageError

_TOPIC_NAME: Final = re.compile(r"[a-zA-Z0-9_.\-]+\Z")
_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "snapshot.mode": ("initial", "never"),
        "bigint.unsigned.handling.mode": ("string", "precise", "long"),
        "binary.handling.mode": ("bytes", "base64", "base64-url-safe", "hex"),
        "decimal.handling.mode": ("precise", "double", "string"),
        "schema.name.adjustment.mode": ("none", "avro", "avro_unicode"),
        "field.name.adjustment.mode": ("none", "avro", "avro_unicode"),
        "event.processing.failure.handling.mode": ("skip", "warn", "fail", "ignore"),
    }
)
_MESSAGE_KEY: Final = re.compile(r"\s*([^\s:]+):([^:\s]+)\s*\Z")
_OPERATIONS: Final = frozenset(("none", "r", "c", "u", "d", "t"))
_WHOLE: Final = re.compile(r"-?\d{1,19}\Z")
_POSITIVE: Final = (1, "A positive, non-zero integer value is expected")
_NUMBERS: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "heartbeat.interval.ms": (0, "An non-negative integer is expected"),
        "max.batch.size": _POSITIVE,
        "poll.interval.ms": _POSITIVE,
    }
)
# How often Connect is told: tombstones are looked at by two rules of one check.
_FLAGS: Mapping[str, int] = MappingProxyType(
    {"tombstones.on.delete": 2, "provide.transaction.metadata": 1}
)
_EXCLUSIVE: Final = ("table", "column")
Problem = tuple[str, str]


def problems(settings: Settings) -> tuple[str, ...]:
    """Return every problem as Connect lists them: the property, then what is said of it."""
    checks: tuple[Callable[[Settings], Iterator[Problem]], ...] = (
        _required,
        _words,
        _names,
        _exclusive,
        _message_keys,
        _skipped,
        _flags,
        _numbers,
        _positions,
    )
    invalid = [
        f"{name}: The '{name}' value is invalid: {what}"
        for check in checks
        for name, what in check(settings)
    ]
    return (*invalid, *(f"{name}: {what}" for name, what in _tasks(settings)))


def _required(settings: Settings) -> Iterator[Problem]:
    for name in ("topic.prefix", "vitess.keyspace"):
        if not settings.text(name).strip():
            yield name, "A value is required"


def _words(settings: Settings) -> Iterator[Problem]:
    for name, words in _WORDS.items():
        if settings.mode(name) not in words:
            # A HashSet's order (C:config/Field.java).
            yield name, f"Value must be one of {', '.join(hash_order(words, buckets(len(words))))}"


def _names(settings: Settings) -> Iterator[Problem]:
    name = settings.text("topic.prefix")
    if not _TOPIC_NAME.match(name):
        allowed = "only the underscore, hyphen, dot and alphanumeric characters are allowed"
        yield "topic.prefix", f"{name} has invalid format ({allowed})"


def _exclusive(settings: Settings) -> Iterator[Problem]:
    for subject in _EXCLUSIVE:
        lists = (f"{subject}.include.list", f"{subject}.exclude.list")
        if all(settings.optional(name) is not None for name in lists):
            yield lists[1], f'"{subject}.include.list" is already specified'


def _message_keys(settings: Settings) -> Iterator[Problem]:
    for part in split(settings.optional("message.key.columns") or ";", ";"):
        if not _MESSAGE_KEY.match(part):
            yield (
                "message.key.columns",
                f"{part} has an invalid format (expecting '^\\s*([^\\s:]+):([^:\\s]+)\\s*$')",
            )


def _flags(settings: Settings) -> Iterator[Problem]:
    for name, times in _FLAGS.items():
        value = settings.text(name).strip().lower()
        if value not in ("true", "false"):
            yield from [(name, "Either 'true' or 'false' is expected")] * times


def _numbers(settings: Settings) -> Iterator[Problem]:
    for name, (least, what) in _NUMBERS.items():
        text = settings.text(name).strip()
        if text and (not _WHOLE.match(text) or int(text) < least):
            yield name, what


def _skipped(settings: Settings) -> Iterator[Problem]:
    operations = settings.text("skipped.operations")
    words = [word.strip() for word in split(operations, ",")]
    if operations == "none":
        return
    if any(word not in _OPERATIONS for word in words):
        yield "skipped.operations", "Invalid operation"
    elif "none" in words and set(words) != {"none"}:
        yield (
            "skipped.operations",
            "'none' cannot be specified with other skipped operation types",
        )


def _positions(settings: Settings) -> Iterator[Problem]:
    shards = settings.shards
    for name in ("vitess.vgtid", "vitess.gtid"):
        text = settings.text(name)
        if text in {CURRENT, EMPTY}:
            continue
        try:
            given = [entry.shard for entry in parse(text).shards]
        except UsageError as error:
            yield name, error.what
            continue
        if shards is None:
            yield name, "If GTIDs are specified, there must be shards specified"
        elif len(shards) != len(given):
            yield name, "If GTIDs are specified must be specified for all shards"
        elif set(shards) != set(given):
            yield name, "If GTIDs are specified must be specified for matching shards"


def _tasks(settings: Settings) -> Iterator[Problem]:
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

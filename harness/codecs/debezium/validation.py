"""What Connect refuses before anything is started: the problems of a configuration.

Source: C:config/CommonConnectorConfig.java, C:config/Field.java.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from harness.codecs.connect.java import buckets, hash_order, split
from harness.codecs.debezium.settings import ConnectorSettings

_TOPIC_NAME: Final = re.compile(r"[a-zA-Z0-9_.\-]+\Z")
_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
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
# How often Connect reports each: tombstones are looked at by two rules of one check.
_FLAGS: Mapping[str, int] = MappingProxyType(
    {"tombstones.on.delete": 2, "provide.transaction.metadata": 1}
)
_EXCLUSIVE: Final = ("table", "column")
Problem = tuple[str, str]


def common_problems(
    settings: ConnectorSettings, required: Sequence[str], words: Mapping[str, Sequence[str]]
) -> Iterator[Problem]:
    """Yield the problems that every relational connector has.

    `required` are the connector's properties that must be set, `words` those that take one of a
    list, both in the order of the connector's configuration.
    """
    for name in ("topic.prefix", *required):
        if not settings.text(name).strip():
            yield name, "A value is required"
    for name, allowed in {**words, **_WORDS}.items():
        if settings.mode(name) not in allowed:
            # A HashSet's order (C:config/Field.java).
            listed = ", ".join(hash_order(allowed, buckets(len(allowed))))
            yield name, f"Value must be one of {listed}"
    for check in (_names, _exclusive, _message_keys, _skipped, _flags, _numbers):
        yield from check(settings)


def _names(settings: ConnectorSettings) -> Iterator[Problem]:
    name = settings.text("topic.prefix")
    if not _TOPIC_NAME.match(name):
        allowed = "only the underscore, hyphen, dot and alphanumeric characters are allowed"
        yield "topic.prefix", f"{name} has invalid format ({allowed})"


def _exclusive(settings: ConnectorSettings) -> Iterator[Problem]:
    for subject in _EXCLUSIVE:
        lists = (f"{subject}.include.list", f"{subject}.exclude.list")
        if all(settings.optional(name) is not None for name in lists):
            yield lists[1], f'"{subject}.include.list" is already specified'


def _message_keys(settings: ConnectorSettings) -> Iterator[Problem]:
    for part in split(settings.optional("message.key.columns") or ";", ";"):
        if not _MESSAGE_KEY.match(part):
            yield (
                "message.key.columns",
                f"{part} has an invalid format (expecting '^\\s*([^\\s:]+):([^:\\s]+)\\s*$')",
            )


def _flags(settings: ConnectorSettings) -> Iterator[Problem]:
    for name, times in _FLAGS.items():
        value = settings.text(name).strip().lower()
        if value not in ("true", "false"):
            yield from [(name, "Either 'true' or 'false' is expected")] * times


def _numbers(settings: ConnectorSettings) -> Iterator[Problem]:
    for name, (least, what) in _NUMBERS.items():
        text = settings.text(name).strip()
        if text and (not _WHOLE.match(text) or int(text) < least):
            yield name, what


def _skipped(settings: ConnectorSettings) -> Iterator[Problem]:
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

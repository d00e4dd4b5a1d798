"""Connect's predicates: which records a transform is for.

Source: Kafka 4.1 connect-transforms `TopicNameMatches`, `RecordIsTombstone`, `HasHeaderKey`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from harness.codecs.connect.errors import CONFIG_EXCEPTION, stopped
from harness.codecs.connect.schema import ConnectRecord
from harness.errors import UsageError
from harness.wire.java_regex import compiled

Predicate = Callable[[ConnectRecord], bool]
Options = Mapping[str, str]
_PACKAGE: Final = "org.apache.kafka.connect.transforms.predicates"


def topic_name_matches(options: Options) -> Predicate:
    """Return whether the whole topic's name matches `pattern`."""
    text = _required(options, "pattern")
    try:
        pattern = compiled(text)
    except re.error as error:
        raise stopped(
            CONFIG_EXCEPTION,
            f"Invalid value {text} for configuration pattern: entry must be a Java-compatible "
            f"regular expression: {error}",
        ) from error
    return lambda record: pattern.fullmatch(record.topic) is not None


def record_is_tombstone(options: Options) -> Predicate:
    """Return whether the value is null."""
    del options
    return lambda record: record.value is None


def has_header_key(options: Options) -> Predicate:
    """Return whether there is a header called `name`."""
    name = _required(options, "name")
    return lambda record: any(header.key == name for header in record.headers)


PREDICATES: Final[Mapping[str, Callable[[Options], Predicate]]] = {
    f"{_PACKAGE}.TopicNameMatches": topic_name_matches,
    f"{_PACKAGE}.RecordIsTombstone": record_is_tombstone,
    f"{_PACKAGE}.HasHeaderKey": has_header_key,
}


def predicate(type_name: str, options: Options) -> Predicate:
    """Return a predicate by its class; UsageError for one that is not known."""
    if type_name not in PREDICATES:
        raise UsageError(
            f"unknown predicate {type_name!r}", expected="one of " + ", ".join(PREDICATES)
        )
    return PREDICATES[type_name](options)


def _required(options: Options, name: str) -> str:
    text = options.get(name, "")
    if not text.strip():
        raise stopped(
            CONFIG_EXCEPTION,
            f'Missing required configuration "{name}" which has no default value.',
        )
    return text

"""Messages that are set aside: which are named, and all that is kept of one.

A message that cannot be read has no row of its own. What was in Kafka travels on in its place, as
JSON with Base64, until it is in a table of dead letters: nothing of it is lost, and it can be
decoded again or sent again.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import orjson

from cdc_spark.errors import UsageError

SKIPPED = "skipped by name"
# The content of a message in Spark's types; the timestamp is in milliseconds.
CONTENT: Mapping[str, str] = {
    "key": "binary",
    "value": "binary",
    "headers": "array<struct<key: string, value: binary>>",
    "timestamp": "bigint",
}
COLUMNS = ", ".join(f"{name} {kind}" for name, kind in CONTENT.items())
FIELDS = ", ".join(f"{name}: {kind}" for name, kind in CONTENT.items())


class MessagePlace(NamedTuple):
    """Where a message stands."""

    topic: str
    partition: int
    offset: int

    def __str__(self) -> str:
        """Return the place in words."""
        return f"topic {self.topic}, partition {self.partition}, offset {self.offset}"


Places = frozenset[MessagePlace]


@dataclass(frozen=True, slots=True)
class Policy:
    """What becomes of messages that cannot be read, and of those that were skipped by name.

    `fails`: they fail the query, but for those in `skipped`. `keeps`: what is set aside keeps its
    content (`packed`). With neither, each is an event with the reason.
    """

    fails: bool = False
    keeps: bool = False
    skipped: Places = frozenset()


POISON_IS_AN_EVENT = Policy()


def places(named: Iterable[object]) -> Places:
    """Return places that somebody named; raises UsageError for what is none."""
    return frozenset(_place(one) for one in named)


def _place(named: object) -> MessagePlace:
    found = tuple(cast("Sequence[object]", named)) if isinstance(named, list | tuple) else ()
    if [type(part) for part in found] != [str, int, int] or min(cast("Any", found[1:])) < 0:
        raise UsageError(
            f"the name of a message is {named!r}",
            expected="topic, partition and offset, as the error names them: ('orders', 3, 1042)",
        )
    return MessagePlace(*cast("tuple[str, int, int]", found))


def statements(named: Mapping[Any, Any]) -> Mapping[MessagePlace, str]:
    """Return statements by the place of their message; raises UsageError for what is none."""
    found = {_place(place): text for place, text in named.items()}
    for place, text in found.items():
        if type(text) is not str or not text.strip():
            raise UsageError(f"the statement of {place} is {text!r}", expected="SQL")
    return found


def packed(reason: str, message: Mapping[str, Any]) -> str:
    """Return why a message is set aside and what was in it, as JSON; `unpacked` is the way back."""
    headers = message.get("headers")
    return orjson.dumps(
        {
            "reason": reason,
            "key": _text(message["key"]),
            "value": _text(message["value"]),
            "headers": headers and [[one["key"], _text(one["value"])] for one in headers],
            "timestamp": message.get("timestamp"),
        }
    ).decode()


def unpacked(text: str) -> tuple[str, dict[str, Any]]:
    """Return why a message was set aside, and its content; a text that is no JSON is the reason."""
    try:
        found = orjson.loads(text)
        headers = found["headers"]
        content = {
            "key": _bytes(found["key"]),
            "value": _bytes(found["value"]),
            "headers": headers and [{"key": name, "value": _bytes(one)} for name, one in headers],
            "timestamp": found["timestamp"],
        }
        return str(found["reason"]), content
    except (ValueError, TypeError, KeyError):
        return text, {"key": None, "value": None, "headers": None, "timestamp": None}


def _text(part: bytes | None) -> str | None:
    return None if part is None else b64encode(part).decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text)

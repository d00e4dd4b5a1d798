"""An Avro vector's comparison follows its story, and notices every part that is spoiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from harness.truth.avro_reading import session_to_utc
from harness.truth.result import Result
from harness.truth.run import guarded
from harness.truth.ticdc_avro import compare
from tests.truth.vectors import vector


def first() -> dict[str, Any]:
    """Return a vector that posts both schemas and sends both parts of a message."""
    return vector("ticdc/avro_extra.jsonl", "avro_two_tables_one_topic/1/avro")


def spoiled(change: Callable[[dict[str, Any]], None]) -> Result:
    """Return what comes of a vector after a change."""
    one = first()
    assert guarded(compare, one).differences == ()
    change(one)
    return guarded(compare, one)


def in_event(**parts: Any) -> Callable[[dict[str, Any]], None]:
    """Return a change of the first message."""
    return lambda one: one["events"][0].update(parts)


def in_post(**parts: Any) -> Callable[[dict[str, Any]], None]:
    """Return a change of the first post."""
    return lambda one: one["registered"][0].update(parts)


def longer(one: dict[str, Any]) -> None:
    """Say that one message more was sent."""
    one["events"].append(one["events"][0])


def unposted(one: dict[str, Any]) -> None:
    """Say that one post fewer was made."""
    one["registered"].pop()


def another_schema(one: dict[str, Any]) -> None:
    """Say that a subject got another schema."""
    subject = next(iter(one["schemas"]))
    one["schemas"][subject] += " "


# What is changed -> where the difference is seen.
SPOILED: Mapping[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "a key": (in_event(key_hex="00"), "events[0].key_hex"),
    "a value": (in_event(value_hex=None), "events[0].value_hex"),
    "a topic": (in_event(topic="x"), "events[0].topic"),
    "a partition": (in_event(partition=7), "events[0].partition"),
    "a length": (in_event(producer_length=1), "events[0].producer_length"),
    "a header": (in_event(headers=[["a", "b"]]), "events[0].headers"),
    "an id of a value": (in_event(value_schema_id=9), "events[0].value_schema_id"),
    "an error": (in_event(encode_error="[CDC:ErrX]x"), "events[0].encode_error"),
    "a message more": (longer, "events"),
    "a body": (in_post(body="{}"), "registered[0].body"),
    "a path": (in_post(path="/"), "registered[0].path"),
    "an id of a post": (in_post(id=9), "registered[0].id"),
    "a post fewer": (unposted, "registered[1]"),
    "a subject's schema": (another_schema, "schemas."),
}


@pytest.mark.parametrize("part", SPOILED)
def test_every_part_is_compared(part: str) -> None:
    """A vector that says another thing anywhere does not come out equal."""
    change, where = SPOILED[part]
    places = [difference.where for difference in spoiled(change).differences]
    assert any(place.startswith(where) for place in places), places


def test_refusals_are_compared() -> None:
    """Settings that are refused for another reason, or not at all, are a difference."""
    refused: dict[str, Any] = {
        "id": "story/config",
        "config": {"uri_params": "avro-decimal-handling-mode=foo"},
        "config_error": "codec Config.Validate: [CDC:ErrCodecInvalidConfig]"
        'avro-decimal-handling-mode value could only be "string" or "precise"',
    }
    assert compare(refused).differences == ()
    other = {**refused, "config_error": "[CDC:ErrCodecInvalidConfig]another reason"}
    assert compare(other).differences
    taken = compare({**refused, "config": {"uri_params": ""}})
    assert taken.differences[0].ours == "taken"


@pytest.mark.parametrize(
    ("moment", "zone", "utc"),
    [
        ("2020-06-01 00:00:00", "+08:00", "2020-05-31 16:00:00"),
        ("2020-06-01 00:00:00.250", "-05:30", "2020-06-01 05:30:00.250"),
        ("2020-06-01", "+08:00", "2020-05-31 16:00:00"),
        ("20200601000000", "+08:00", "2020-05-31 16:00:00"),
        ("2024-07-01 12:00:00", "America/New_York", "2024-07-01 16:00:00"),
        ("0000-00-00 00:00:00", "+08:00", "0000-00-00 00:00:00"),
    ],
)
def test_zones(moment: str, zone: str, utc: str) -> None:
    """A session's literal of any form is its moment in UTC; zero is no moment."""
    assert session_to_utc(moment, zone) == utc

"""The vendor's own messages, read: what TiCDC's encoder was given comes out again.

A small subset of the vectors is in the repository (golden/truth); the whole of them is read when
`CDC_TRUTH_DIR` names their directory.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cdc_spark.apply.ddl import UNKNOWN_EFFECT, Tables
from cdc_spark.errors import DecodingError
from cdc_spark.events import Event, Kind
from cdc_spark.open.events import decode
from cdc_spark.open.values import DIALECTS

Vector = Mapping[str, Any]
Image = dict[str, Any]

SUBSET = Path(__file__).parents[3] / "golden" / "truth" / "ticdc"
ALL = Path(os.environ["CDC_TRUTH_DIR"], "ticdc") if "CDC_TRUTH_DIR" in os.environ else SUBSET
FILES = sorted(path.name for path in ALL.glob("open_*.jsonl"))


def vectors(name: str) -> Iterator[Vector]:
    """Yield the vectors of a file."""
    with (ALL / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def decoded(vector: Vector) -> list[Event]:
    """Return the events of all messages that the vendor's encoder made of a vector."""
    return [
        event
        for message in vector.get("events") or []
        if "key_hex" in message
        for event in decode(
            DIALECTS["current"],
            bytes.fromhex(message["key_hex"]),
            bytes.fromhex(message["value_hex"]),
        )
    ]


def mounted(columns: list[dict[str, Any]] | None) -> Image | None:
    """Return a row image that the encoder was given, in the contract's JSON."""
    return columns and {column["name"]: plain(column) for column in columns}


def plain(column: Mapping[str, Any]) -> Any:
    """Return a mounted value in the contract's JSON."""
    value = column["value"]
    if not isinstance(value, dict):
        return value
    ((kind, text),) = value.items()
    if kind == "b64":
        raw = base64.b64decode(text)
        return raw.hex() if column["flag"] & 1 else raw.decode()
    return float(text) if kind.startswith("float") else int(text)


def is_part(part: Image, whole: Image) -> bool:
    """Return whether every column of one image is so in the other."""
    return all(name in whole and whole[name] == value for name, value in part.items())


def wrong_images(vector: Vector) -> list[str]:
    """Return what the decoded rows tell that the encoder was not given, and the other way round."""
    rows = vector.get("rows") or []
    news = [image for row in rows if (image := mounted(row.get("columns")))]
    olds = [image for row in rows if (image := mounted(row.get("pre_columns")))]
    events = [json.loads(event.payload) for event in decoded(vector) if event.kind < Kind.DDL]
    afters = [event["after"] for event in events if event["after"] is not None]
    befores = [event["before"] for event in events if event["before"] is not None]
    wrong = [f"{vector['id']}: after {after}" for after in afters if after not in news]
    wrong += [
        f"{vector['id']}: before {before}"
        for before in befores
        if not any(is_part(before, old) for old in olds)
    ]
    if afters and "encode_error" not in json.dumps(vector["events"]):
        wrong += [f"{vector['id']}: lost {new}" for new in news if new not in afters]
    return wrong


@pytest.mark.parametrize("name", FILES)
def test_rows_come_out_as_they_went_in(name: str) -> None:
    """Every value of every message equals what the encoder was given."""
    found = list(vectors(name))
    assert found
    assert [wrong for vector in found for wrong in wrong_images(vector)] == []


@pytest.mark.parametrize("name", FILES)
def test_every_event_is_known_for_itself(name: str) -> None:
    """No two events of one change look like duplicates, unless nothing tells their rows apart."""
    for vector in vectors(name):
        events = [event for event in decoded(vector) if event.identity]
        seen = {(event.ts, event.kind, event.identity) for event in events}
        assert len(seen) == len(events), vector["id"]


@pytest.mark.skipif(ALL == SUBSET, reason="CDC_TRUTH_DIR does not name the vectors")
def test_every_ddl_takes_effect_or_is_refused_with_its_reason() -> None:
    """No DDL that TiDB restores is misunderstood; those that rows cannot follow say why."""
    ddl = [
        event
        for name in FILES
        for vector in vectors(name)
        for event in decoded(vector)
        if event.kind is Kind.DDL
    ]
    assert ddl
    refused = [event.payload for event in ddl if refusal(event)]
    assert all(json.loads(payload)["t"] in UNKNOWN_EFFECT for payload in refused), refused


def refusal(event: Event) -> str:
    """Return why a DDL event is refused, "" when it takes effect."""
    try:
        Tables().execute(event.schema, event.table, json.loads(event.payload))
    except DecodingError as error:
        return error.what
    return ""

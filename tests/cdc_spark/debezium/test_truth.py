"""The connector's own records, read: as JSON with schemas, without, and as Avro.

A small subset of the vectors is in the repository (golden/truth); the whole of them is read when
`CDC_TRUTH_DIR` names their directory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cdc_spark.debezium.connectors import VITESS
from cdc_spark.debezium.events import Decoder
from cdc_spark.debezium.parts import Parts
from cdc_spark.debezium.rows import Rows
from cdc_spark.debezium.values import Definitions
from cdc_spark.events import Event, Kind

Record = Mapping[str, Any]
SUBSET = Path(__file__).parents[3] / "golden" / "truth" / "vitess"
ALL = Path(os.environ["CDC_TRUTH_DIR"], "vitess") if "CDC_TRUTH_DIR" in os.environ else SUBSET
FILES = sorted(path.name for path in ALL.glob("0*.jsonl"))
SIDES = ("key", "value")
Pair = tuple[bytes | None, bytes | None]


def records(name: str) -> Iterator[Record]:
    """Yield the records of a file's vectors and of their runs."""
    with (ALL / name).open(encoding="utf-8") as lines:
        for line in lines:
            vector = json.loads(line)
            for run in (vector, *vector.get("runs", ())):
                yield from run.get("records") or ()


def with_schemas(record: Record) -> Pair:
    """Return the record's bytes with its schemas."""
    key, value = (
        None if record[side] is None else json.dumps(record[side], separators=(",", ":")).encode()
        for side in SIDES
    )
    return key, value


def without_schemas(record: Record) -> Pair:
    """Return the record's exact text."""
    key, value = (
        None
        if record[side] is None or record.get(f"{side}_text") is None
        else record[f"{side}_text"].encode("utf-8", "surrogatepass")
        for side in SIDES
    )
    return key, value


def avro(record: Record) -> tuple[Pair, dict[int, str]] | None:
    """Return the record's Avro bytes and the schemas that they name, None where it has none."""
    texts = record.get("avro")
    if not texts or "error" in texts:
        return None
    schemas: dict[int, str] = {}
    sides: list[bytes | None] = []
    for number, side in enumerate(SIDES, start=1):
        part = texts.get(side)
        if part and part.get("hex"):
            schemas[number] = json.dumps(part["schema"])
            sides.append(b"\0" + number.to_bytes(4, "big") + bytes.fromhex(part["hex"]))
        else:
            sides.append(None)
    if record["value"] is not None and sides[1] is None:
        return None
    return (sides[0], sides[1]), schemas


def decoded(pair: Pair, schemas: Mapping[int, str]) -> list[Event]:
    """Return the events of a record."""
    return Decoder(Parts(schemas.__getitem__), Rows(Definitions()), VITESS).decode(*pair)


def images(events: list[Event]) -> list[Any]:
    """Return what rows hold, by position: names may be adjusted for Avro, and -0 is 0."""
    found: list[Any] = []
    for event in events:
        if event.kind in (Kind.UPSERT, Kind.DELETE):
            body = json.loads(event.payload)
            found += [
                [value + 0 if isinstance(value, float) else value for value in image.values()]
                for image in (body["before"], body["after"])
                if image is not None
            ]
    return found


@pytest.mark.parametrize("name", FILES)
def test_every_record_of_the_connector_is_read(name: str) -> None:
    """No record is refused in any of its forms, and all tell of the same change."""
    for record in records(name):
        full = decoded(with_schemas(record), {})
        bare = decoded(without_schemas(record), {})
        seen = [[(e.kind, e.ts, images([e]) and e.table) for e in ours] for ours in (full, bare)]
        assert seen[0] == seen[1], record["topic"]


@pytest.mark.parametrize("name", FILES)
def test_avro_carries_the_same_rows_as_json(name: str) -> None:
    """Where a vector has both, values are equal."""
    for record in records(name):
        found = avro(record)
        if found is not None:
            pair, schemas = found
            expected = images(decoded(with_schemas(record), {}))
            assert images(decoded(pair, schemas)) == expected, record["topic"]

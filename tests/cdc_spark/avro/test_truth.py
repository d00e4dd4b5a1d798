"""The vendor's own Avro messages, read: what TiCDC's encoder was given comes out again.

A small subset of the vectors is in the repository (golden/truth); the whole of them is read when
`CDC_TRUTH_DIR` names their directory.
"""

from __future__ import annotations

import base64
import json
import math
import os
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cdc_spark.avro.events import Decoder
from cdc_spark.events import Kind

Vector = Mapping[str, Any]
SUBSET = Path(__file__).parents[3] / "golden" / "truth" / "ticdc"
ALL = Path(os.environ["CDC_TRUTH_DIR"], "ticdc") if "CDC_TRUTH_DIR" in os.environ else SUBSET
FILES = sorted(path.name for path in ALL.glob("avro_*.jsonl"))
MEMBERS = (247, 248)  # ENUM and SET, given as numbers and sent as text


def vectors(name: str) -> Iterator[Vector]:
    """Yield the vectors of a file that have schemas."""
    with (ALL / name).open(encoding="utf-8") as lines:
        for line in lines:
            vector = json.loads(line)
            if vector.get("schema_ids"):
                yield vector


def afters(vector: Vector) -> list[dict[str, Any]]:
    """Return the rows of all messages that the vendor's encoder made of a vector."""
    decoder = Decoder({int(k): v for k, v in vector["schema_ids"].items()}.__getitem__)
    return [
        json.loads(event.payload)["after"]
        for message in vector.get("events") or []
        if message.get("key_hex")
        for event in decoder.decode(
            bytes.fromhex(message["key_hex"]),
            bytes.fromhex(message["value_hex"]) if message.get("value_hex") else None,
        )
        if event.kind is Kind.UPSERT
    ]


def given(vector: Vector) -> Iterator[dict[str, Mapping[str, Any]]]:
    """Yield the rows that the encoder was given: columns by the names of the wire."""
    for row in vector.get("rows") or []:
        yield {sent(column["name"]): column for column in row.get("columns") or () if column}


def sent(name: str) -> str:
    """Return a column's name as Avro allows it."""
    legal = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)
    return f"_{legal}" if legal[:1].isdigit() else legal


def same(column: Mapping[str, Any], seen: Any) -> bool:
    """Return whether a value is the one that was given."""
    value = column["value"]
    if value is None or seen is None or column["type"] in MEMBERS:
        return (value is None) == (seen is None)
    if not isinstance(value, dict):
        return bool(str(value) == str(seen))
    ((kind, text),) = value.items()
    if kind == "b64":
        raw = base64.b64decode(text)
        return bool(seen == (raw.hex() if column["flag"] & 1 else raw.decode()))
    if kind == "float32":
        (narrow,) = struct.unpack("f", struct.pack("f", float(text)))
        return math.isclose(narrow, seen, rel_tol=1e-7, abs_tol=1e-45)
    return bool((float(text) if kind.startswith("float") else int(text)) == seen)


@pytest.mark.parametrize("name", FILES)
def test_rows_come_out_as_they_went_in(name: str) -> None:
    """Every row of every message is one that the encoder was given."""
    for vector in vectors(name):
        rows = list(given(vector))
        for after in afters(vector) if rows else ():
            assert any(
                set(row) == set(after) and all(same(row[n], after[n]) for n in row) for row in rows
            ), (vector["id"], after)

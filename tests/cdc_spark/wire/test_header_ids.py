"""Promises about schemas that headers name: messages are read as if the id stood before them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from cdc_spark.protocols import Language, Reader
from cdc_spark.untyped import np, pa
from tests.cdc_spark.avro_messages import Publisher
from tests.cdc_spark.registry_server import published

HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
SHAPE = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", HEADERS),
    ]
)
HEAD = 5
GUID, ID, NONE = "guid", "id", "none"


def named(part: bytes, how: str) -> tuple[bytes, bytes | None]:
    """Return a framed part as it is on the wire, and the header that names its schema."""
    if how == NONE:
        return part, None
    guid = b"\1" + int.from_bytes(part[1:HEAD], "big").to_bytes(16, "big")
    return part[HEAD:], guid if how == GUID else part[:HEAD]


def batch(messages: list[tuple[bytes, bytes]], how: str) -> Any:
    """Return messages whose headers name their schemas; an older header of a name counts not."""
    rows = []
    for offset, parts in enumerate(messages):
        headers = [{"key": "__value_schema_id", "value": b"\1" + bytes(16)}] if how != NONE else []
        row: dict[str, Any] = {"topic": "t", "partition": 0, "offset": offset}
        for side, part in zip(("key", "value"), parts, strict=True):
            row[side], header = named(part, how)
            if header:
                headers.append({"key": f"__{side}_schema_id", "value": header})
        rows.append({**row, "headers": headers})
    return pa.RecordBatch.from_pylist(rows, schema=SHAPE)


def events(url: str, messages: Any) -> Any:
    """Return the events of messages, without their schemas' numbers."""
    reader = Reader.of(Language("avro", url=url), payloads=True)
    return reader.read(messages, np.arange(messages.num_rows)).to_pylist()


@pytest.mark.parametrize("how", [GUID, ID])
@pytest.mark.parametrize("number", [3, 200])
def test_headers_name_schemas(how: str, number: int) -> None:
    """By id or GUID, row by row or by columns, the events are those of framed messages."""
    source = Publisher()
    messages = [source.put(at, {"id": at}) for at in range(number)]
    with published(source) as url:
        assert events(url, batch(messages, how)) == events(url, batch(messages, NONE))


def test_a_file_of_schemas_has_them_by_guid(tmp_path: Path) -> None:
    """A GUID is written there as the registry writes it; one that is not there is poison."""
    source = Publisher()
    messages = [source.put(7, {"id": 1})]
    kept = tmp_path / "schemas.json"
    kept.write_text(json.dumps({str(UUID(int=at)): text for at, text in source.texts.items()}))
    (event,) = events(kept.as_uri(), batch(messages, GUID))
    assert json.loads(event["payload"])["after"] == {"id": 1}
    empty = tmp_path / "empty.json"
    empty.write_text("{}")
    (event,) = events(empty.as_uri(), batch(messages, GUID))
    assert "has none of id 00000000-" in event["payload"]

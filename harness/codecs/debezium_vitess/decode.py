"""What the records of this connector have of their own: a VGTID, in rows and in heartbeats.

Source: vitess NOTES §4, §5, §10.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final, cast

import orjson

from harness.codecs.connect.decode_document import Document, integer, maybe_text, text
from harness.codecs.debezium.decode import DebeziumDecoder
from harness.codecs.debezium.decode_events import SourceForm
from harness.model.debezium_place import DebeziumPlace


def _position(source: Document) -> DebeziumPlace:
    vgtid, shard = maybe_text(source, "vgtid"), maybe_text(source, "shard")
    return DebeziumPlace(
        keyspace=maybe_text(source, "keyspace"),
        shard=shard,
        vgtid=vgtid,
        gtid=gtid_of(vgtid, shard),
    )


def _heartbeat(document: Document) -> DebeziumPlace | None:
    if "vgtid" not in document:
        return None
    return DebeziumPlace(vgtid=text(document, "vgtid"), ts_ms=integer(document, "ts_ms"))


def gtid_of(vgtid: str, shard: str) -> str:
    """Return a shard's position in a VGTID's text, empty where it has none."""
    if not vgtid:
        return ""
    try:
        entries: object = orjson.loads(vgtid)
    except orjson.JSONDecodeError:
        # A transform may have put anything there.
        return ""
    if not isinstance(entries, list):
        return ""
    for entry in reversed(cast("list[object]", entries)):
        if isinstance(entry, dict):
            found = cast("dict[str, Any]", entry)
            gtid: object = found.get("gtid")
            if found.get("shard") == shard and isinstance(gtid, str):
                return gtid
    return ""


FORM: Final = SourceForm("keyspace", _position, _heartbeat)
vitess_decoder: Final = partial(DebeziumDecoder, FORM)

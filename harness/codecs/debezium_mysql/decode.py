"""What the records of these connectors have of their own: a database, and a place in the log."""

from __future__ import annotations

from functools import partial
from typing import Final

from harness.codecs.connect.decode_document import Document, integer, maybe_text
from harness.codecs.debezium.decode import DebeziumDecoder
from harness.codecs.debezium.decode_events import SourceForm
from harness.model.vitess_position import VitessPlace


def _position(source: Document) -> VitessPlace:
    gtid = maybe_text(source, "gtid")
    number = gtid.rpartition("-")[2]
    return VitessPlace(
        keyspace=maybe_text(source, "db"),
        gtid=gtid,
        number=int(number) if number.isascii() and number.isdigit() else 0,
    )


def _heartbeat(document: Document) -> VitessPlace | None:
    if set(document) != {"ts_ms"}:
        return None
    return VitessPlace(ts_ms=integer(document, "ts_ms"))


FORM: Final = SourceForm("db", _position, _heartbeat, truncates=True)
mysql_decoder: Final = partial(DebeziumDecoder, FORM)

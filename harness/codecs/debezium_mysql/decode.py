"""What the records of these connectors have of their own: a database, and a place in the log."""

from __future__ import annotations

from functools import partial
from typing import Final

from harness.codecs.connect.decode_document import Document, integer, maybe_text
from harness.codecs.debezium.decode import DebeziumDecoder
from harness.codecs.debezium.decode_events import SourceForm
from harness.model.debezium_place import DebeziumPlace

_FILE: Final = 1 << 64  # beyond any place in a file of the log
_OF_THE_LOG: Final = ("", "false")  # what `snapshot` says of it


def _position(source: Document) -> DebeziumPlace:
    gtid = maybe_text(source, "gtid")
    number = _last(gtid, "-") if gtid else _in_files(source)
    return DebeziumPlace(keyspace=maybe_text(source, "db"), gtid=gtid, number=number)


def _in_files(source: Document) -> int:
    """Return the place by file and byte, 0 for what was read before the log."""
    place = source.get("pos")
    if maybe_text(source, "snapshot") not in _OF_THE_LOG or not isinstance(place, int):
        return 0
    # MariaDB 11.4 names no place
    return _last(maybe_text(source, "file"), ".") * _FILE + place if place > 0 else 0


def _last(text: str, separator: str) -> int:
    """Return the number that a text ends in, 0 without one."""
    number = text.rpartition(separator)[2]
    return int(number) if number.isascii() and number.isdigit() else 0


def _heartbeat(document: Document) -> DebeziumPlace | None:
    if set(document) != {"ts_ms"}:
        return None
    return DebeziumPlace(ts_ms=integer(document, "ts_ms"))


FORM: Final = SourceForm("db", _position, _heartbeat, truncates=True)
mysql_decoder: Final = partial(DebeziumDecoder, FORM)

"""Promises of decoding whole messages."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from cdc_spark.errors import DecodingError
from cdc_spark.events import Event, Kind
from cdc_spark.open.events import decode
from cdc_spark.open.values import DIALECTS
from tests.cdc_spark.messages import (
    Frame,
    column,
    ddl,
    gone,
    key,
    loose,
    message,
    put,
    resolved,
    row,
)

CURRENT = DIALECTS["current"]


def events(*frames: Frame) -> list[Event]:
    """Decode one message of the current dialect."""
    return decode(CURRENT, *message(*frames))


def only(frame: Frame) -> tuple[Event, Any]:
    """Decode a message of one event; return it with its payload."""
    (event,) = events(frame)
    return event, json.loads(event.payload)


def test_a_message_may_mix_kinds_tables_and_times() -> None:
    """All events of one message come out, in its order."""
    found = events(put(5, 1, "a"), put(6, 1, "b", "other"), gone(7, 1), resolved(8))
    assert [(event.kind, event.ts, event.table) for event in found] == [
        (Kind.UPSERT, 5, "t"),
        (Kind.UPSERT, 6, "other"),
        (Kind.DELETE, 7, "t"),
        (Kind.RESOLVED, 8, ""),
    ]


def test_an_update_carries_its_row_before() -> None:
    """`p` becomes the image before; columns that it leaves out are as in `u`."""
    new = {"id": key(1), "a": column("new"), "b": column("same")}
    _, payload = only(row(5, {"u": new, "p": {"a": column("old")}}))
    assert payload["before"] == {"id": 1, "a": "old", "b": "same"}
    assert payload["after"] == {"id": 1, "a": "new", "b": "same"}


def test_an_update_of_the_handle_key_is_split() -> None:
    """A key that changed is a delete of the old row and an upsert of the new one, at one ts."""
    image = {"u": {"id": key(2), "v": column("x")}, "p": {"id": key(1), "v": column("x")}}
    delete, upsert = events(row(5, image))
    assert (delete.kind, upsert.kind) == (Kind.DELETE, Kind.UPSERT)
    assert json.loads(delete.payload)["before"] == {"id": 1, "v": "x"}
    assert json.loads(upsert.payload)["before"] is None


def test_a_delete_may_hold_the_key_only() -> None:
    """A delete of the handle key's columns is whole."""
    event, payload = only(gone(5, 7))
    assert event.kind is Kind.DELETE
    assert (payload["before"], payload["after"], payload["key"]) == ({"id": 7}, None, ["id"])


def test_identity_is_table_and_key_not_content() -> None:
    """Two deliveries of a row agree in identity; other keys and tables do not."""
    first, again = events(put(5, 1, "a"), put(5, 1, "a"))
    assert first.identity == again.identity
    others = events(put(5, 2, "a"), put(5, 1, "a", "other"))
    assert len({first.identity, *(event.identity for event in others)}) == 3


def test_rows_without_a_key_are_distinguished_by_their_row_id_only() -> None:
    """Without handle key the row id is the identity, and without that there is none."""
    with_id, other_id, nobody = events(loose(5, 1, rid=1), loose(5, 1, rid=2), loose(5, 1))
    assert with_id.identity != other_id.identity
    assert nobody.identity == ""


def test_ddl_is_known_by_its_text() -> None:
    """A DDL's identity is its query and its table, so that a broadcast is one event."""
    event, payload = only(ddl(5, "DROP TABLE `test`.`t`", 4))
    again, other = events(ddl(5, "DROP TABLE `test`.`t`", 4), ddl(5, "DROP TABLE `test`.`u`", 4))
    assert event.kind is Kind.DDL
    assert event.identity == again.identity != other.identity
    assert payload == {"q": "DROP TABLE `test`.`t`", "t": 4}


BAD_FRAMES: dict[str, tuple[Frame, str]] = {
    "key not JSON": (("{", "{}"), "the key frame"),
    "key no object": (("[]", "{}"), "not a JSON object"),
    "no ts": (('{"t":3}', ""), "ts None"),
    "ts a fraction": (('{"ts":1.5,"t":3}', ""), "ts 1.5"),
    "ts negative": (('{"ts":-1,"t":3}', ""), "ts -1"),
    "unknown kind": (('{"ts":1,"t":4}', ""), "t 4"),
    "row without table": (('{"ts":1,"scm":"s","t":1}', "{}"), "tbl ''"),
    "row without value": (('{"ts":1,"scm":"s","tbl":"t","t":1}', ""), "is not JSON"),
    "row without image": (('{"ts":1,"scm":"s","tbl":"t","t":1}', "{}"), "a row event with []"),
    "row with u and d": (row(1, {"u": {"a": key(1)}, "d": {"a": key(1)}}), "['d', 'u']"),
    "row with p alone": (row(1, {"p": {"a": key(1)}}), "['p']"),
    "image no object": (('{"ts":1,"tbl":"t","t":1}', '{"u":[1]}'), "not an object of columns"),
    "DDL without query": (('{"ts":1,"t":2}', '{"t":3}'), "q None"),
    "DDL type as text": (('{"ts":1,"t":2}', '{"q":"x","t":"3"}'), "t '3'"),
    "claim check": (row(1, {"u": {"a": key(1)}}, ccl="s3://x"), "large-message-handle"),
    "handle key only": (row(1, {"u": {"a": key(1)}}, ohk=True), "large-message-handle"),
}


@pytest.mark.parametrize("case", BAD_FRAMES)
def test_bad_events_are_refused(case: str) -> None:
    """Every way of being wrong is refused in words that name it."""
    frame, words = BAD_FRAMES[case]
    with pytest.raises(DecodingError, match=re.escape(words)):
        events(frame)

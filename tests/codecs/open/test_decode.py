"""Bytes that the protocol does not allow are refused with DecodingError, and with nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.codecs.open.codec import bind
from harness.codecs.open.decode_types import read_value
from harness.codecs.open.dialect import DIALECTS
from harness.errors import DecodingError
from harness.wire.framing import frame_keys, frame_values
from tests.vectors import SUBSET, row_vectors

WIRE = bind({}, "current")
ROW: Mapping[str, Any] = {"ts": 7, "scm": "shop", "tbl": "t", "rid": 1, "t": 1}
COLUMN: Mapping[str, Any] = {"t": 3, "h": True, "f": 11, "v": 1}
DDL: Mapping[str, Any] = {"ts": 7, "scm": "shop", "tbl": "t", "t": 2}
MARK: Mapping[str, Any] = {"ts": 7, "t": 3}


def text(document: object) -> bytes:
    """Return JSON text; bytes are taken as they are."""
    return document if isinstance(document, bytes) else json.dumps(document).encode()


def image(**changes: Any) -> Mapping[str, Any]:
    """Return an insert of one column with these members changed; None takes a member away."""
    column = {name: value for name, value in {**COLUMN, **changes}.items() if value is not ...}
    return {"u": {"id": column}}


def without(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the document without one member."""
    return {key: value for key, value in document.items() if key != name}


# Event key, event value, part of what is said.
WRONG: dict[str, tuple[object, object, str]] = {
    "key is no JSON": (b"{", image(), "the event key is not JSON"),
    "key is empty": (b"", image(), "the event key is not JSON"),
    "key is not UTF-8": (b'{"ts":"\xff"}', image(), "the event key is not JSON"),
    "key is a list": ([], image(), "the event key is not a JSON object"),
    "value is no JSON": (ROW, b"{", "the event value is not JSON"),
    "value is empty": (ROW, b"", "the event value is not JSON"),
    "value is a list": (ROW, [], "the event value is not a JSON object"),
    "value is endlessly deep": (ROW, b"[" * 100_000, "the event value is not JSON"),
    "no event type": (without(ROW, "t"), image(), "`t` of the event key is None"),
    "event type is text": ({**ROW, "t": "1"}, image(), "`t` of the event key is '1'"),
    "event type is true": ({**ROW, "t": True}, image(), "`t` of the event key is True"),
    "event type 4": ({**ROW, "t": 4}, image(), "event type 4"),
    "event type 0": ({**ROW, "t": 0}, image(), "event type 0"),
    "no ts": (without(ROW, "ts"), image(), "`ts` of the event key is None"),
    "ts is text": ({**ROW, "ts": "7"}, image(), "`ts` of the event key is '7'"),
    "ts is a fraction": ({**ROW, "ts": 7.5}, image(), "`ts` of the event key is 7.5"),
    "ts beyond 64 bits": ({**ROW, "ts": 2**64}, image(), "not an integer"),
    "no schema": (without(ROW, "scm"), image(), "`scm` is missing"),
    "schema is a number": ({**ROW, "scm": 1}, image(), "`scm` is 1, not text"),
    "no table": (without(ROW, "tbl"), image(), "`tbl` is missing"),
    "table is null": ({**ROW, "tbl": None}, image(), "`tbl` is None, not text"),
    "row id is text": ({**ROW, "rid": "1"}, image(), "`rid` of the event key is '1'"),
    "no image": (ROW, {}, "a row event with []"),
    "old values alone": (ROW, {"p": image()["u"]}, "a row event with ['p']"),
    "insert and delete": (ROW, {**image(), "d": image()["u"]}, "a row event with ['d', 'u']"),
    "image is a list": (ROW, {"u": []}, "columns of a row event are list"),
    "image is null": (ROW, {"d": None}, "columns of a row event are NoneType"),
    "column is a number": (ROW, {"u": {"id": 1}}, "column 'id' lacks `t` or `v`"),
    "column without type": (ROW, image(t=...), "column 'id' lacks `t` or `v`"),
    "column without value": (ROW, image(v=...), "column 'id' lacks `t` or `v`"),
    "column type is text": (ROW, image(t="3"), "`t` of the id is '3'"),
    "column flag is text": (ROW, image(f="11"), "`f` of the id is '11'"),
    "column handle is text": (ROW, image(h="yes"), "`h` of column 'id' is 'yes'"),
    "unknown type code": (ROW, image(t=6), "type code 6 with the value 1, and there is none"),
    "integer is text": (ROW, image(v="1"), "type code 3 with the value '1': not an integer"),
    "integer is true": (ROW, image(v=True), "type code 3 with the value True"),
    "integer is a fraction": (ROW, image(v=1.5), "type code 3 with the value 1.5"),
    "integer beyond 64 bits": (ROW, image(t=8, v=2**64), "type code 8 with the value"),
    "integer is a list": (ROW, image(v=[1]), "type code 3 with the value"),
    "varchar is a number": (ROW, image(t=15, v=1), "type code 15 with the value 1: not text"),
    "date is a number": (ROW, image(t=10, v=20240229), "type code 10 with the value"),
    "bad quotes": (ROW, image(t=15, f=65, v="\\q"), "unknown escape"),
    "half a quote": (ROW, image(t=254, f=65, v="\\"), "unknown escape"),
    "bad Base64": (ROW, image(t=252, f=65, v="YQ"), "type code 252 with the value 'YQ'"),
    "bad Base64 letters": (ROW, image(t=252, f=65, v="Y Q="), "type code 252 with the value"),
    "Base64 of no text": (ROW, image(t=252, f=64, v="/w=="), "type code 252 with the value"),
    "DDL without text": (DDL, {"t": 3}, "`q` is missing or empty"),
    "DDL text is null": (DDL, {"q": None, "t": 3}, "`q` is None, not text"),
    "DDL without type": (DDL, {"q": "DROP TABLE `t`"}, "`t` of the DDL value is None"),
    "mark with a value": (MARK, {}, "a resolved event with a value of 2 bytes"),
    "mark without ts": ({"t": 3}, b"", "`ts` of the event key is None"),
}


@pytest.mark.parametrize(("key", "value", "said"), WRONG.values(), ids=WRONG)
def test_wrong_events(key: object, value: object, said: str) -> None:
    """An event that the protocol does not allow is refused, in words about what is wrong."""
    with pytest.raises(DecodingError) as refusal:
        WIRE.decode(frame_keys([text(key)]), frame_values([text(value)]))
    assert said in str(refusal.value)


@pytest.mark.parametrize("pair", [(None, b""), (b"", None), (None, None)])
def test_nulls(pair: tuple[bytes | None, bytes | None]) -> None:
    """A message without key or without value is none."""
    with pytest.raises(DecodingError, match="without key or value"):
        WIRE.decode(*pair)


def test_right_events() -> None:
    """The events that are changed above are right unchanged, so each refusal has its own reason."""
    (row,) = WIRE.decode(frame_keys([text(ROW)]), frame_values([text(image())]))
    assert (row.after, row.handle, row.row_id) == ({"id": 1}, ("id",), 1)
    (ddl,) = WIRE.decode(frame_keys([text(DDL)]), frame_values([text({"q": "DROP", "t": 4})]))
    assert (ddl.query, ddl.type) == ("DROP", 4)
    (mark,) = WIRE.decode(frame_keys([text(MARK)]), frame_values([b""]))
    assert mark.commit_ts == 7


def test_order_within_a_message() -> None:
    """The events of a batch come in the order of their frames."""
    keys = [text({**ROW, "ts": ts}) for ts in (9, 8, 9)]
    decoded = WIRE.decode(frame_keys(keys), frame_values([text(image())] * 3))
    assert [event.commit_ts for event in decoded] == [9, 8, 9]


def test_flagless_dialect() -> None:
    """Without flags nothing tells text from bytes: what is UTF-8 is text, the rest bytes."""
    assert read_value(15, None, "YWE=", text_base64=True) == "aa"
    assert read_value(15, None, "/w==", text_base64=True) == b"\xff"
    assert read_value(252, None, "YWE=", text_base64=True) == "aa"
    assert read_value(252, None, "/w==", text_base64=True) == b"\xff"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=4,
)


@given(
    st.integers(0, 260) | st.integers(),
    st.none() | st.integers(0, 255),
    JSON_VALUES,
    st.booleans(),
)
def test_any_value(code: int, flag: int | None, raw: object, text_base64: bool) -> None:  # noqa: FBT001
    """Any JSON under any type code is read or refused with DecodingError."""
    try:
        value = read_value(code, flag, raw, text_base64=text_base64)
    except DecodingError:
        return
    assert value is None or isinstance(value, int | float | str | bytes)


MESSAGES = [
    (bytes.fromhex(event["key_hex"]), bytes.fromhex(event["value_hex"]))
    for name in ("open_dml", "open_batch")
    for vector in row_vectors(SUBSET / f"{name}.jsonl")
    for event in vector["events"]
    if "key_hex" in event and len(event["value_hex"]) < 4000
]


@given(st.sampled_from(MESSAGES), st.data(), st.sampled_from(sorted(DIALECTS)))
def test_damaged_messages(message: tuple[bytes, bytes], data: st.DataObject, dialect: str) -> None:
    """A vendor's message with bytes changed, lost or added decodes or is refused."""
    key, value = message
    part = data.draw(st.sampled_from([0, 1]))
    raw = message[part]
    at = data.draw(st.integers(0, len(raw) - 1))
    kept = data.draw(st.sampled_from([0, 1]))
    raw = raw[:at] + data.draw(st.binary(max_size=2)) + raw[at + kept :]
    damaged = (raw, value) if part == 0 else (key, raw)
    try:
        bind({}, dialect).decode(*damaged)
    except DecodingError:
        return


@pytest.mark.parametrize(
    ("listed", "sent", "value"),
    [(14, 10, "2000-01-01"), (253, 15, "测试"), (253, 15, "\\x89PNG\\r\\n\\x1a\\n")],
)
def test_codes_that_are_listed_and_not_sent(listed: int, sent: int, value: str) -> None:
    """A date of code 14 and a text of code 253 read like those of the codes that TiCDC sends."""
    for flag in (0, 1, 64, 65):
        read = [read_value(code, flag, value, text_base64=False) for code in (listed, sent)]
        assert read[0] == read[1]

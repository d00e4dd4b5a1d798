"""Whatever bytes arrive, they decode or are refused with DecodingError; nothing else, and soon.

The nightly profile tries 100,000 inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.codecs.open.codec import BoundOpen, bind
from harness.codecs.open.decode_types import READERS
from harness.codecs.open.dialect import DIALECTS
from harness.codecs.open.reference import LARGE
from harness.errors import DecodingError
from harness.model.decoded import DecodedEvent
from harness.wire.compression import COMPRESSIONS, compressed
from harness.wire.framing import frame_keys, frame_values

USUAL = settings().max_examples
FUZZ = settings(max_examples=100_000 if USUAL >= 1000 else 3 * USUAL)
WIRES = [
    bind({LARGE + "large-message-handle-compression": way}, dialect)
    for dialect in DIALECTS
    for way in COMPRESSIONS
]
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**65), 2**65)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=3,
)


def some_members(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw an object with any of these members, each right in most cases."""
    return st.fixed_dictionaries({}, optional={k: v | JSON_VALUES for k, v in members.items()})


COLUMN = some_members(
    t=st.sampled_from(sorted(READERS)), h=st.booleans(), f=st.integers(0, 255), v=JSON_VALUES
)
IMAGE = st.dictionaries(st.text(max_size=3), COLUMN, max_size=2)
HEAD = some_members(
    ts=st.integers(0, 2**64 - 1),
    scm=st.text(max_size=3),
    tbl=st.text(max_size=3),
    rid=st.integers(-(2**63), 2**63 - 1),
    t=st.sampled_from([1, 1, 1, 2, 3]),
    ohk=st.booleans(),
    ccl=st.text(max_size=3),
)
BODY = some_members(u=IMAGE, p=IMAGE, d=IMAGE, q=st.text(max_size=3), t=st.integers())


def dumped(document: object) -> bytes:
    """Return JSON text, with integers of any size."""
    return orjson.dumps(document, default=str) if _small(document) else repr(document).encode()


def _small(document: object) -> bool:
    try:
        orjson.dumps(document)
    except TypeError:
        return False
    return True


def settled_or_refused(read: Callable[[], Sequence[DecodedEvent]]) -> None:
    """Read, and hold what comes out to what an event is."""
    try:
        events = read()
    except DecodingError:
        return
    for event in events:
        assert event.commit_ts >= 0
        for image in (event.before or {}, event.after or {}):
            for value in image.values():
                assert value is None or isinstance(value, int | float | str | bytes)


@FUZZ
@given(st.sampled_from(WIRES), st.binary(max_size=80), st.binary(max_size=80))
def test_any_bytes(wire: BoundOpen, key: bytes, value: bytes) -> None:
    """Any bytes as key and value are settled."""
    settled_or_refused(lambda: wire.decode(key, value))


@FUZZ
@given(st.sampled_from(WIRES), st.binary(max_size=80), st.binary(max_size=80))
def test_any_framed_bytes(wire: BoundOpen, key: bytes, value: bytes) -> None:
    """Any bytes within right frames are settled."""
    settled_or_refused(lambda: wire.decode(frame_keys([key]), frame_values([value])))


@FUZZ
@given(st.sampled_from(WIRES), HEAD, BODY, st.sampled_from(COMPRESSIONS))
def test_any_members(wire: BoundOpen, head: object, body: object, way: str) -> None:
    """Events whose members are there or not, and right or not, are settled."""
    value = compressed(dumped(body), way)
    settled_or_refused(lambda: wire.decode(frame_keys([dumped(head)]), frame_values([value])))


ROW = b'{"ts":1,"scm":"s","tbl":"t","t":1}'
NESTED = b'{"u":{"a":{"t":15,"f":0,"v":%s}}}'
BOMBS = {
    "lists": b"[" * 100_000,
    "closed lists": b"[" * 900 + b"]" * 900,
    "objects": b'{"a":' * 900 + b"1" + b"}" * 900,
    "a long number": b"1" * 100_000,
    "a great exponent": b"1e999999999",
    "not a number": b"NaN",
    "infinity": b"-Infinity",
    "half a surrogate": b'"\\ud800"',
    "a raw control character": b'"\x01"',
    "a byte that is not UTF-8": b'"\xff"',
    "an overlong slash": b'"\xc0\xaf"',
}


@pytest.mark.parametrize("value", BOMBS.values(), ids=BOMBS)
@pytest.mark.parametrize("code", [3, 5, 15, 252])
def test_bombs(value: bytes, code: int) -> None:
    """Values that would exhaust a careless reader are refused, wherever they stand."""
    wire = bind({}, "current")
    column = NESTED.replace(b"15", b"%d" % code) % value
    for key, text in ((ROW, column), (ROW, b'{"u":%s}' % value), (b'{"t":%s}' % value, b"")):
        with pytest.raises(DecodingError):
            wire.decode(frame_keys([key]), frame_values([text]))


def test_the_last_of_twins_counts() -> None:
    """Of a member that is written twice the last one counts, as for Go."""
    wire = bind({}, "newarch")
    key = ROW[:-1] + b',"ohk":true,"ohk":false}'
    value = b'{"u":{"a":{"t":3,"v":1,"v":2}}}'
    (event,) = wire.decode(frame_keys([key]), frame_values([value]))
    assert (event.after, event.handle_only) == ({"a": 2}, False)


# Type code, flag, value that is just beyond what the code can be.
BEYOND = [
    (1, 0, 128), (1, 0, -129), (1, 128, 256), (1, 128, -1), (2, 0, 2**15), (9, 128, 2**24),
    (3, 0, 2**31), (3, 128, 2**32), (8, 0, 2**63), (13, 128, -1), (16, 128, -1),
    (247, 0, -1), (247, 0, 65536), (248, 0, -1),
]  # fmt: skip


@pytest.mark.parametrize(("code", "flag", "number"), BEYOND)
def test_numbers_beyond_their_type(code: int, flag: int, number: int) -> None:
    """An integer that its column cannot hold is refused."""
    value = b'{"u":{"a":{"t":%d,"f":%d,"v":%d}}}' % (code, flag, number)
    with pytest.raises(DecodingError, match="beyond"):
        bind({}, "current").decode(frame_keys([ROW]), frame_values([value]))

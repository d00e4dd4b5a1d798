"""What is malformed is refused by the decoder, and nothing else is touched."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import DecodingError
from harness.faults import FAULTS, poison
from harness.faults.corrupt import CORRUPTIONS, Form, form
from harness.model.record import Record, SchemaUse
from harness.protocols import PROTOCOLS
from tests.faults.samples import STREAMS, T1, T2

HOSTILE = [fault.name for fault in poison.ROWS]
FORMS = {"open": Form.FRAMED, "avro": Form.REGISTRY, "vitess": Form.JSON, "vitess-avro": "registry"}


def poisoned(name: str, stream: str, seed: int, place: str = "after") -> Record:
    """Return the malformed message that a fault makes."""
    before = STREAMS[stream]([T1, T2])
    options = {"transaction": "t1", "place": place}
    after = FAULTS[name](before, options, 1, Random(seed))
    (made,) = [record for record in after if record not in before]
    kept = [record for record in after if record in before]
    assert kept == [record for record in before if place != "instead" or record in after]
    return made


OPEN = [name for name in HOSTILE if "open" in FAULTS[name].permissions]


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.parametrize("dialect", ["current", "4.0.4"])
@given(seed=st.integers(), place=st.sampled_from(["after", "before", "instead"]))
def test_the_open_protocol_refuses_it(name: str, dialect: str, seed: int, place: str) -> None:
    """Whatever the seed, a hostile message is one that the decoder refuses."""
    wire = PROTOCOLS["open"].codec.bind({}, dialect)
    made = poisoned(name, "open", seed, place)
    with pytest.raises(DecodingError):
        wire.decode(made.key, made.value)


@given(seed=st.integers())
def test_the_registry_framing_is_broken(seed: int) -> None:
    """Magic byte, id and body are each broken in their own way, and the id stays as it is."""
    magic = poisoned("wrong-magic", "avro", seed)
    assert (magic.value or b"")[:1] not in (b"\x00", b"\x01", b"\x02")
    unknown = poisoned("unknown-schema-id", "avro", seed)
    assert int.from_bytes((unknown.value or b"")[1:5], "big") >= 2_000_000_000
    assert magic.value_schema is unknown.value_schema is None
    huge = poisoned("huge-length", "vitess-avro", seed)
    assert (huge.value or b"")[5:] == b"\xfe" + b"\xff" * 8 + b"\x01"
    wrong = poisoned("wrong-type", "avro", seed)
    assert wrong.value_schema == SchemaUse("shop-value-wrong-type", '"string"', 2_000_000_000)
    assert wrong.value == b"\x00" + (2_000_000_000).to_bytes(4, "big") + b"\x06row"


@pytest.mark.parametrize("stream", ["avro", "vitess-avro"])
@pytest.mark.parametrize("name", ["truncated", "wrong-type", "huge-length"])
@given(seed=st.integers(), place=st.sampled_from(["after", "before", "instead"]))
def test_an_id_that_stays_is_written_anew(name: str, stream: str, seed: int, place: str) -> None:
    """A value whose head is whole names its schema, or a real registry's id is another's."""
    made = poisoned(name, stream, seed, place)
    assert made.value_schema is not None
    assert made.value_schema.id == int.from_bytes((made.value or b"")[1:5], "big")


@given(seed=st.integers())
def test_json_is_broken(seed: int) -> None:
    """Truncated text and garbage are no JSON; the wrong type is JSON, but no object."""
    for name in ("truncated", "garbage-value"):
        with pytest.raises(ValueError, match=r"\w"):
            json.loads(poisoned(name, "vitess", seed).value or b"")
    assert not isinstance(json.loads(poisoned("wrong-type", "vitess", seed).value or b""), dict)
    with pytest.raises(ValueError, match=r"\w"):
        json.loads(poisoned("garbage-key", "vitess", seed).key or b"")


@pytest.mark.parametrize("stream", FORMS)
def test_forms_are_distinguished(stream: str) -> None:
    """Each stream has its form; tombstones and what is malformed have none."""
    records = STREAMS[stream]([T1, T2])
    assert {form(record) for record in records if record.value is not None} == {FORMS[stream]}
    assert {form(record) for record in records if record.value is None} <= {None}
    assert form(Record("t", 0, b"", b"\x07", records[0].origins)) is None


def test_every_corruption_is_a_fault() -> None:
    """No way of breaking a message is left unused, and each applies to some form."""
    assert len(CORRUPTIONS) == len(poison.ROWS)
    assert all(CORRUPTIONS.values())

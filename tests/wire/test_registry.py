"""The registry in memory: ids, versions, and what each level of compatibility lets through."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from harness.errors import DecodingError, SchemaRefused
from harness.wire.registry import Compatibility, MemoryRegistry
from tests.wire.evolutions import ACCEPTED, ID, OLD, REFUSED, UNREADABLE, column, record

SUBJECT = "t-value"
ADDED = record(ID, column("w", "int"))
GIVEN = record(ID, column("w", "int", default=1))


def test_ids_count_from_one() -> None:
    """Schemas get ids in the order in which they come, and are found by them."""
    registry = MemoryRegistry(Compatibility.NONE)
    assert [registry.register(SUBJECT, text) for text in (OLD, ADDED, GIVEN)] == [1, 2, 3]
    assert [registry.schema(n) for n in (1, 2, 3)] == [OLD, ADDED, GIVEN]
    assert registry.versions(SUBJECT) == (OLD, ADDED, GIVEN)


def test_same_text_same_id() -> None:
    """A text has one id in whatever subject, and an older version's text its old id."""
    registry = MemoryRegistry(Compatibility.NONE)
    assert registry.register(SUBJECT, OLD) == registry.register("other", OLD) == 1
    assert registry.register(SUBJECT, ADDED) == 2
    assert registry.register(SUBJECT, OLD) == 1
    assert registry.versions(SUBJECT) == (OLD, ADDED)
    assert registry.versions("other") == (OLD,)
    assert registry.versions("nobody's") == ()


@pytest.mark.parametrize("unknown", [-1, 0, 2, 2**31])
def test_unknown_ids(unknown: int) -> None:
    """An id that nobody was given is refused."""
    registry = MemoryRegistry()
    registry.register(SUBJECT, OLD)
    with pytest.raises(DecodingError, match=str(unknown)):
        registry.schema(unknown)


@pytest.mark.parametrize("change", ACCEPTED)
def test_backward_changes_are_accepted(change: str) -> None:
    """By default a schema that reads the latest version is accepted."""
    registry = MemoryRegistry()
    for text in ACCEPTED[change]:
        assert registry.schema(registry.register(SUBJECT, text)) == text


@pytest.mark.parametrize("change", REFUSED)
def test_other_changes_are_refused(change: str) -> None:
    """By default a schema that cannot read the latest is refused, and nothing has happened."""
    registry = MemoryRegistry()
    old, new = REFUSED[change]
    registry.register(SUBJECT, old)
    with pytest.raises(SchemaRefused, match=f"not BACKWARD compatible .*{SUBJECT}"):
        registry.register(SUBJECT, new)
    assert registry.versions(SUBJECT) == (old,)
    assert registry.register("another subject", new) == 2


@pytest.mark.parametrize("wrong", UNREADABLE)
def test_what_is_no_schema_is_refused(wrong: str) -> None:
    """A text that is no Avro schema is refused at every level, the first in a subject too."""
    with pytest.raises(SchemaRefused, match="not an Avro schema"):
        MemoryRegistry(Compatibility.NONE).register(SUBJECT, UNREADABLE[wrong])


# Level -> whether a NOT NULL column may be added, and whether it may be dropped.
LEVELS: Mapping[Compatibility, tuple[bool, bool]] = {
    Compatibility.NONE: (True, True),
    Compatibility.BACKWARD: (False, True),
    Compatibility.BACKWARD_TRANSITIVE: (False, True),
    Compatibility.FORWARD: (True, False),
    Compatibility.FORWARD_TRANSITIVE: (True, False),
    Compatibility.FULL: (False, False),
    Compatibility.FULL_TRANSITIVE: (False, False),
}


def takes(registry: MemoryRegistry, *texts: str) -> bool:
    """Return whether the last of these schemas is accepted after the others."""
    for text in texts[:-1]:
        registry.register(SUBJECT, text)
    try:
        registry.register(SUBJECT, texts[-1])
    except SchemaRefused:
        return False
    return True


@pytest.mark.parametrize("level", Compatibility)
def test_levels(level: Compatibility) -> None:
    """BACKWARD reads the old, FORWARD is read by it, FULL does both; a subject may have its own."""
    plain = record(ID)
    ways = ((plain, ADDED), (ADDED, plain))
    assert tuple(takes(MemoryRegistry(level), *way) for way in ways) == LEVELS[level]
    for way, allowed in zip(ways, LEVELS[level], strict=True):
        registry = MemoryRegistry(Compatibility.NONE)
        registry.require(SUBJECT, level)
        assert takes(registry, *way) is allowed


@pytest.mark.parametrize("story", REFUSED)
def test_none_takes_every_schema(story: str) -> None:
    """Under NONE a valid schema is accepted, also one that BACKWARD refuses."""
    assert not takes(MemoryRegistry(Compatibility.BACKWARD), *REFUSED[story])
    assert takes(MemoryRegistry(Compatibility.NONE), *REFUSED[story])


def test_transitive() -> None:
    """A transitive level looks at all versions, the plain one at the latest alone."""
    # The third lacks a default for what the first has not, the second has it.
    story = (record(ID), GIVEN, ADDED)
    assert takes(MemoryRegistry(Compatibility.BACKWARD), *story)
    assert not takes(MemoryRegistry(Compatibility.BACKWARD_TRANSITIVE), *story)
    assert takes(MemoryRegistry(Compatibility.FORWARD), *reversed(story))
    assert not takes(MemoryRegistry(Compatibility.FORWARD_TRANSITIVE), *reversed(story))


def _record(name: str, namespace: str, field: str) -> str:
    fields = [{"name": field, "type": {"type": "enum", "name": "e", "symbols": ["A"]}}]
    return json.dumps({"type": "record", "name": name, "namespace": namespace, "fields": fields})


@pytest.mark.parametrize(
    "names", [("Küche", "a.b", "x"), ("V", "srv.ks.表", "x"), ("V", "_a._1", "größe")]
)
def test_letters_of_any_alphabet_make_names(names: tuple[str, str, str]) -> None:
    """A registry is Java, whose names may have any letter."""
    assert MemoryRegistry().register("s", _record(*names)) == 1


@pytest.mark.parametrize(
    ("names", "wrong"),
    [
        (("t-1", "a", "x"), "t-1"),
        (("V", "s-r.t", "x"), "s-r"),
        (("V", "1st.t", "x"), "1st"),
        (("V", "a..b", "x"), ""),
        (("V", "a", "x-y"), "x-y"),
        (("V", "a", "9"), "9"),
    ],
)
def test_what_is_no_name_is_refused(names: tuple[str, str, str], wrong: str) -> None:
    """Every part of a namespace is a name, and so are a record's fields."""
    with pytest.raises(SchemaRefused, match=f"{wrong!r} is no name"):
        MemoryRegistry().register("s", _record(*names))


def test_a_logical_type_that_does_not_fit_is_left_out_of_account() -> None:
    """A schema whose decimal is a string is a schema, and nothing is printed about it."""
    odd = {"type": "string", "logicalType": "decimal", "precision": 2, "scale": 12}
    text = record(ID, {"name": "w", "type": odd})
    registry = MemoryRegistry()
    assert registry.schema(registry.register(SUBJECT, text)) == text

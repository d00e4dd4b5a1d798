"""Promises of reading schemas: asked once, unknown ids are the message's fault, absence is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdc_spark.changefeed import Changefeed
from cdc_spark.errors import DecodingError, RegistryAwayError, SetupError, UsageError
from cdc_spark.events import Event, Kind
from cdc_spark.protocols import Language, decoder, read
from cdc_spark.wire import registry
from tests.cdc_spark.avro_messages import ID, Publisher, column
from tests.cdc_spark.registry_server import published


def test_a_schema_is_read_by_its_id_and_remembered() -> None:
    """What an id names never changes, so a registry that forgets it is not asked again."""
    source = Publisher()
    schema_id = source.register(column(ID))
    with published(source) as url:
        reader = registry.Registry(url, {})
        first = reader.schema(schema_id)
        text = source.texts.pop(schema_id)
        assert reader.schema(schema_id) == first == text


def test_an_unknown_id_is_wrong_with_the_message() -> None:
    """It becomes a DecodingError, which others call poison."""
    with published(Publisher()) as url, pytest.raises(DecodingError, match="no schema of id 7"):
        registry.Registry(url, {}).schema(7)


BACK_S = 55.0  # when a registry that restarts answers again
SOON = {registry.WAIT: "0"}


def test_a_registry_that_is_away_is_wrong_with_the_environment() -> None:
    """It becomes a SetupError, and no message is blamed for it."""
    url = "http://127.0.0.1:9"
    with pytest.raises(SetupError, match=registry.AWAY):
        registry.Registry(url, SOON).schema(1)
    decode = decoder(Language("avro", url=f"{url}/away", properties=SOON))
    with pytest.raises(SetupError):
        read(decode, b"\0\0\0\0\1\2", None)


def test_a_registry_that_restarts_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is away for most of a minute by default, and for as long as the property says."""
    clock = [0.0]
    monkeypatch.setattr(registry, "monotonic", lambda: clock[0])

    def waited(seconds: float) -> None:
        clock[0] += seconds
        if clock[0] > BACK_S:
            source.trouble = 0

    monkeypatch.setattr(registry, "sleep", waited)
    source = Publisher()
    schema_id = source.register(column(ID))
    source.trouble = 503
    with published(source) as url:
        assert registry.Registry(url, {}).schema(schema_id) == source.texts[schema_id]
        assert clock[0] > BACK_S
        clock[0], source.trouble = 0.0, 503
        with pytest.raises(RegistryAwayError, match="503"):
            registry.Registry(url, {registry.WAIT: "30"}).schema(schema_id)


@pytest.mark.parametrize("text", ["-1", "soon", "inf", "nan"])
def test_a_wait_that_is_none_is_refused(text: str) -> None:
    """Before anything is read, and by name."""
    for refused in (
        lambda: registry.Registry("http://127.0.0.1:9", {registry.WAIT: text}),
        lambda: Changefeed("avro", {"t": 1}, properties={registry.WAIT: text}),
    ):
        with pytest.raises(UsageError, match=registry.WAIT):
            refused()


def test_an_account_in_the_address_is_not_sent_as_part_of_it() -> None:
    """User and password may stand in the address, URL-encoded."""
    source = Publisher()
    schema_id = source.register(column(ID))
    with published(source) as url:
        spelled = url.replace("://", "://user:p%40ss@")
        assert registry.Registry(spelled, {}).schema(schema_id) == source.texts[schema_id]


def test_without_a_registry_a_schema_id_is_poison() -> None:
    """A message that names a schema where none was promised says what is missing."""
    (event,) = read(decoder(Language("vitess")), None, b"\0\0\0\0\1\2")
    assert event.kind is Kind.ERROR
    assert "no registry was given" in event.payload


def test_our_own_defects_are_reported_as_such() -> None:
    """An exception that no decoder may raise ends in its own changefeed, not in the run."""

    def broken(*sides: bytes | None) -> list[Event]:
        raise ZeroDivisionError(len(sides))

    (event,) = read(broken, b"k", None)
    assert event.kind is Kind.ERROR
    assert "a defect of the consumer" in event.payload


def test_schemas_may_be_kept_in_a_file(tmp_path: Path) -> None:
    """`file:` and a path stand for a registry; an id that it lacks is wrong with the message."""
    path = tmp_path / "kept schemas.json"
    path.write_text('{"7": "\\"int\\""}')
    kept = registry.registry(path.as_uri(), {})
    assert kept.schema(7) == '"int"'
    with pytest.raises(DecodingError, match="has none of id 8"):
        kept.schema(8)


@pytest.mark.parametrize("content", [None, "[]", "{", '{"a": "x"}'])
def test_a_file_of_schemas_that_is_none_is_wrong_with_the_environment(
    tmp_path: Path, content: str | None
) -> None:
    """A file that is not there, or is something else, blames no message."""
    path = tmp_path / "schemas.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(SetupError, match="cannot be read"):
        registry.registry(path.as_uri(), {})

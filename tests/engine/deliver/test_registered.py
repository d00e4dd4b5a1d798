"""Records that name schemas reach a real registry unchanged but for the ids."""

from __future__ import annotations

import pytest

from harness.engine.deliver.registered import Registered
from harness.errors import SchemaRefused, SetupError
from harness.model.record import Origin, Record, SchemaUse
from harness.wire.confluent import confluent_frame

KEY = SchemaUse("a_b-key", '{"type":"int"}', 1)
VALUE = SchemaUse("a_b-value", '{"type":"long"}', 2)
RECORD = Record(
    "a.b",
    0,
    confluent_frame(1, b"k"),
    confluent_frame(2, b"v"),
    (Origin(1, 0, 0, "insert"),),
    key_schema=KEY,
    value_schema=VALUE,
)


class Shelf:
    """A registry that counts from 100 and remembers what it was asked."""

    def __init__(self) -> None:
        """Start empty."""
        self.asked: list[tuple[str, str]] = []

    def register(self, subject: str, schema: str) -> int:
        """Return the next id."""
        self.asked.append((subject, schema))
        return 99 + len(self.asked)

    def schema(self, schema_id: int) -> str:
        """Return a text."""
        return self.asked[schema_id - 100][1]


class Closed(Shelf):
    """A registry that refuses everything."""

    def register(self, subject: str, schema: str) -> int:
        """Refuse."""
        raise SchemaRefused(f"{subject} is closed to {schema}")


def test_only_the_ids_change() -> None:
    """Bodies, headers and origins stay; the ids are the registry's own, asked for once."""
    shelf = Shelf()
    first, second = Registered(shelf, "run-0001").all([RECORD, RECORD])
    assert first == second
    assert (first.key, first.value) == (confluent_frame(100, b"k"), confluent_frame(101, b"v"))
    assert first.origins == RECORD.origins
    assert len(shelf.asked) == 2


@pytest.mark.parametrize(
    ("subject", "real"),
    [("a_b-key", "run-0001_a_b-key"), ("a.b-value", "run-0001.a.b-value")],
)
def test_subjects_follow_the_kafka_topic(subject: str, real: str) -> None:
    """TiCDC's subjects have underscores for dots, Connect's are the topic's name as it is."""
    shelf = Shelf()
    use = SchemaUse(subject, '"int"', 7)
    record = Record("a.b", 0, confluent_frame(7, b""), None, (), key_schema=use)
    list(Registered(shelf, "run-0001").all([record]))
    assert shelf.asked == [(real, '"int"')]


def test_a_tombstone_and_a_bare_record_pass_untouched() -> None:
    """What names no schema is sent as it is."""
    bare = Record("a.b", 0, b"k", None, ())
    assert list(Registered(Shelf(), "x").all([bare])) == [bare]


def test_a_refusal_is_the_environments_fault() -> None:
    """The plan's registry took the schema: a real one that does not is set up otherwise."""
    with pytest.raises(SetupError, match="refuses a schema of x_a_b-key"):
        list(Registered(Closed(), "x").all([RECORD]))

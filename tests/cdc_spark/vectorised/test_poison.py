"""Promises about messages that cannot be read, on the executors: policies, names, growth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from cdc_spark.errors import GrowthError, PoisonError
from cdc_spark.events import Kind
from cdc_spark.ordering.operators import Decoder, Route
from cdc_spark.protocols import Language
from cdc_spark.set_aside import MessagePlace, Policy, unpacked
from cdc_spark.untyped import pa
from tests.cdc_spark.messages import Message, ddl, message, put, resolved

POISON = (b"not", b"ours")
STATEMENT = message(ddl(4, "DROP TABLE `test`.`t`", 4))
KEEPS = Policy(keeps=True)
Place = tuple[str, int, int]


def events(policy: Policy, *messages: Message, first: int = 0, topic: str = "t") -> list[Any]:
    """Return kind, offset and payload of what messages say; partition 1 of two."""
    route = Route(0, 0, Language("open"), (999, 999), policy)
    decoder = Decoder({"t": route, "u": route})
    found = decoder.decode(iter([batch(messages, first, topic)]))
    return [
        (Kind(row["kind"]), row["offset"], row["payload"])
        for one in found
        for row in one.to_pylist()
    ]


def batch(messages: Sequence[Message], first: int, topic: str, partition: int = 1) -> Any:
    """Return messages as Arrow has them."""
    rows = [
        {"topic": topic, "partition": partition, "offset": at, "key": key, "value": value}
        for at, (key, value) in enumerate(messages, first)
    ]
    kinds = [pa.string(), pa.int32(), pa.int64(), pa.binary(), pa.binary()]
    names = ["topic", "partition", "offset", "key", "value"]
    return pa.RecordBatch.from_pylist(rows, schema=pa.schema(list(zip(names, kinds, strict=True))))


def test_poison_fails_with_its_place_and_its_name() -> None:
    """The error says what to write to skip this message."""
    with pytest.raises(PoisonError, match="topic t, partition 1, offset 8") as found:
        events(Policy(fails=True), message(put(1, 1, "a")), POISON, first=7)
    assert "skip=[('t', 1, 8)]" in found.value.hint


def test_a_skip_is_of_one_message() -> None:
    """Another topic, partition or offset of like numbers is no name for it."""
    named = Policy(fails=True, keeps=True, skipped=frozenset({MessagePlace("t", 1, 0)}))
    ((kind, _, payload),) = events(named, POISON)
    reason, content = unpacked(payload)
    assert kind is Kind.ERROR
    assert reason.startswith("skipped by name: ")
    assert (content["key"], content["value"]) == POISON
    for others in ({"first": 1}, {"topic": "u"}):
        with pytest.raises(PoisonError):
            events(named, POISON, **others)


def test_a_skipped_message_gives_no_row_and_keeps_its_place() -> None:
    """What could be read is set aside as well, between its neighbours."""
    named = Policy(fails=True, keeps=True, skipped=frozenset({MessagePlace("t", 1, 1)}))
    both = message(put(2, 2, "b"), resolved(2))
    found = events(named, message(put(1, 1, "a")), both, message(put(3, 3, "c")))
    assert [(kind, at) for kind, at, _ in found] == [
        (Kind.UPSERT, 0),
        (Kind.ERROR, 1),
        (Kind.UPSERT, 2),
    ]


def test_ddl_of_a_skipped_message_is_left_to_whoever_executes_it() -> None:
    """Another partition has a copy of it, which must not take effect either."""
    named = Policy(fails=True, skipped=frozenset({MessagePlace("t", 1, 0)}))
    assert [kind for kind, *_ in events(named, STATEMENT)] == [Kind.DDL]


def test_of_a_skipped_message_with_ddl_the_rows_alone_are_set_aside() -> None:
    """Rows before it may wait for its resolved event, and no later one has to come."""
    named = Policy(fails=True, keeps=True, skipped=frozenset({MessagePlace("t", 1, 0)}))
    drop = ddl(4, "DROP TABLE `test`.`t`", 4)
    found = events(named, message(drop, resolved(4)))
    assert [kind for kind, *_ in found] == [Kind.DDL, Kind.RESOLVED]
    found = events(named, message(put(3, 1, "a"), drop, resolved(4)))
    assert [kind for kind, *_ in found] == [Kind.ERROR, Kind.DDL, Kind.RESOLVED]
    assert unpacked(found[0][2])[0] == "skipped by name"


@pytest.mark.parametrize("number", [1, 200])
def test_what_is_set_aside_is_whole_by_columns_and_row_by_row(number: int) -> None:
    """Neither way of reading changes what a letter has."""
    good = [message(put(at, at, "a")) for at in range(1, number)]
    found = events(KEEPS, *good, POISON)
    assert len(found) == number
    kind, offset, payload = found[-1]
    assert (kind, offset) == (Kind.ERROR, number - 1)
    assert unpacked(payload)[1]["value"] == POISON[1]


def test_growth_that_nobody_declared_is_named() -> None:
    """A topic or a partition beyond the declared ones is an error that says what to declare."""
    with pytest.raises(GrowthError, match="topic x, partition 1, offset 3"):
        events(Policy(), POISON, first=3, topic="x")
    decoder = Decoder({"t": Route(0, 0, Language("open"), (99,))})
    with pytest.raises(GrowthError, match="topic t, partition 1, offset 3") as found:
        list(decoder.decode(iter([batch([POISON], 3, "t")])))
    assert found.value.expected == "partitions 0 to 0 of topic t"

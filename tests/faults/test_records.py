"""What each fault does to a small stream, message by message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from harness.faults import FAULTS
from harness.faults.batches import RECORD_OVERHEAD
from harness.model.record import Record
from harness.wire.framing import unframe
from tests.faults.samples import STREAMS, T1, T2

# ddl/0 ddl/1 | 1 3 2 | mark/0 mark/1 | 1 2 9 | mark/0 mark/1
OPEN = STREAMS["open"]([T1, T2])
VITESS = STREAMS["vitess"]([T1, T2])


def shown(records: Sequence[Record]) -> str:
    """Return rows by number, DDL as D, marks as M with the tens of their ts, and partitions."""
    words: list[str] = []
    for record in records:
        rows = "+".join(
            {"ddl": "D", "resolved": f"M{o.commit_ts // 10 % 10}"}.get(o.kind, str(o.key)[3:])
            for o in record.origins
        )
        words.append(f"{rows}/{record.partition}")
    return " ".join(words)


def test_the_sample_reads_like_this() -> None:
    """The stream that the rows below disturb."""
    assert shown(OPEN) == "D/0 D/1 1/0 3/0 2/1 M1/0 M1/1 1/0 2/1 9/0 M2/0 M2/1"


@pytest.mark.parametrize(
    ("fault", "options", "expected"),
    [
        (
            "replay-below-resolved",
            {"transaction": "t1", "key": {"id": 2}},
            "D/0 D/1 1/0 3/0 2/1 M1/0 M1/1 2/1 1/0 2/1 9/0 M2/0 M2/1",
        ),
        (
            "resend",
            {"events": "ddl"},
            "D/0 D/0 D/1 D/1 1/0 3/0 2/1 M1/0 M1/1 1/0 2/1 9/0 M2/0 M2/1",
        ),
        (
            "resolved-back",
            {"partition": 1},
            "D/0 D/1 1/0 3/0 2/1 M1/0 M1/1 1/0 2/1 9/0 M2/0 M2/1 M1/1",
        ),
        (
            "late-resolved",
            {"partition": 0},
            "D/0 D/1 1/0 3/0 2/1 M1/1 1/0 2/1 9/0 M2/1 M1/0 M2/0",
        ),
        (
            "late-resolved",
            {"partition": 0, "by": 1},
            "D/0 D/1 1/0 3/0 2/1 M1/1 1/0 M1/0 2/1 9/0 M2/1 M2/0",
        ),
        ("missing-resolved", {"partition": 1}, "D/0 D/1 1/0 3/0 2/1 M1/0 1/0 2/1 9/0 M2/0 M2/1"),
        ("ahead", {"partition": 1}, "D/1 2/1 M1/1 2/1 M2/1 D/0 1/0 3/0 M1/0 1/0 9/0 M2/0"),
        ("behind", {"partition": 1}, "D/0 1/0 3/0 M1/0 1/0 9/0 M2/0 D/1 2/1 M1/1 2/1 M2/1"),
        (
            "withhold",
            {"transaction": "t2", "key": {"id": 1}},
            "D/0 D/1 1/0 3/0 2/1 M1/0 M1/1 2/1 9/0 1/0 M2/0 M2/1",
        ),
        ("rebatch", {"events": 5}, "D/0 D/1 1+3/0 M1/0 2/1 M1/1 1+9/0 M2/0 2/1 M2/1"),
    ],
)
def test_open(fault: str, options: Mapping[str, Any], expected: str) -> None:
    """Each fault does just this."""
    assert shown(FAULTS[fault](OPEN, options, 1, Random(0))) == expected


def kinds(records: Sequence[Record]) -> str:
    """Return the data topic's messages as operation and key, tombstones as `-`."""
    return " ".join(
        f"{'-' if r.value is None else r.origins[0].kind[0]}{(r.key or b'').decode()[6:-1]}"
        for r in records
        if not r.topic.endswith("transaction")
    )


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ((), "i1 i3 i2 u1 d2 -2 i9"),
        (("drop-tombstones",), "i1 i3 i2 u1 d2 i9"),
        (("drop-deletes",), "i1 i3 i2 u1 -2 i9"),
        (("tombstone-first",), "-1 -2 i1 i3 i2 u1 d2 -2 i9"),
        (("tombstone-first", "drop-tombstones"), "-1 -2 i1 i3 i2 u1 d2 i9"),
    ],
)
def test_tombstones(faults: Sequence[str], expected: str) -> None:
    """A delete event and its tombstone are told by their key and their origin."""
    records = VITESS
    for fault in faults:
        records = FAULTS[fault](records, {}, 1, Random(0))
    assert kinds(records) == expected


def test_a_changed_row_is_no_delete() -> None:
    """A tombstone whose delete is gone does not take the message before it for its delete."""
    records = STREAMS["vitess"]([T1, T2, ("x0", [("delete", 1)])])
    without = FAULTS["drop-deletes"](records, {}, 1, Random(0))
    assert kinds(without) == "i1 i3 i2 u1 -2 i9 -1"


@pytest.mark.parametrize("limit", [300, 400, 1000])
def test_batches_are_filled_to_the_limit(limit: int) -> None:
    """No message exceeds the limit, none could take the next one's first event, none is lost."""
    rows = [(f"x{n}", [("insert", n)]) for n in range(1, 20, 2)]
    no_marks = [r for r in STREAMS["open"](rows) if r.origins[0].kind != "resolved"]
    made = FAULTS["rebatch"](no_marks, {"bytes": limit}, 1, Random(0))
    batches = [record for record in made if record.origins[0].kind == "insert"]
    sizes = [len(r.key or b"") + len(r.value or b"") + RECORD_OVERHEAD for r in batches]
    assert max(sizes) <= limit
    for record, follower, size in zip(batches, batches[1:], sizes, strict=False):
        (key, value), *_ = unframe(follower.key or b"", follower.value or b"")
        assert size + len(key) + len(value) + 16 > limit, record
    assert [o for r in batches for o in r.origins] == [
        o for r in no_marks for o in r.origins if o.kind == "insert"
    ]


def test_an_event_at_the_limit_fits() -> None:
    """The limit itself is allowed, one byte less is not."""
    single = next(r for r in OPEN if r.origins[0].kind == "insert")
    exact = len(single.key or b"") + len(single.value or b"") + RECORD_OVERHEAD
    both = FAULTS["rebatch"](OPEN, {"events": 2}, 1, Random(0))
    assert FAULTS["rebatch"](both, {"bytes": exact}, 1, Random(0)) != both


def test_random_batches_depend_on_the_seed() -> None:
    """Uneven batches are drawn, and drawn alike from equal seeds."""
    rows = STREAMS["open"]([("x", [("insert", n) for n in range(1, 40, 2)])])
    options = {"events": 6, "sizes": "random"}
    made = [FAULTS["rebatch"](rows, options, 1, Random(seed)) for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    assert max(len(record.origins) for record in made[0]) <= 6


def test_timestamps_and_headers() -> None:
    """Timestamps are equal or fall; a header stands behind those that were there."""
    equal = FAULTS["timestamps"](OPEN, {"order": "equal"}, 1, Random(0))
    assert len({record.timestamp for record in equal}) == 1
    falling = FAULTS["timestamps"](OPEN, {"order": "falling"}, 1, Random(0))
    stamps = [record.timestamp or 0 for record in falling]
    assert stamps == sorted(set(stamps), reverse=True)
    once = FAULTS["headers"](OPEN, {"name": "a", "value": "b"}, 1, Random(0))
    twice = FAULTS["headers"](once, {"name": "c", "null": True}, 1, Random(0))
    assert {record.headers for record in twice} == {(("a", b"b"), ("c", None))}


def test_old_schemas_come_behind_new_ones() -> None:
    """The tail begins so many messages before the last change of a topic's schema."""
    avro = STREAMS["avro"]([T1, T2])
    made = FAULTS["old-schema-again"](avro, {"records": 2}, 1, Random(0))
    assert made == (*avro, *avro[1:])
    assert FAULTS["old-schema-again"](avro, {"records": 9}, 1, Random(0)) == (*avro, *avro)

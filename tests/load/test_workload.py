"""Promises of the generator: what happens, when, in which shares."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from harness.load.clock import events_of, mark_ts, shares
from harness.load.spec import Spec, checked
from harness.load.workload import Altered, Change, Committed, Marked, Partition


def happened(spec: Spec) -> list[list[Any]]:
    """Return the events of each partition."""
    return [list(Partition(spec, number).events()) for number in range(spec.partitions)]


def changes(spec: Spec) -> list[Change]:
    """Return all row changes."""
    return [
        change
        for events in happened(spec)
        for event in events
        if isinstance(event, Committed)
        for change in event.changes
    ]


def test_there_are_as_many_events_as_were_asked_for_in_their_shares() -> None:
    """Shares of kinds are kept to within what chance allows, and the total is exact."""
    spec = checked({"events": 8000, "update": 0.5, "delete": 0.2, "move": 0.05, "window": 900})
    kinds = Counter(change.kind for change in changes(spec))
    assert sum(kinds.values()) == 8000
    for kind, share in (("update", 0.5), ("delete", 0.2), ("move", 0.05), ("insert", 0.25)):
        assert abs(kinds[kind] / 8000 - share) < 0.03


@pytest.mark.parametrize("total", [1, 7, 1000])
@pytest.mark.parametrize("skew", [0.0, 1.0, 3.0])
def test_shares_add_up(total: int, skew: float) -> None:
    """Whatever the weights, no event is lost or made up."""
    found = shares(total, 5, skew)
    assert sum(found) == total
    assert min(found) >= 0
    assert found[0] >= max(found) - 1


def test_time_only_moves_forward_and_marks_promise_the_truth() -> None:
    """In each partition what is told lies above all marks before it and below the next one."""
    spec = checked({"events": 3000, "mark": 70, "ddl": 5, "transaction": 3})
    seen: list[int] = []
    for events in happened(spec):
        times = [_ts(event) for event in events]
        assert all(one < other for one, other in pairwise(times))
        assert isinstance(events[-1], Marked)
        seen += [event.commit_ts for event in events if isinstance(event, Committed)]
    assert len(seen) == len(set(seen))


def test_all_partitions_run_the_same_statements_at_the_same_time() -> None:
    """A DDL is one event of the stream, broadcast."""
    spec = checked({"events": 2000, "mark": 50, "ddl": 7, "tables": 3})
    ran = [
        [(event.number, event.statement) for event in events if isinstance(event, Altered)]
        for events in happened(spec)
    ]
    assert all(one == ran[0] for one in ran)
    assert len(ran[0]) == 3 + 7


def test_a_row_changes_once_in_a_transaction_and_starts_from_what_it_was() -> None:
    """Each change's row before is what the change before it left; an inserted key is free."""
    spec = checked({"events": 4000, "window": 30, "transaction": 9, "partitions": 2, "ddl": 3})
    keys = {0: (0,), 1: (0, 1), 2: (0,)}
    for events in happened(spec):
        now: dict[tuple[Any, ...], Any] = {}
        for event in events:
            if not isinstance(event, Committed):
                continue
            touched: list[tuple[Any, ...]] = []
            for _, table, before, after in event.changes:
                old, new = (
                    None if row is None else (table, *(row[n] for n in keys[table]))
                    for row in (before, after)
                )
                if old is not None:
                    stood = now.pop(old)
                    assert before == (*stood, *(None,) * (len(before) - len(stood)))
                if new is not None:
                    assert new not in now
                    now[new] = after
                touched += {one for one in (old, new) if one is not None}
            assert len(touched) == len(set(touched))


def test_memory_is_the_window() -> None:
    """Of a table no more rows can change than the window has, however many there were."""
    spec = checked({"events": 5000, "partitions": 1, "window": 30, "tables": 3})
    partition = Partition(spec, 0)
    for _ in partition.events():
        assert all(len(table.live) <= 10 for table in partition._tables)


def test_skew_makes_some_keys_hot() -> None:
    """The greater the exponent, the more of the updates go to the same few rows."""

    def hottest(skew: float) -> int:
        still = {"update": 0.95, "delete": 0, "move": 0, "partitions": 1, "tables": 1}
        spec = checked({"events": 4000, "skew-keys": skew, **still})
        counted = Counter(one.after[0] for one in changes(spec) if one.before and one.after)
        return sum(count for _, count in counted.most_common(10))

    assert hottest(4) > 2 * hottest(0)


def test_another_seed_is_another_workload() -> None:
    """The seed is the workload's name: the same again gives the same, another one does not."""
    first, again, other = (changes(checked({"events": 300, "seed": seed})) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_partitions_share_the_events() -> None:
    """Each partition tells its share, and all marks are at the same times."""
    spec = checked({"events": 1001, "partitions": 3, "mark": 100, "skew-partitions": 1.0})
    for number, events in enumerate(happened(spec)):
        committed = sum(len(one.changes) for one in events if isinstance(one, Committed))
        assert committed == events_of(spec, number)
        marks = [one.ts for one in events if isinstance(one, Marked)]
        assert marks == [mark_ts(slice_) for slice_ in range(len(marks))]


def _ts(event: Any) -> int:
    if isinstance(event, Altered):
        return event.statement.commit_ts
    return event.ts if isinstance(event, Marked) else event.commit_ts

"""No false alarm: any legal delivery of any change log leads a right consumer to one state."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import StepError
from harness.faults import FAULTS
from harness.model.change import Change, RowChanged
from harness.model.finding import Judgement
from harness.model.record import Record
from harness.verdict.judge import judge
from tests.changelogs import ddl, delete, insert, resolved, transaction, update
from tests.reference_consumer.streams import consumed, job
from tests.verdict.answers import Case, case

# A run of a whole stream costs milliseconds: a fourth of the profile's examples for each table.
EACH_TABLE = settings(max_examples=settings().max_examples // 4)
INDEX_VALUE: dict[str, Any] = {
    "sink.dispatchers": [{"matcher": ["*.*"], "partition": "index-value"}]
}
CREATE = {
    "clustered": "CREATE TABLE t (id INT PRIMARY KEY, v INT)",
    "nonclustered": "CREATE TABLE t (id INT PRIMARY KEY NONCLUSTERED, v INT)",
    "keyless": "CREATE TABLE t (id INT, v INT)",
}
STATEMENTS = [
    "ALTER TABLE t ADD COLUMN {c} INT DEFAULT 7",
    "ALTER TABLE t ADD INDEX (v)",
    "TRUNCATE TABLE t",
    "DROP TABLE t",
]


@st.composite
def change_logs(draw: st.DrawFn, create: str) -> list[Change]:
    """Draw a legal change log over one table, of transactions, DDL and marks."""
    changes: list[Change] = [ddl(create)]
    rows: list[tuple[Any, ...]] = []
    extra = 0
    for number in range(draw(st.integers(1, 6))):
        what = draw(st.sampled_from("ttttdr"))
        if what == "r":
            changes.append(resolved())
        elif what == "t":
            keyless = "PRIMARY" not in create
            done, rows = draw(transactions(rows, extra, keyless=keyless))
            changes.append(transaction(*done, name=f"t{number}"))
        else:
            sql = draw(st.sampled_from(STATEMENTS)).format(c=f"c{number}")
            changes.append(ddl(sql))
            if "ADD COLUMN" in sql:
                rows, extra = [(*row, 7) for row in rows], extra + 1
            elif "INDEX" not in sql:
                rows = []
            if sql.startswith("DROP"):
                changes.append(ddl(create))
                extra = 0
    return changes


@st.composite
def transactions(
    draw: st.DrawFn, rows: list[tuple[Any, ...]], extra: int, *, keyless: bool
) -> tuple[list[RowChanged], list[tuple[Any, ...]]]:
    """Draw the row changes of one transaction, and the rows after it."""
    rows = list(rows)
    done: list[RowChanged] = []
    for _ in range(draw(st.integers(1, 5))):
        new = (draw(st.integers(0, 4)), draw(st.integers(0, 2)), *[7] * extra)
        taken = not keyless and any(row[0] == new[0] for row in rows)
        old = draw(st.sampled_from(rows)) if rows else None
        if old is not None and (draw(st.booleans()) or taken):
            rows.remove(old)
            free = keyless or all(row[0] != new[0] for row in rows)
            if free and draw(st.booleans()):
                done.append(update(old, new))
                rows.append(new)
            else:
                done.append(delete(*old))
        elif not taken:
            done.append(insert(*new))
            rows.append(new)
    return done, rows


@st.composite
def deliveries(draw: st.DrawFn, records: tuple[Record, ...], names: list[str]) -> list[Record]:
    """Draw a legal delivery: some of it repeated, partitions interleaved at will."""
    for fault in draw(st.lists(st.sampled_from(["duplicate", "replay"]), max_size=3)):
        named = {"duplicate": "transaction", "replay": "from"}[fault]
        options = {named: draw(st.sampled_from(names)), "times": draw(st.integers(1, 2))}
        try:
            records = FAULTS[fault](records, options, 1, Random(0))
        except StepError:
            continue  # the transaction came to nothing: no record carries it
    queues: dict[int, deque[Record]] = {}
    for record in records:
        queues.setdefault(record.partition, deque()).append(record)
    random = draw(st.randoms(use_true_random=False))
    delivered: list[Record] = []
    while queues:
        partition = random.choice(sorted(queues))
        delivered.append(queues[partition].popleft())
        if not queues[partition]:
            del queues[partition]
    return delivered


def judgement(plan: Case, records: list[Record], partitions: int, dialect: str) -> Any:
    """Return judgement and findings of the reference consumer's answer."""
    complete = "at-or-below" if dialect == "current" else "below"
    feed = job(partitions, dialect=dialect, complete=complete)
    with TemporaryDirectory() as directory:
        observed = consumed(records, Path(directory), feed)
    verdict = judge(plan.judged, plan.expected, observed)
    return verdict.judgement, [finding.message for finding in verdict.findings], observed.detail


@pytest.mark.parametrize(
    ("create", "dialect"),
    [
        (CREATE["clustered"], "current"),
        (CREATE["clustered"], "4.0.4"),
        (CREATE["nonclustered"], "current"),
        (CREATE["keyless"], "current"),
    ],
)
@EACH_TABLE
@given(data=st.data(), partitions=st.integers(1, 3), end_resolved=st.booleans())
def test_fold_property(
    create: str, dialect: str, data: st.DataObject, partitions: int, *, end_resolved: bool
) -> None:
    """Whatever is repeated and however partitions interleave, the reference consumer is right."""
    changes = data.draw(change_logs(create))
    plan = case(
        *changes,
        partitions=partitions,
        dialect=dialect,
        end_resolved=end_resolved,
        force_replicate=True,
        **INDEX_VALUE,
    )
    names = [change.name for change in changes if hasattr(change, "name")] or ["none"]
    delivered = data.draw(deliveries(plan.records, names))
    assert judgement(plan, delivered, partitions, dialect) == (Judgement.PASS, [], "")


def test_the_property_has_teeth() -> None:
    """A delivery that is not legal, because a record was lost, does not lead there."""
    plan = case(ddl(CREATE["clustered"]), transaction(insert(1, 1)))
    records = [record for record in plan.records if record.origins[0].kind != "insert"]
    assert judgement(plan, records, 1, "current")[0] is Judgement.FAIL

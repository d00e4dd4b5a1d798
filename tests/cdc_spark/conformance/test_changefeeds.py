"""Promises of what a job says of its streams: when transactions are waited for, what is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cdc_spark.conformance.changefeeds import EVENTS, assembled, hands_back_events
from cdc_spark.conformance.job import ENDLESS, ChangefeedJob, TopicJob
from cdc_spark.debezium.values import definitions
from cdc_spark.errors import UsageError

ON = {"provide.transaction.metadata": "true"}


def feed(settings: dict[str, Any], *topics: TopicJob) -> ChangefeedJob:
    """Return a changefeed of Vitess."""
    return ChangefeedJob(
        id="f",
        directory=Path(),
        dialect="current",
        inclusive=False,
        topics=topics,
        tables=(),
        needs="",
        protocol="vitess",
        by_record=True,
        settings=settings,
    )


def topic(canonical: str, role: str = "data") -> TopicJob:
    """Return a topic of one partition."""
    return TopicJob(f"x-{canonical}", (0,), (1,), canonical, role)


@pytest.mark.parametrize(
    ("settings", "topics", "waits"),
    [
        (ON, [topic("srv.ks.t"), topic("srv.transaction")], True),
        (ON, [topic("srv.ks.t"), topic("any", "transaction")], True),
        (ON, [topic("srv.ks.t")], False),
        ({}, [topic("srv.ks.t"), topic("srv.transaction")], False),
        ({**ON, "topic.transaction": "tx"}, [topic("srv.tx")], True),
        ({**ON, "topic.delimiter": "-"}, [topic("srv-transaction")], True),
        ({"provide.transaction.metadata": True}, [topic("srv.transaction")], True),
    ],
)
def test_transactions_are_waited_for_where_their_ends_are_sent(
    settings: dict[str, Any], topics: list[TopicJob], *, waits: bool
) -> None:
    """Metadata must be on, and the topic of boundaries among those that are read."""
    assert assembled(feed(settings, *topics)) is waits


@pytest.mark.parametrize(
    ("said", "offsets", "handed_back"),
    [
        ("", [(0, 100_000)], True),
        ("", [(0, 60_000), (0, 40_001)], False),
        ("", [(500_000, 500_001)], True),
        ("", [(0, ENDLESS)], True),
        ("7", [(3, 10)], True),
        ("6", [(3, 10)], False),
        ("0", [(0, 1)], False),
        ("0", [(0, ENDLESS)], False),
    ],
)
def test_row_events_are_handed_back_of_changefeeds_that_are_small(
    said: str, offsets: list[tuple[int, int]], *, handed_back: bool
) -> None:
    """By the messages between their offsets; of one without an end, unless of none."""
    starts, ends = zip(*offsets, strict=True)
    own = feed({}, TopicJob("t", starts, ends))
    assert hands_back_events(own, {EVENTS: said}) is handed_back


@pytest.mark.parametrize("said", ["-1", "many", "1.5", "²"])
def test_a_number_that_is_none_is_refused(said: str) -> None:
    """The error names the variable, and what it takes."""
    with pytest.raises(UsageError, match=EVENTS) as found:
        hands_back_events(feed({}, topic("t")), {EVENTS: said})
    assert found.value.expected == "a whole number from 0 on"


def test_tables_and_modes_of_a_job_are_known_to_the_decoder() -> None:
    """Columns are found by schema, table and name; modes have the connector's defaults."""
    column = {"name": "d", "type": "date", "scale": None, "unsigned": False}
    table = {"schema": "shop", "name": "t", "columns": [column]}
    known = definitions((table,), {"time.precision.mode": "connect"}, "vitess")
    assert known.columns["shop", "t"] == {"d": column}
    assert (known.time_mode, known.binary_mode) == ("connect", "bytes")

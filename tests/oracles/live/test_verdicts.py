"""The SELECT is the truth where topics can tell it, and a producer's failure is nobody else's."""

from __future__ import annotations

import pytest

from harness.model.finding import Judgement
from harness.model.observed import Observed, Outcome, RawRow
from harness.model.table import TableId
from harness.oracles.live.verdicts import unasked, verdict
from harness.runner.manifest import Consumer
from tests.oracles.live.accounts import known

T = TableId("shop", "t")
CONSUMER = Consumer("mine", ("mine",))
CHAIN = ((2, 1), (3, 2))  # keys.pk-chain at its end
BEGUN = ((1, 1), (2, 2))  # after its first two steps
RIGHT: tuple[RawRow, ...] = ({"a": 2, "b": 1}, {"a": 3, "b": 2})
WRONG: tuple[RawRow, ...] = (*RIGHT, {"a": 1, "b": 1})


def answered(*rows: RawRow) -> Observed:
    """Return an answer with these rows."""
    return Observed(Outcome.DONE, tables={T: rows})


def test_the_select_is_the_truth() -> None:
    """Records as predicted, and tables as selected: a right answer passes, a wrong one fails."""
    found = known(*CHAIN)
    assert (found.by_select, found.differences, found.repeats, unasked(found)) == (
        True,
        (),
        0,
        None,
    )
    assert verdict(found, answered(*RIGHT), CONSUMER)[0].judgement is Judgement.PASS
    wrong, shown = verdict(found, answered(*WRONG), CONSUMER)
    assert wrong.judgement is Judgement.FAIL
    assert wrong.findings[0].clause.startswith("debezium-mysql.")
    assert shown is not None
    assert [one.table for one in shown.tables] == ["shop.t"]


@pytest.mark.parametrize("rows", [(), ((2, 1),), ((2, 1), (3, 3))])
def test_what_topics_do_not_tell_is_said(rows: tuple[tuple[int, int], ...]) -> None:
    """A SELECT that says something else is no truth for who reads topics; the rules are."""
    found = known(*rows)
    assert not found.by_select
    assert verdict(found, answered(*RIGHT), CONSUMER)[0].judgement is Judgement.PASS


def test_other_records_than_predicted_blame_nobody() -> None:
    """Who is wrong over records that we cannot explain may not be wrong at all."""
    found = known(*CHAIN, spoiled=True)
    assert len(found.differences) == 1
    assert verdict(found, answered(*RIGHT), CONSUMER)[0].judgement is Judgement.PASS
    disputed, _ = verdict(found, answered(*WRONG), CONSUMER)
    assert disputed.judgement is Judgement.INCONCLUSIVE
    assert "the records are not as predicted: live.shop.t/0" in disputed.detail


@pytest.mark.parametrize(
    ("fault", "judgement"),
    [("history-recovered", Judgement.FAIL), ("connector-killed", Judgement.INCONCLUSIVE)],
)
def test_statements_that_are_restated_excuse_nobody(fault: str, judgement: Judgement) -> None:
    """A connector that recovers its history says once more what made the tables; no other does."""
    found = known(*CHAIN, fault=fault, restated=True)
    assert verdict(found, answered(*RIGHT), CONSUMER)[0].judgement is Judgement.PASS
    assert verdict(found, answered(*WRONG), CONSUMER)[0].judgement is judgement


@pytest.mark.parametrize(
    ("fault", "failed", "says"),
    [
        ("", "", ""),
        ("connector-killed", "", ""),
        ("", "no memory", "the producer failed, not the consumer: no memory"),
        ("connector-killed", "lost", "the producer failed, not the consumer: lost"),
        ("binlog-purged", "it is gone", ""),
        ("binlog-purged", "", "the connector goes on although what it had not read was purged"),
        ("history-lost", "it is missing", ""),
        ("history-lost", "", "the connector goes on although its schema history was gone"),
        ("history-recovered", "", ""),
    ],
)
def test_a_producer_that_fails_is_no_failure_of_the_consumer(
    fault: str, failed: str, says: str
) -> None:
    """Unless its log was purged, which it has to fail by: then the topics end, and are judged."""
    found = unasked(known(*CHAIN, fault=fault, failed=failed))
    assert (found is None) == (not says)
    if found is not None:
        assert found.judgement is Judgement.INCONCLUSIVE
        assert found.detail.startswith(says)


def test_topics_that_end_are_judged_by_the_select_of_then() -> None:
    """What was purged never came; a consumer has what was there before."""
    found = known(*BEGUN, fault="binlog-purged", failed="it is gone", steps=2)
    assert (found.by_select, found.differences) == (True, ())
    begun: tuple[RawRow, ...] = ({"a": 1, "b": 1}, {"a": 2, "b": 2})
    assert verdict(found, answered(*begun), CONSUMER)[0].judgement is Judgement.PASS
    assert verdict(found, answered(*RIGHT), CONSUMER)[0].judgement is Judgement.FAIL


def test_what_the_database_refuses_is_asked_of_nobody() -> None:
    """A scenario that did not run whole has no tables to compare."""
    found = unasked(known(*CHAIN, refused="the server refuses step 1: no"))
    assert found is not None
    assert (found.judgement, found.detail) == (
        Judgement.NOT_APPLICABLE,
        "the server refuses step 1: no",
    )

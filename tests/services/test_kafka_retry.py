"""What a broker refuses for a moment is asked again; what it refuses for good is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from confluent_kafka import KafkaError, KafkaException

from harness.services import kafka_retry
from harness.services.kafka_retry import PASSING, retried


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_retry, "ASK_EVERY_S", 0.0)


def broker(refusals: list[int]) -> Callable[[], str]:
    """Return an ask that is refused by these codes, one after another, and then answered."""

    def ask() -> str:
        if refusals:
            raise KafkaException(KafkaError(refusals.pop(0)))
        return "the answer"

    return ask


@pytest.mark.parametrize("code", sorted(PASSING))
def test_a_refusal_that_passes_is_asked_again(code: int) -> None:
    """Each error that Kafka calls retriable is followed by the answer."""
    assert retried(broker([code, code, code]), 60.0) == "the answer"


@pytest.mark.parametrize(
    "code",
    [
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._AUTHENTICATION,
    ],
)
def test_a_refusal_for_good_is_reported_at_once(code: int) -> None:
    """Rights and names do not change while we wait."""
    refusals = [code, code]
    with pytest.raises(KafkaException) as raised:
        retried(broker(refusals), 60.0)
    assert raised.value.args[0].code() == code
    assert refusals == [code]


def test_a_refusal_that_does_not_pass_is_reported_when_the_time_is_over() -> None:
    """Nothing waits without end: the last refusal is what the caller sees."""
    refusals = [KafkaError.NOT_LEADER_FOR_PARTITION] * 3
    with pytest.raises(KafkaException):
        retried(broker(refusals), -1.0)
    assert len(refusals) == 2

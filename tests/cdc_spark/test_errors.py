"""Promises of errors: one of ours comes out of a failure of Spark's as it was raised."""

from __future__ import annotations

import pytest

from cdc_spark import errors
from cdc_spark.errors import CdcSparkError, InternalError, error_of

KINDS = [
    one
    for one in vars(errors).values()
    if isinstance(one, type) and issubclass(one, CdcSparkError) and one is not CdcSparkError
]


def spoken(error: CdcSparkError) -> str:
    """Return an error as Spark's own exceptions quote it."""
    trace = f"Traceback (most recent call last):\n  File x\ncdc_spark.errors.{type(error).__name__}"
    return f"[STREAM_FAILED] Query terminated\n{trace}: {error}\n\n\tat java.Thread"


@pytest.mark.parametrize("kind", [one for one in KINDS if one is not InternalError])
def test_every_kind_comes_out_of_a_failure(kind: type[CdcSparkError]) -> None:
    """Its kind, its sentence, its expectation and its next step."""
    raised = kind("topic t, partition 0: bad", expected="a: b", hint="skip=[('t', 0, 1)]; next")
    found = error_of(RuntimeError(spoken(raised)))
    assert type(found) is kind
    assert str(found) == str(raised)
    assert error_of(raised) is raised


def test_other_failures_are_left_alone() -> None:
    """What Spark or our own defect raised is none of these."""
    assert error_of(RuntimeError("java.io.IOException: disk")) is None
    assert error_of(RuntimeError(spoken(InternalError("x")))) is None

"""What one stage of a changefeed decided about a DDL job or a row change, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """What becomes of a job or a change."""

    REPLICATE = "replicate"
    IGNORE = "ignore"
    STOP = "stop"


# Where things are decided, in this order.
PULLER = "ddl puller"
TABLE = "table filter"
EVENT_FILTER = "event filter"
SINK = "sink"


@dataclass(frozen=True, slots=True)
class Decision:
    """An outcome with its stage and reason.

    `code` is TiCDC's error where the changefeed stops, `cause` the error that it wraps ("" for
    none). A decision to replicate has passed all stages.
    """

    outcome: Outcome
    stage: str = ""
    reason: str = ""
    code: str = ""
    cause: str = ""

    @property
    def sent(self) -> bool:
        """Return whether the event goes on to the sink."""
        return self.outcome is Outcome.REPLICATE


REPLICATE = Decision(Outcome.REPLICATE)


def ignore(stage: str, reason: str) -> Decision:
    """Return the decision to leave something out."""
    return Decision(Outcome.IGNORE, stage, reason)


def stop(stage: str, code: str, reason: str, cause: str = "") -> Decision:
    """Return the decision to stop the changefeed."""
    return Decision(Outcome.STOP, stage, reason, code, cause)


@dataclass(frozen=True, slots=True)
class Explained:
    """One decision of a run: about what, and at which step and line of the scenario."""

    step: int
    line: int
    subject: str
    decision: Decision

"""What is asked of a pack and what it says of each case: plain data that workers can share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.errors import ExitCode
from harness.model.finding import FINDINGS, Judgement
from harness.scenario.expand import Case

# Not a judgement on the consumer: the scenario, its lock or its goldens are wrong.
PROBLEM = "problem"

# `undecided` is skipped, not failed: nothing was proved against the consumer, and `harness certify`
# counts it apart likewise.
OUTCOMES: Mapping[str, str] = {
    **{judgement.value: "failed" for judgement in FINDINGS},
    Judgement.PASS.value: "passed",
    Judgement.UNDECIDED.value: "skipped",
    Judgement.XFAIL.value: "skipped",
    Judgement.DECLARED_LOSSY.value: "skipped",
    Judgement.BEYOND.value: "skipped",
    Judgement.NOT_APPLICABLE.value: "skipped",
    Judgement.HARNESS_ERROR.value: "error",
    PROBLEM: "error",
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A selected case and the root of its scenario."""

    root: Path
    case: Case

    @property
    def key(self) -> str:
        """Return the case's name among the cases of all roots."""
        return str(self.root / self.case.id)


@dataclass(frozen=True, slots=True)
class Answer:
    """A case's judgement (a key of OUTCOMES), one line on it, and all lines on it.

    `apart` is what a case came to that does not count, else "".
    """

    judgement: str
    headline: str = ""
    text: str = ""
    apart: str = ""


class Stopped(Exception):  # noqa: N818 - it ends the session, whoever is at fault
    """The run cannot go on; `reported` when another worker has printed it already."""

    def __init__(self, text: str, exit_code: int = ExitCode.ENVIRONMENT, *, reported: bool) -> None:
        """Take the whole message and what the harness would exit with."""
        super().__init__(text)
        self.exit_code = int(exit_code)
        self.reported = reported

    @property
    def reason(self) -> str:
        """Return the first line, for pytest's own last words."""
        return f"harness: {str(self).splitlines()[0]}"


# How an item names its case to the session.
CHOSEN = pytest.StashKey[Chosen]()

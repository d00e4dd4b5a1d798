"""Differences that are known: whose they are, in which releases, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class KnownDifference:
    """A difference of some scenarios; patterns that must match whole.

    `shows` is searched in what the run shows of the difference: a case that begins to differ in
    another way is not explained by it.
    """

    scenarios: str
    reason: str
    shows: str
    versions: str = ".*"


KNOWN: Final[Sequence[KnownDifference]] = (
    KnownDifference(
        scenarios=r"vitess\.records-transformed",
        reason="The transform `ReplaceFieldValue` came with 3.1.0: the worker refuses it.",
        shows=r"the connector is refused: .*ReplaceFieldValue| missing: ours |and \d+ more",
        versions=r"2\.7\.0\.Final|3\.0\.0\.Final",
    ),
)


def reason(scenario: str, version: str, shown: Sequence[str]) -> str:
    """Return why a scenario differs in a release, "" where nobody has said it."""
    for one in KNOWN:
        fits = re.fullmatch(one.scenarios, scenario) and re.fullmatch(one.versions, version)
        if fits and shown and all(re.search(one.shows, text) for text in shown):
            return one.reason
    return ""

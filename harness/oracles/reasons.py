"""Differences that are known: whose they are, in which releases, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


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


def reason(
    known: Sequence[KnownDifference], scenario: str, version: str, shown: Sequence[str]
) -> str:
    """Return why a scenario differs in a release, "" where nobody has said it."""
    for one in known:
        fits = re.fullmatch(one.scenarios, scenario) and re.fullmatch(one.versions, version)
        if fits and shown and all(re.search(one.shows, text) for text in shown):
            return one.reason
    return ""

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


UP_TO_3_0: Final = r"(2\.7|3\.0)\.0\.Final"
FOLLOWS: Final = r" missing: ours |and \d+ more"  # what a task that stops does not send
KNOWN: Final[Sequence[KnownDifference]] = (
    KnownDifference(
        scenarios=r"types\.(partial-zero-dates|partial-zero-moment-stops-vitess|zero-dates.*)",
        reason="Up to 3.0 a zero DATETIME stops the task, in whatever time.precision.mode.",
        shows=r"(fails|stops): \S+IllegalArgumentException:? Timestamp format must be|" + FOLLOWS,
        versions=UP_TO_3_0,
    ),
    KnownDifference(
        scenarios=r"encoding\.other-character-sets|types\.text-of-binary-collation",
        reason="Up to 3.0 text of a binary collation is bytes.",
        shows=r'theirs .*\{"type":"bytes","optional":true,"field"|and \d+ more',
        versions=UP_TO_3_0,
    ),
    KnownDifference(
        scenarios=r"types\.(unknown-types-as-bytes|vector)",
        reason="Up to 3.0 Vitess's client, which the connector brings, has no type VECTOR.",
        shows=r"query\.Type has no VECTOR|" + FOLLOWS,
        versions=UP_TO_3_0,
    ),
)


def reason(scenario: str, version: str, shown: Sequence[str]) -> str:
    """Return why a scenario differs in a release, "" where nobody has said it."""
    for one in KNOWN:
        fits = re.fullmatch(one.scenarios, scenario) and re.fullmatch(one.versions, version)
        if fits and shown and all(re.search(one.shows, text) for text in shown):
            return one.reason
    return ""

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


FIRST: Final = r"2\.7\.0\.Final"
UP_TO_3_0: Final = r"(2\.7|3\.0)\.0\.Final"
FOLLOWS: Final = r" missing: ours |and \d+ more"  # what a task that stops does not send
# 1 in ours and 0 in theirs, in JSON and behind the orders in Avro.
EPOCHS: Final = (
    r'transaction_epoch":1.* theirs .*transaction_epoch":0'
    r"|(?s:\}\]..\x02\x02.* theirs .*\}\]..\x00\x02)"
)
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
    KnownDifference(
        scenarios=r"transactions\.ordered-over-failovers",
        reason="Up to 3.0 a task stops where a GTID set gains a server: it cannot tell the epoch.",
        shows=rf"Can't determine epoch|{EPOCHS}|{FOLLOWS}",
        versions=UP_TO_3_0,
    ),
    KnownDifference(
        scenarios=r"sharding\.(shard-is-back|shards-merged|split-in-mid-stream)",
        reason="2.7.0 stops where a position has a shard that the one before did not have.",
        shows=rf"Gtid for shard missing|{EPOCHS}|{FOLLOWS}",
        versions=FIRST,
    ),
    KnownDifference(
        scenarios=".*",
        reason="2.7.0 counts epochs from the first transaction on, later releases from the start.",
        shows=rf"{EPOCHS}|and \d+ more",
        versions=FIRST,
    ),
    KnownDifference(
        scenarios=r"vitess\.texts-cut",
        reason="2.7.0 does not cut bytes.",
        shows=r'"raw":"AP\+A".* theirs .*"raw":"AP\+Aw6Q="',
        versions=FIRST,
    ),
    KnownDifference(
        scenarios=r"vitess\.topics-named-otherwise",
        reason="2.7.0 has no setting `override.data.change.topic.prefix`.",
        shows=r"^elsewhere\.\S+ #\d+ missing|and \d+ more",
        versions=FIRST,
    ),
)


def reason(scenario: str, version: str, shown: Sequence[str]) -> str:
    """Return why a scenario differs in a release, "" where nobody has said it."""
    for one in KNOWN:
        fits = re.fullmatch(one.scenarios, scenario) and re.fullmatch(one.versions, version)
        if fits and shown and all(re.search(one.shows, text) for text in shown):
            return one.reason
    return ""

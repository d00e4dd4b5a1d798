"""What releases of Debezium's Vitess connector are known to do otherwise than our encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.oracles.reasons import KnownDifference

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

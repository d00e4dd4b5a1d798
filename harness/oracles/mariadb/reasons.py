"""What the connector is known to write otherwise than our encoder: what a lock does not keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.oracles.reasons import KnownDifference

MORE: Final = r"^and \d+ more$"
KNOWN: Final[Sequence[KnownDifference]] = (
    KnownDifference(
        scenarios=r"types\.json-documents",
        reason="A lock has a JSON document as TiDB keeps it, its members sorted; MariaDB keeps the "
        "text that was written.",
        shows=rf'types\.(?:of-)?j/0 #\d+ value: .*"j":"|{MORE}',
    ),
    KnownDifference(
        scenarios=r"encoding\.avro-tables-share-a-topic|vitess\.points-in-names",
        reason="Kafka makes no topic beside another from whose name it differs in points and "
        "underscores alone: the task fails.",
        shows=rf"^the connector fails: \S*InvalidTopicException: .* collides with existing topic"
        rf"| missing: ours |{MORE}",
    ),
    KnownDifference(
        scenarios=r"encoding\.members-in-binary",
        reason="The connector's reader of the log fails at a table that has an ENUM or a SET of "
        "CHARACTER SET binary.",
        shows=r"^the connector fails: java\.io\.EOFException: Failed to read| missing: ours |"
        rf"{MORE}",
    ),
)

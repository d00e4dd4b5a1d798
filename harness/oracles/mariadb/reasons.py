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
)

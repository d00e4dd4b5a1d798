"""What vectors mark as volatile, by name: each exception with its reason and where it is said.

A comparison leaves nothing out silently: it puts the name of the exception that it applied into
`Result.excused`, and the command counts them. A name that is not in this table is a difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Exemption:
    """One thing that is not compared as it stands, why, and where the vectors' notes say so."""

    reason: str
    source: str


EXCEPTIONS: Mapping[str, Exemption] = MappingProxyType(
    {
        "claim-check-file": Exemption(
            "the file's name in `ccl` is a random UUID: it is put out on both sides",
            "TiCDC notes §2.7",
        ),
        "compressed-bytes": Exemption(
            "compressors choose different matches: what comes out again is compared",
            "TiCDC notes §2.7, §10",
        ),
        "unknown-member": Exemption(
            "an event has a member that the notes do not name; those that they name are equal",
            "TiCDC notes §10",
        ),
        "expression-not-verified": Exemption(
            "the vectors' changefeed passed no API, which refuses an expression that does not"
            " parse: it failed at the first row, by the same error",
            "TiCDC notes §0; tiflow cdc/api/v2/api_helpers.go:565",
        ),
        "columns-as-described": Exemption(
            "no statement of the vector makes the table: it is taken from the rows' descriptions",
            "TiCDC notes §10, `rows`",
        ),
        "no-vector-type": Exemption(
            "recorded: the embedded MariaDB has no VECTOR columns; scenarios state such rows",
            "MariaDB 11.7, VECTOR",
        ),
        "generated-not-null": Exemption(
            "recorded: MariaDB refuses NOT NULL behind a generated column's expression",
            "MariaDB, Generated columns",
        ),
        "database-with-a-dot": Exemption(
            "recorded: a lock names tables `database.table`, so a database's name has no dots",
            "docs/reference/scenario.md, databases",
        ),
        "default-not-utf8": Exemption(
            "recorded: TiDB stores U+FFFD for bytes of a default that are not UTF-8; MySQL and"
            " MariaDB store the bytes",
            "TiCDC notes §3.5",
        ),
        "default-in-session-zone": Exemption(
            "recorded: a scenario's session is in UTC, and so are the TIMESTAMP defaults that"
            " ADD COLUMN gives older rows",
            "docs/explanation/versions.md",
        ),
        "processing-clock": Exemption(
            "times that the connector reads off its clock: checked for sense, then taken over",
            "Vitess notes §0, Volatile",
        ),
        "notification-id": Exemption(
            "a notification's id is a random UUID: its form is checked, then it is taken over",
            "Vitess notes §0, Volatile",
        ),
        "heartbeat-timer": Exemption(
            "a heartbeat comes where its timer has run out: theirs must be among the places",
            "Vitess notes §0, §10",
        ),
    }
)

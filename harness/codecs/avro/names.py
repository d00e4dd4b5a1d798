"""Names as Avro takes them, and the subjects that schemas are registered under.

Source: tiflow c7b2588 pkg/sink/codec/common/helper.go:323 `EscapeEnumAndSetOptions`, :345
`SanitizeName`; pkg/sink/codec/avro/avro.go:455 `sanitizeTopic`, `getAvroNamespace`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_FORBIDDEN = re.compile("[^A-Za-z0-9_]")
OP = "_tidb_op"
COMMIT_TS = "_tidb_commit_ts"
PHYSICAL_TIME = "_tidb_commit_physical_time"
CHECKSUM = "_tidb_row_level_checksum"
CORRUPTED = "_tidb_corrupted"
CHECKSUM_VERSION = "_tidb_checksum_version"


def sanitised(name: str) -> str:
    """Return a name with `_` for every character that Avro forbids, and before a first digit."""
    safe = _FORBIDDEN.sub("_", name)
    return f"_{safe}" if safe[:1].isdigit() else safe


def namespace(changefeed: str, schema: str) -> str:
    """Return the namespace of a table's records."""
    return f"{sanitised(changefeed)}.{sanitised(schema)}" if schema else sanitised(changefeed)


def key_subject(topic: str) -> str:
    """Return the subject of a topic's key schemas; dots may mean something to sink connectors."""
    return topic.replace(".", "_") + "-key"


def value_subject(topic: str) -> str:
    """Return the subject of a topic's value schemas."""
    return topic.replace(".", "_") + "-value"


def allowed(members: Iterable[str]) -> str:
    r"""Return the text of `allowed`: commas escaped, `\'` and `''` for `'`; a backslash is lost."""
    return ",".join(
        member.replace(",", "\\,").replace("\\'", "'").replace("''", "'") for member in members
    )

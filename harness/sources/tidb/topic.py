"""Which topic a table's events go to: the `topic` of a dispatcher rule.

| written | topic |
| --- | --- |
| nothing | the changefeed's default topic |
| letters, digits, `.` `_` `-` | just this name, of any length, even `.` and `..` |
| `[prefix][{schema}][middle{table}][suffix]` | names in place of the braces |

Of a name, what Kafka does not allow becomes `_`, character by character; the whole is cut to 249
bytes, and `.` and `..` become `_` and `__`. Avro asks for both placeholders, or (from v6.5.7,
v7.1.4 and v7.4.0) a fixed name.

Source: tiflow c7b2588 cdc/sink/dmlsink/mq/dispatcher/topic/expression.go, event_router.go
`getTopicDispatcher`; vectors `topics`.
"""

from __future__ import annotations

import re

from harness.model.table import TableId
from harness.sources.tidb.refusal import ChangefeedError

INVALID = "ErrKafkaTopicExprInvalid"
LENGTH_MAX = 249
_FIXED = re.compile(r"[A-Za-z0-9._-]+")
_FORBIDDEN = re.compile(r"[^A-Za-z0-9._-]")
# Protocol -> its expressions, and how they are described.
_ANY = (
    re.compile(r"[A-Za-z0-9._-]*(\{schema\})?([A-Za-z0-9._-]*\{table\})?[A-Za-z0-9._-]*"),
    "[prefix][{schema}][middle{table}][suffix], of letters, digits, '.', '_' and '-'",
)
_AVRO = (
    re.compile(r"[A-Za-z0-9._-]*\{schema\}[A-Za-z0-9._-]*\{table\}[A-Za-z0-9._-]*"),
    "[prefix]{schema}[middle]{table}[suffix], both for Avro",
)
_RESERVED = {".": "_", "..": "__"}


def check_topic(rule: str, *, avro: bool, fixed: bool = True) -> None:
    """Raise ChangefeedError for a topic rule that TiCDC refuses; `fixed`: Avro takes such names."""
    pattern, expected = _AVRO if avro else _ANY
    takes_fixed = fixed or not avro
    if not rule or pattern.fullmatch(rule) or (takes_fixed and _FIXED.fullmatch(rule)):
        return
    if avro:
        expected += ", or a fixed name" if fixed else "; later releases take a fixed name too"
    raise ChangefeedError(
        INVALID, f"invalid topic expression {rule!r}", expected=expected, path=("topic",)
    )


def check_name(rule: str) -> None:
    """Raise ChangefeedError for a fixed name that TiCDC takes and Kafka does not."""
    if len(rule) > LENGTH_MAX or rule in _RESERVED:
        raise ChangefeedError(
            "ErrKafkaCreateTopic",
            f"Kafka has no topic of the name {rule[:20]!r}: TiCDC does not check fixed names",
            expected=f"at most {LENGTH_MAX} characters, neither `.` nor `..`",
            path=("topic",),
        )


def topic_of(rule: str, table: TableId, default: str) -> str:
    """Return the topic of a table under a rule that `check_topic` accepts."""
    if not rule:
        return default
    if _FIXED.fullmatch(rule):
        return rule
    # The schema goes in first, and what it brings is read again: braces cannot be part of it.
    name = rule.replace("{schema}", _FORBIDDEN.sub("_", table.schema))
    name = name.replace("{table}", _FORBIDDEN.sub("_", table.name))
    return name[:LENGTH_MAX] if len(name) > LENGTH_MAX else _RESERVED.get(name, name)

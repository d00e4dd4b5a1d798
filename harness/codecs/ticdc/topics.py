"""Which topic rules an Avro changefeed may have: one topic takes one table's schemas only.

Source: TiCDC Avro Protocol, §Topic distribution; tiflow c7b2588
cdc/sink/dmlsink/mq/dispatcher/topic/expression.go `ValidateForAvro`, `IsHardCode` (vectors
`avro_config_errors`): a fixed name passes, against the document.
"""

from __future__ import annotations

import re

from harness.errors import SourceStopped

_PART = r"[A-Za-z0-9._-]*"
_RULE = re.compile(rf"{_PART}\{{schema\}}{_PART}\{{table\}}{_PART}\Z")
_FIXED = re.compile(r"[A-Za-z0-9._-]+\Z")


def check_topic_rule(rule: str) -> None:
    """Raise SourceStopped for a topic rule that TiCDC refuses; the empty one is the default."""
    if not rule or _FIXED.match(rule) or _RULE.match(rule):
        return
    raise SourceStopped(
        "ErrKafkaTopicExprInvalid",
        f"invalid topic expression: {rule}",
        expected="topic rule for Avro must contain {schema} and {table}",
        hint="write {schema} before {table}, or a fixed name for a changefeed of one table",
    )

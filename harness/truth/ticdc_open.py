"""TiCDC Open Protocol vectors: bytes of every message, and what our decoder reads in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from harness.errors import HarnessError
from harness.truth.open_bound import Bound
from harness.truth.open_ddl import compare_checkpoint, compare_ddl
from harness.truth.open_rows import compare_rows
from harness.truth.result import Difference, Parts, Result, Vector
from harness.truth.ticdc_followed import feed_of

# What stands beside the bytes: compared, or (the parsed JSON, the rule's name) implied by them.
_COMPARED = frozenset(
    {
        *("topic", "partition", "key_hex", "value_hex", "headers", "version"),
        *("frames", "producer_length", "rows", "encode_error"),
    }
)
_DERIVED = frozenset({"partition_rule", "key_json", "value_json"})
UNKNOWN_MEMBER = "unknown-member"
_KINDS: Mapping[str, Callable[[Bound, Vector], Parts]] = {
    "dml": compare_rows,
    "ddl": compare_ddl,
    "checkpoint": compare_checkpoint,
}


def compare(vector: Vector) -> Result:
    """Compare one vector of the Open Protocol, whatever kind of event it holds."""
    if "config_error" in vector:
        return Result(vector["id"], tuple(_refusal(vector)))
    kind = str(vector.get("kind"))
    if kind not in _KINDS:
        return Result(vector["id"], (Difference("kind", f"one of {', '.join(_KINDS)}", kind),))
    differences, excused = _KINDS[kind](Bound.to(vector), vector)
    members = {name for event in vector["events"] for name in event}
    if members - _COMPARED - _DERIVED:
        excused += (UNKNOWN_MEMBER,)
    return Result(vector["id"], tuple(differences), excused)


def _refusal(vector: Vector) -> Iterator[Difference]:
    """Yield a difference when settings that TiCDC refuses are taken, or refused for another."""
    theirs = str(vector["config_error"])
    try:
        Bound.to(vector)
        feed_of(vector)
    except HarnessError as error:
        codes = re.findall(r"\[CDC:(\w+)\]", theirs)
        if codes and not any(code in str(error) for code in codes):
            yield Difference("config_error", f"refused: {error}", theirs)
        return
    yield Difference("config_error", "taken", theirs)

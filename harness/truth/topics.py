"""Topics that dispatcher rules choose, and rules that the vendor refuses."""

from __future__ import annotations

from harness.sources.tidb.refusal import ChangefeedError
from harness.truth import dispatch
from harness.truth.result import Difference, Result, Vector
from harness.truth.vendor_errors import code_of


def compare(vector: Vector) -> Result:
    """Compare the topic of every row of a vector, or the refusal of its rules."""
    theirs = code_of(vector.get("config_error") or "")
    ours = ""
    try:
        dispatch.routing(vector)
    except ChangefeedError as refusal:
        ours = refusal.code
    if ours != theirs:
        wrong = Difference("config_error", ours or "accepted", theirs or "accepted")
        return Result(vector["id"], (wrong,))
    return Result(vector["id"]) if ours else dispatch.compare(vector)

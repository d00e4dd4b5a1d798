"""The kinds of vectors, known by what a line holds, and the comparison of each.

File names decide nothing: vectors that are held back may be in files that are called alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from harness.truth import dispatch, filters, ticdc_avro, ticdc_open, vitess
from harness.truth.result import Compare, Vector, section

# `protocol` of a TiCDC vector -> the kind of its encoder's vectors.
_ENCODERS = {"open-protocol": "open", "avro": "avro"}


COMPARISONS: Mapping[str, Compare] = MappingProxyType(
    {
        "open": ticdc_open.compare,
        "avro": ticdc_avro.compare,
        "vitess": vitess.compare,
        "dispatch": dispatch.compare,
        "topics": dispatch.compare_topics,
        "filters": filters.compare,
        "eligibility": filters.compare_eligibility,
    }
)


def kind_of(vector: Vector) -> str:
    """Return the kind of a vector, "" when its keys are those of no kind that is known."""
    if "vstream_input" in vector or "connector_config" in vector:
        return "vitess"
    if "filter_config" in vector:
        # Eligibility is judged without filters; only `force-replicate` varies.
        filtered = "filter" in section(vector, "filter_config") or "ddl" not in vector
        return "filters" if filtered else "eligibility"
    if vector.get("protocol") not in _ENCODERS:
        return ""
    if "events" in vector or "kind" in vector:
        return _ENCODERS[vector["protocol"]]
    if "dispatch" in vector:
        return "topics" if _topics_only(vector) else "dispatch"
    return "topics" if "config_error" in vector else ""


def _topics_only(vector: Vector) -> bool:
    """Return whether the rules choose topics and the only partition there is."""
    rules: Sequence[Vector] = section(section(vector, "config"), "sink").get("dispatchers") or ()
    counts = {count for target in vector["dispatch"] for count in target["partition"]}
    return counts == {"1"} and any("topic" in rule for rule in rules)

"""The transforms' results in a Vitess vector: each chain over the records of the run."""

from __future__ import annotations

from collections.abc import Sequence

from harness.codecs.connect.errors import java_text
from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.debezium_vitess.transforms.chain import Chain, stage
from harness.errors import SourceStopped
from harness.truth.result import Difference, Vector
from harness.truth.vitess_clock import like_theirs
from harness.truth.vitess_records import compare_record


def compare_transforms(vector: Vector, records: Sequence[ConnectRecord]) -> list[Difference]:
    """Compare every chain's results over our own records."""
    found: list[Difference] = []
    inputs = [
        like_theirs(ours, theirs)[0]
        for ours, theirs in zip(records, vector["records"], strict=False)
    ]
    results: list[Vector] = vector.get("smt_results") or []
    for number, result in enumerate(results):
        where = f"smt_results[{number}]"
        try:
            chain = Chain(tuple(stage(e["type"], e["config"]) for e in result["chain"]))
        except SourceStopped as stop:
            theirs = result.get("configure_error")
            if [java_text(stop)] != theirs:
                found.append(Difference(f"{where}.configure_error", java_text(stop), str(theirs)))
            continue
        if "configure_error" in result:
            error = str(result["configure_error"])
            found.append(Difference(f"{where}.configure_error", "configured", error))
        entries: list[Vector] = result.get("records") or []
        for entry in entries:
            index = int(entry["input_index"])
            place = f"{where}.records[{index}]"
            if index >= len(inputs):
                found.append(Difference(place, "no such record", "a record"))
                continue
            found.extend(_compare_one(place, chain, inputs[index], entry))
        # The vectors' chains were given one and the same record, one chain after the other.
        inputs = [chain.left_behind(record) for record in inputs]
    return found


def _compare_one(
    where: str, chain: Chain, record: ConnectRecord, entry: Vector
) -> list[Difference]:
    try:
        made = chain.apply(record)
    except SourceStopped as stop:
        told = entry.get("error")
        mine = java_text(stop)
        same = told is not None and told[-1] == mine
        return [] if same else [Difference(f"{where}.error", mine, str(told))]
    if "error" in entry:
        return [Difference(f"{where}.error", "none", str(entry["error"]))]
    if made is None or entry.get("dropped"):
        dropped = made is None
        same = dropped is bool(entry.get("dropped"))
        return [] if same else [Difference(where, f"dropped: {dropped}", str(not dropped))]
    return compare_record(where, made, entry["record"])[0]

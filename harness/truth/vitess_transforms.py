"""The transforms' results in a Vitess vector: each chain over the records of the run."""

from __future__ import annotations

from collections.abc import Sequence

from harness.codecs.connect.errors import java_text
from harness.codecs.connect.schema import ConnectRecord, with_value
from harness.codecs.connect.transforms import TransformChain, TransformStage
from harness.codecs.debezium_vitess.transforms import TRANSFORMS
from harness.errors import SourceStopped
from harness.truth.result import Difference, Vector
from harness.truth.vitess_clock import like_theirs
from harness.truth.vitess_records import compare_record


def vector_chain(result: Vector) -> TransformChain:
    """Return the chain of one of a vector's results; SourceStopped where it is refused."""
    entries: list[Vector] = result["chain"]
    return TransformChain(
        tuple(TransformStage(TRANSFORMS[e["type"]](e["config"])) for e in entries)
    )


def left_behind(chain: TransformChain, result: Vector, record: ConnectRecord) -> ConnectRecord:
    """Return what the real chain makes of the very record it is given.

    Ours changes no value; the real `ReplaceFieldValue` writes into the struct itself, which shows
    because the vectors give one record to several chains.
    """
    current = record
    entries: list[Vector] = result["chain"]
    for stage, entry in zip(chain.stages, entries, strict=True):
        try:
            changed = stage.apply(current)
        except SourceStopped:
            break
        in_place = str(entry["type"]).endswith(".ReplaceFieldValue")
        if changed is None or (changed.value is not current.value and not in_place):
            break
        current = changed
    return with_value(record, record.value_schema, current.value)


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
            chain = vector_chain(result)
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
        inputs = [left_behind(chain, result, record) for record in inputs]
    return found


def _compare_one(
    where: str, chain: TransformChain, record: ConnectRecord, entry: Vector
) -> list[Difference]:
    try:
        made = chain.apply(record)
    except SourceStopped as stop:
        recorded = entry.get("error")
        mine = java_text(stop)
        same = recorded is not None and recorded[-1] == mine
        return [] if same else [Difference(f"{where}.error", mine, str(recorded))]
    if "error" in entry:
        return [Difference(f"{where}.error", "none", str(entry["error"]))]
    if made is None or entry.get("dropped"):
        dropped = made is None
        same = dropped is bool(entry.get("dropped"))
        return [] if same else [Difference(where, f"dropped: {dropped}", str(not dropped))]
    return compare_record(where, made, entry["record"])[0]

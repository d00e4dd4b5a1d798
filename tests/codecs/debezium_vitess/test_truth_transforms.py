"""Our transforms beside the connector's: every chain of the vectors, record by record."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.codecs.connect.errors import java_text
from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.connect.transforms import TransformChain
from harness.errors import SourceStopped
from harness.truth.vitess_transforms import left_behind, vector_chain
from tests.codecs.connect.reading import (
    Vector,
    connect_record,
    truth,
    vectors,
)

FILES = sorted(truth().glob("*.jsonl"))
CASES = [vector for path in FILES for vector in vectors(path) if vector.get("smt_results")]


def outcome(chain: TransformChain, record: ConnectRecord) -> ConnectRecord | str | None:
    """Return the record, None when it was dropped, or the error's text."""
    try:
        return chain.apply(record)
    except SourceStopped as stop:
        return java_text(stop)


def expected(entry: Vector) -> ConnectRecord | str | None:
    """Return what the real chain made of a record."""
    if entry.get("dropped"):
        return None
    return entry["error"][-1] if "error" in entry else connect_record(entry["record"])


def differences(vector: Vector) -> Iterator[tuple[object, ...]]:
    """Yield where our chains differ."""
    inputs = [connect_record(record) for record in vector["records"]]
    results: list[Vector] = vector["smt_results"]
    for number, result in enumerate(results):
        try:
            chain = vector_chain(result)
        except SourceStopped as stop:
            if [java_text(stop)] != result.get("configure_error"):
                yield vector["id"], number, java_text(stop), result.get("configure_error")
            continue
        if "configure_error" in result:
            yield vector["id"], number, "configured", result["configure_error"]
        entries: list[Vector] = result.get("records") or []
        for entry in entries:
            ours, theirs = outcome(chain, inputs[entry["input_index"]]), expected(entry)
            if ours != theirs:
                yield vector["id"], number, entry["input_index"], ours, theirs
        # One record was given to all the chains, one after the other.
        inputs = [left_behind(chain, result, record) for record in inputs]


@pytest.mark.parametrize("vector", CASES, ids=lambda vector: vector["id"])
def test_transformed(vector: Vector) -> None:
    """Every chain drops, changes and refuses the records that the connector's own does."""
    assert list(differences(vector)) == []

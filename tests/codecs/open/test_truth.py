"""Our encoder and decoder beside the vendor's: the same input gives the same bytes, and back.

`harness.truth.ticdc_open` compares; a small subset of the vectors is in the repository, the whole
of them is compared when `CDC_TRUTH_DIR` names their directory.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.codecs.open.codec import bind
from harness.truth.kinds import kind_of
from harness.truth.run import guarded
from harness.truth.ticdc_open import compare
from harness.wire.framing import frame_keys, frame_values
from tests.vectors import SUBSET, Vector, full_truth, lines

COMMITTED = [v for path in sorted(SUBSET.glob("*.jsonl")) for v in lines(path)]
OPEN = [vector for vector in COMMITTED if kind_of(vector) == "open"]
ALL = full_truth()
PATHS = sorted(ALL.glob("open_*.jsonl")) if ALL else []


@pytest.mark.parametrize("vector", OPEN, ids=lambda vector: vector["id"])
def test_committed_vector(vector: Vector) -> None:
    """Given a vector's input, our messages are the vendor's, byte for byte; its messages decode."""
    assert guarded(compare, vector).differences == ()


@pytest.mark.skipif(ALL is None, reason="CDC_TRUTH_DIR does not name the vectors")
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_all_vectors(path: Path) -> None:
    """Given any vector's input, our messages are the vendor's, byte for byte."""
    said = [guarded(compare, vector) for vector in lines(path)]
    assert said
    assert [result for result in said if result.differences] == []


@pytest.mark.parametrize("vector", OPEN, ids=lambda vector: vector["id"])
def test_texts_are_all_of_the_bytes(vector: Vector) -> None:
    """The decoded events' own texts, framed again, are the vendor's message."""
    wire = bind({}, "current")
    for event in vector["events"]:
        if "key_hex" in event:
            key, value = bytes.fromhex(event["key_hex"]), bytes.fromhex(event["value_hex"])
            decoded = wire.decode(key, value)
            assert frame_keys([each.key_text.encode() for each in decoded]) == key
            assert frame_values([each.value_text.encode() for each in decoded]) == value

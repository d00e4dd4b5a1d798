"""The catalogue against the real TiDB and TiCDC.

The committed subset always runs; all vectors run when `CDC_TRUTH_DIR` names their directory.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.ddl.truth import Score, judge, vectors

SUBSET = Path(__file__).parents[2] / "golden" / "truth" / "ticdc" / "ddl.jsonl"
ROOT = os.environ.get("CDC_TRUTH_DIR")
ALL = sorted(Path(ROOT, "ticdc").glob("*.jsonl")) if ROOT else []


@pytest.mark.parametrize("vector", list(vectors(SUBSET)), ids=lambda vector: vector["id"])
def test_the_subset_comes_out_as_on_tidb(vector: dict[str, object]) -> None:
    """Jobs, sent text, type codes, flags and handle equal what the real encoders were given."""
    scores = {"ddl": Score(), "rows": Score()}
    judge(vector, scores)
    assert [*scores["ddl"].wrong, *scores["rows"].wrong] == []
    assert scores["ddl"].total + scores["rows"].total > 0


@pytest.mark.skipif(not ALL, reason="CDC_TRUTH_DIR does not name the vectors")
@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_every_vector_comes_out_as_on_tidb(path: Path, record_property: object) -> None:
    """All DDL parses; all jobs, texts, codes, flags and handles are equal."""
    scores = {"ddl": Score(), "rows": Score()}
    for vector in vectors(path):
        judge(vector, scores)
    for name, score in scores.items():
        if callable(record_property):
            record_property(f"{name} equal/total", f"{score.equal}/{score.total}")
    assert [*scores["ddl"].wrong, *scores["rows"].wrong] == []

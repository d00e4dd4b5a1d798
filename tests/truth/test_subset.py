"""What vendors' own encoders emitted is what ours emit, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.truth.read import vector_files
from harness.truth.run import compare_files
from tests.truth.vectors import ALL, FILES, named

SUBSET_BYTES_MAX = 1_500_000
FULL = vector_files(ALL) if ALL is not None else ()


def unequal(path: Path) -> list[str]:
    """Return the first difference of each vector of a file that is not equal, or not compared."""
    (report,) = compare_files([path])
    wrong = [f"{d.line} {d.result.id}: {d.result.differences[0]}" for d in report.differing]
    return wrong + [f"{one.line} {one.id}: {one.reason}" for one in report.not_compared]


@pytest.mark.parametrize("path", FILES, ids=named)
def test_committed_file(path: Path) -> None:
    """Every vector of the committed subset comes out equal."""
    assert unequal(path) == []


@pytest.mark.skipif(ALL is None, reason="CDC_TRUTH_DIR does not name the vectors")
@pytest.mark.parametrize("path", FULL, ids=named)
def test_whole_file(path: Path) -> None:
    """Every vector there is comes out equal."""
    assert unequal(path) == []


def test_the_subset_stays_small() -> None:
    """The subset ships with the package: it is a sample, not the whole."""
    assert sum(path.stat().st_size for path in FILES) < SUBSET_BYTES_MAX

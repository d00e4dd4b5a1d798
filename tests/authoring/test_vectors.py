"""The vendors' own SQL, recorded on the embedded database, gives the vendors' bytes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.authoring.recording import embedded_upstream
from harness.authoring.vectors import EXCEPTED, VectorRecorder, dml_of, recording
from harness.record.lasting import lasting
from harness.truth.exceptions import EXCEPTIONS
from harness.truth.kinds import COMPARISONS
from harness.truth.run import FileReport, compare_files
from tests.truth.vectors import ALL, FILES, vector, vector_files, written

pytestmark = pytest.mark.services

CHANGES_ROWS = re.compile(r'"(?:insert|replace|update|delete)\b', re.IGNORECASE)


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VectorRecorder]:
    """Run one MariaDB for all vectors."""
    run_dir = tmp_path_factory.mktemp("services")
    with embedded_upstream(run_dir, lambda _: None) as upstream, lasting(upstream) as database:
        yield VectorRecorder(database)


def compared(recorder: VectorRecorder, paths: list[Path]) -> list[FileReport]:
    """Return reports of files of vectors, with rows as the database gives them."""
    comparisons = recording(recorder, COMPARISONS)
    return list(compare_files(paths, comparisons=comparisons, chosen=dml_of))


def unequal(reports: list[FileReport]) -> list[str]:
    """Return the first difference of each vector that is not equal, or was not compared."""
    return [
        *(f"{d.result.id}: {d.result.differences[0]}" for r in reports for d in r.differing),
        *(f"{one.id}: {one.reason}" for r in reports for one in r.not_compared),
    ]


def excepted(reports: list[FileReport]) -> Counter[str]:
    """Return how many vectors each exception left out."""
    return Counter(one.reason for report in reports for one in report.excepted)


def with_rows(paths: list[Path]) -> int:
    """Count the lines whose own SQL, by its first words, changes rows."""
    found = 0
    for path in paths:
        for line in path.read_text(encoding="utf-8").split("\n"):
            data: dict[str, Any] = json.loads(line) if line else {}
            own = json.dumps([data.get("sql"), data.get("dml")])
            found += bool(CHANGES_ROWS.search(own))
    return found


def test_every_kept_vector_records_to_its_bytes(recorder: VectorRecorder) -> None:
    """Each kept vector whose SQL changes rows is recorded to the vendor's bytes, or excepted."""
    reports = compared(recorder, list(FILES))
    assert unequal(reports) == []
    assert sum(report.total for report in reports) == with_rows(list(FILES))
    assert set(excepted(reports)) == set(EXCEPTED)


@pytest.mark.skipif(ALL is None, reason="CDC_TRUTH_DIR does not name the vectors")
def test_every_vector_records_to_its_bytes(recorder: VectorRecorder) -> None:
    """The same for every vector there is."""
    assert ALL is not None
    paths = list(vector_files(ALL))
    reports = compared(recorder, paths)
    assert unequal(reports) == []
    assert sum(report.total for report in reports) == with_rows(paths)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("'12:34:56.789'", "'12:34:56.489'"), ("time)", "time(1))")],
)
def test_other_sql_gives_other_bytes(
    recorder: VectorRecorder, tmp_path: Path, wrong: str, right: str
) -> None:
    """The rows come from the SQL: with another value or type the bytes differ."""
    found = vector("ticdc/open_types.jsonl", "type_time_null/5/open")
    spoilt = json.loads(json.dumps(found).replace(wrong, right))
    assert spoilt != found
    (report,) = compared(recorder, [written(tmp_path / "x.jsonl", [found, spoilt])])
    assert (report.equal, len(report.differing)) == (1, 1)


def test_exceptions_are_in_the_table() -> None:
    """Each reason for leaving a recorded vector out is one of truth's exceptions."""
    assert set(EXCEPTED) <= set(EXCEPTIONS)

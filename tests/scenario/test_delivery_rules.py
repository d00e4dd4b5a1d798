"""Which protocols a disturbance has to fit: those in which its variant is left to run."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import ScenarioError
from harness.scenario.load import load

TEXT = """\
id: a
title: A case
clauses: [open.row.insert]
matrix: {matrix}
databases: [shop]
upstream:
  - ddl: CREATE TABLE shop.t (id INT PRIMARY KEY)
  - transaction: {{name: one, sql: INSERT INTO shop.t VALUES (1)}}
delivery:
  joined:
    - rebatch: {{events: 2}}
      {permission}
expect: {{tables: {{shop.t: [{{id: 1}}]}}}}
"""
BOTH = "{protocol: [open, avro]}"
OPEN_ONLY = "{protocol: [open, avro], exclude: [{protocol: avro, delivery: joined}]}"
BATCH = "allowed-by: {open: open.frame.batch}"


def problems(root: Path, matrix: str, permission: str) -> list[str]:
    """Return what is wrong with a scenario."""
    path = root / "a.yaml"
    path.write_text(TEXT.format(matrix=matrix, permission=permission), encoding="utf-8")
    try:
        load(path, root)
    except ScenarioError as error:
        return [problem.what for problem in error.problems]
    return []


@pytest.mark.parametrize(
    ("matrix", "permission", "expected"),
    [
        (OPEN_ONLY, BATCH, []),
        (OPEN_ONLY, "seen-in: https://example.org/1", []),
        (
            BOTH,
            BATCH,
            [
                "`rebatch` makes no sense in the protocol `avro`",
                "no clause allows this in the protocol `avro`",
            ],
        ),
        (OPEN_ONLY, "hostile: true", ["`rebatch` is allowed in the protocol `open`"]),
        (
            OPEN_ONLY,
            "allowed-by: {open: open.frame.alone}",
            ["the clause `open.frame.alone` does not permit `rebatch`"],
        ),
    ],
)
def test_a_fault_fits_where_it_is_run(
    matrix: str, permission: str, expected: list[str], tmp_path: Path
) -> None:
    """A protocol that the matrix excludes for the variant need not allow it."""
    assert problems(tmp_path, matrix, permission) == expected

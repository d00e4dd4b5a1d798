"""The alarm test: one wrong value in the Spark consumer's decoding, and the whole chain notices."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = Path("cdc_spark/open/values.py")
RIGHT = "            row[name] = value\n"
ONE = "dml.no-net-change"
WRONG = RIGHT.replace("= value", "= value if value != 9 else 10")


def test_one_wrong_value_is_found_with_its_clause_and_its_record(tmp_path: Path) -> None:
    """A consumer that reads one 9 as 10 fails: column, clause, record, line and repeat command."""
    for package in ("harness", "cdc_spark"):
        shutil.copytree(ROOT / package, tmp_path / package)
    source = (tmp_path / COLUMNS).read_text(encoding="utf-8")
    assert source.count(RIGHT) == 1
    (tmp_path / COLUMNS).write_text(source.replace(RIGHT, WRONG), encoding="utf-8")
    roots = ["--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden")]
    done = subprocess.run(
        [sys.executable, "-m", "harness", "certify", "spark", "-k", ONE, *roots],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FAIL dml.no-net-change[open,p1]" in done.stdout
    assert "shop.cart.n of id=4 is 10, not 9" in done.stdout
    assert "clause      open.type.int (MUST, document)" in done.stdout
    assert "no-net-change.yaml:29" in done.stdout
    assert "ticdc/0@2: insert shop.cart id=4 of transaction twice" in done.stdout
    assert "harness certify spark -k 'dml.no-net-change[open,p1]'" in done.stdout
    last = done.stdout.rstrip().splitlines()[-1]
    assert last.startswith("passed 0 / applicable 1 / total 1 (")

"""The author's loop on real parts: from SQL to a certified scenario, with reports for CI."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

pytestmark = pytest.mark.services

ROOT = Path(__file__).resolve().parents[2]
SQL = """\
USE shop;
CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20));
INSERT INTO t VALUES (1, 'tea'), (2, 'milk; \\"or\\" 😀');
BEGIN;
UPDATE t SET a = 3 WHERE a = 2;
DELETE FROM t WHERE a = 1;
COMMIT;
"""
ROWS = """shop.t: [{a: 3, b: 'milk; "or" 😀'}]"""


def harness(here: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command line in a directory."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("CI", None)
    return subprocess.run(
        [sys.executable, "-m", "harness", *arguments],
        cwd=here,
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def test_from_sql_to_a_certificate(tmp_path: Path) -> None:
    """What `new` writes is recorded, accepted, certified and reported, each step with its code."""
    (tmp_path / "a.sql").write_text(SQL, encoding="utf-8")
    file = "scenarios/keys/moved.yaml"
    made = harness(tmp_path, "new", "scenario", file, "--from", "a.sql")
    assert made.returncode == 0, made.stderr
    empty = harness(tmp_path, "record", file)
    assert empty.returncode == 2, empty.stdout
    assert "expect.tables does not hold" in empty.stderr
    assert "nothing was recorded" in empty.stderr
    assert not (tmp_path / "golden").exists()
    path = tmp_path / file
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("shop.t: []", ROWS), encoding="utf-8")
    recorded = harness(tmp_path, "record", file)
    assert recorded.returncode == 0, recorded.stderr
    assert harness(tmp_path, "check").returncode == 0
    reports = ["--ndjson", "e.ndjson", "--junit", "j.xml", "--markdown", "s.md"]
    done = harness(tmp_path, "certify", "reference", *reports)
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    assert last == "passed 2 / applicable 2 / total 2"
    assert ET.parse(tmp_path / "j.xml").getroot().get("tests") == "2"
    assert f"**{last}**" in (tmp_path / "s.md").read_text(encoding="utf-8")
    again = harness(tmp_path, "report", "e.ndjson", "--to", "junit", "-o", "again.xml")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again.xml").read_bytes() == (tmp_path / "j.xml").read_bytes()

"""The Spark consumer in a sandbox: Java, PySpark and their own ports are all it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli.main import main
from harness.errors import SetupError
from harness.runner.sandbox import refuse_where_none_is
from tests.tree import ROOT

pytestmark = pytest.mark.spark

ROOTS = ("--scenarios", str(ROOT / "scenarios"), "--golden", str(ROOT / "golden"))
CASES = "'dml.no-net-change[open,p1]' or 'keys.composite-key-moves[avro,p1]'"


def test_it_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases with and without a registry pass, though homes and other directories are empty."""
    try:
        refuse_where_none_is()
    except SetupError as error:
        pytest.skip(str(error))
    monkeypatch.chdir(tmp_path)
    words = ("--sandbox", "--deadline", "600", "-k", CASES)
    assert main(["certify", "spark", *words, *ROOTS]) == 0

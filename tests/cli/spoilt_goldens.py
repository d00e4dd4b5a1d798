"""A workspace with a copy of one scenario, of which some goldens say something else."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.tree import ROOT

SCENARIO = "dml/no-net-change"
RECORDS = Path("golden", SCENARIO, "open-p1.records.txt")
TABLES = Path("golden", SCENARIO, "open-p1.tables.txt")


def stand_in(directory: Path, monkeypatch: pytest.MonkeyPatch, spoilt: Iterable[Path]) -> None:
    """Go into the directory and copy the scenario there; its `spoilt` goldens are changed."""
    monkeypatch.chdir(directory)
    monkeypatch.delenv("CI", raising=False)
    Path("scenarios", SCENARIO).parent.mkdir(parents=True)
    shutil.copyfile(ROOT / "scenarios" / f"{SCENARIO}.yaml", f"scenarios/{SCENARIO}.yaml")
    shutil.copytree(ROOT / "golden" / SCENARIO, Path("golden", SCENARIO))
    for file in spoilt:
        file.write_text(file.read_text("utf-8").replace("pepper", "peppers"), "utf-8")

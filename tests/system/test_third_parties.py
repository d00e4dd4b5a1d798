"""The adapters of examples/consumers, as far as files alone tell."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pytest

from harness.consumers.commands import Whereabouts
from harness.consumers.manifests.expectations import read_expectations
from harness.consumers.manifests.read import read_manifest

ROOT = Path(__file__).parents[2]
CONSUMERS = ROOT / "examples" / "consumers"
ADAPTERS = tomllib.loads((CONSUMERS / "adapters.toml").read_text(encoding="utf-8"))
MANIFESTS = sorted(
    path for path in CONSUMERS.glob("*/*.yaml") if not path.name.endswith("expectations.yaml")
)


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_manifest_and_its_known_failures_can_be_read(manifest: Path) -> None:
    """A manifest of an adapter is one, and the list that it names is a list."""
    environment = {"PATH": str(Path(sys.executable).parent), "CDC_KAFKA_CONSUMER": "consumer"}
    consumer = read_manifest(str(manifest), Whereabouts(ROOT, environment))
    if consumer.expectations:
        path = Path(consumer.expectations)
        read_expectations(path, path.name, consumer.version, date(2027, 1, 1))


def test_each_adapter_says_its_cases_and_defects() -> None:
    """A defect has an id, a reason, a link, and words to know it by, or why there are none."""
    for name, adapter in ADAPTERS.items():
        assert (CONSUMERS / adapter["manifest"]).is_file(), name
        ids = [defect["id"] for defect in adapter.get("defects", [])]
        assert len(ids) == len(set(ids)), name
        for defect in adapter.get("defects", []):
            assert defect["what"], name
            assert re.match("https?://", defect["link"]), name
            assert defect.get("finding") or defect["silent"], f"{name} {defect['id']}"


def test_adapters_import_nothing_of_the_harness() -> None:
    """A wrapper is a consumer's own code: it knows the contract only."""
    for path in CONSUMERS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "harness" for name in names), path


def test_the_matrix_is_what_the_results_say(tmp_path: Path) -> None:
    """The page and every list of known failures are written from results/, and nothing else."""
    copy = tmp_path / "examples" / "consumers"
    shutil.copytree(CONSUMERS, copy)
    (tmp_path / "docs" / "explanation").mkdir(parents=True)
    subprocess.run([sys.executable, str(copy / "matrix.py"), "write"], check=True)
    written = tmp_path / "docs" / "explanation" / "third-parties.md"
    assert written.read_text() == (ROOT / "docs/explanation/third-parties.md").read_text()
    for known in copy.glob("*/*expectations.yaml"):
        assert known.read_text() == (CONSUMERS / known.relative_to(copy)).read_text(), known

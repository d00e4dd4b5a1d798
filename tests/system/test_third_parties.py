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

from harness.engine.catalogue.choose import also_bundled
from harness.model.events import CaseFinished, RunFinished, RunStarted
from harness.model.finding import Judgement
from harness.report.read import read_events
from harness.runner.commands import Whereabouts
from harness.runner.manifests.expectations import read_expectations
from harness.runner.manifests.read import read_manifest

ROOT = Path(__file__).parents[2]
CONSUMERS = ROOT / "examples" / "consumers"
RESULTS = CONSUMERS / "results"
CATALOGUE = also_bundled(())
DRAWN_MAX = 5 << 19  # characters: what opens at once in a browser
ADAPTERS = tomllib.loads((CONSUMERS / "adapters.toml").read_text(encoding="utf-8"))
MANIFESTS = sorted(
    path for path in CONSUMERS.glob("*/*.yaml") if not path.name.endswith("expectations.yaml")
)


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_manifest_and_its_known_failures_can_be_read(manifest: Path) -> None:
    """A manifest of an adapter is one, and the list that it names is a list."""
    environment = {"PATH": str(Path(sys.executable).parent), "CDC_KAFKA_CONSUMER": "consumer"}
    environment["HARNESS_DATABASE_URL"] = "mysql://root@127.0.0.1/"
    consumer = read_manifest(str(manifest), Whereabouts(ROOT, environment))
    if consumer.expectations:
        path = Path(consumer.expectations)
        read_expectations(path, path.name, consumer.version, date(2027, 1, 1), CATALOGUE)


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


def test_every_defect_of_the_notes_is_sought() -> None:
    """Each defect that trials without a harness had found has an adapter that may show it."""
    found = {defect["id"] for one in ADAPTERS.values() for defect in one.get("defects", [])}
    noted = {f"C{n}" for n in range(1, 17)} | {f"F{n}" for n in range(1, 15)}
    noted |= {f"N{n}" for n in range(1, 10) if n != 4}  # N4 is what mends N1 to N3
    assert noted <= found


def test_each_result_is_one_whole_run() -> None:
    """A result has all cases of its run, counted as the run counted them, with nothing excused."""
    for name in ADAPTERS:
        events = read_events(RESULTS / f"{name}.ndjson")
        cases = [event.verdict for event in events if isinstance(event, CaseFinished)]
        start, end = events[0], events[-1]
        assert isinstance(start, RunStarted), name
        assert isinstance(end, RunFinished), name
        assert start.consumer == name
        assert start.cases == end.total == len(cases), name
        assert end.passed == sum(case.judgement is Judgement.PASS for case in cases), name
        assert not {Judgement.XFAIL, Judgement.XPASS} & {case.judgement for case in cases}, name


def test_each_defect_is_shown_and_expected() -> None:
    """A defect is a known failure of a case; one that no verdict shows is in a case that passes."""
    for name, adapter in ADAPTERS.items():
        events = read_events(RESULTS / f"{name}.ndjson")
        cases = [event.verdict for event in events if isinstance(event, CaseFinished)]
        home = CONSUMERS / Path(adapter["manifest"]).parent
        known = (home / adapter["expectations"]).read_text(encoding="utf-8")
        for defect in adapter.get("defects", []):
            if "silent" in defect:
                judgements = {
                    c.judgement for c in cases if c.case.startswith(defect["passes"] + "[")
                }
                assert judgements == {Judgement.PASS}, f"{name} {defect['id']}"
            else:
                entry = rf'reason: ".*\b{defect["id"]}: '
                assert re.search(entry, known), f"{name} {defect['id']}"


def test_adapters_import_nothing_of_the_harness() -> None:
    """A wrapper is a consumer's own code: it knows the contract only."""
    for path in CONSUMERS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "harness" for name in names), path


def test_the_matrix_is_what_the_results_say(tmp_path: Path) -> None:
    """The page, its HTML, badges and lists of known failures are written from results/ alone."""
    copy = tmp_path / "examples" / "consumers"
    shutil.copytree(CONSUMERS, copy)
    (tmp_path / "docs" / "explanation").mkdir(parents=True)
    subprocess.run([sys.executable, str(copy / "matrix.py"), "write"], check=True, cwd=ROOT)
    drawn = ["matrix.html", *(f"{name}.svg" for name in ADAPTERS)]
    for file in ("third-parties.md", *(f"third-parties/{name}" for name in drawn)):
        written = (tmp_path / "docs" / "explanation" / file).read_text(encoding="utf-8")
        committed = (ROOT / "docs" / "explanation" / file).read_text(encoding="utf-8")
        assert written == committed, f"{file}: run python examples/consumers/matrix.py write"
        assert len(written) < DRAWN_MAX, file
    explained = Path("harness", "report", "explain", "third_parties.json")
    assert (tmp_path / explained).read_text() == (ROOT / explained).read_text()
    for known in copy.glob("*/*expectations.yaml"):
        assert known.read_text() == (CONSUMERS / known.relative_to(copy)).read_text(), known

"""A protocol that another distribution registers is a protocol like ours, in every command.

`installed` is what an environment has of it: the package, and the metadata with its entry point.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.services import Services
from tests.tree import ROOT

HERE = Path(__file__).parent
CONSUMER = "py:sequenced.consumer:consume"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a directory with the scenario and its golden, as its author has it."""
    for name in ("scenarios", "golden"):
        shutil.copytree(HERE / name, tmp_path / name)
    return tmp_path


@pytest.fixture(scope="module")
def services(shared: Callable[..., Services]) -> Services:
    """Return a broker for all tests of this file."""
    return shared("kafka")


def python(project: Path, *words: str, code: int = 0, installed: Path = HERE / "installed") -> str:
    """Return what `python -m` prints where the protocol is installed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HARNESS_")}
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=project,
        env={**kept, "PYTHONPATH": os.pathsep.join([str(installed), str(ROOT)])},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_check(project: Path) -> None:
    """Its scenarios are checked against golden and expectation."""
    assert "4 cases" in python(project, "harness", "check")
    file = project / "scenarios" / "tally.yaml"
    file.write_text(file.read_text("utf-8").replace("name: c}", "name: d}"), "utf-8")
    assert "tally.yaml" in python(project, "harness", "check", code=2)


def test_check_again(project: Path) -> None:
    """What was found sound is checked again when the protocol's own files change."""
    installed = project / "installed"
    shutil.copytree(HERE / "installed", installed)
    assert "no problems" in python(project, "harness", "check", installed=installed)
    code = installed / "sequenced" / "__init__.py"
    code.write_text(code.read_text("utf-8").replace("start=1", "start=2"), "utf-8")
    said = python(project, "harness", "check", installed=installed, code=2)
    assert "golden/tally" in said


def test_settings(project: Path) -> None:
    """A setting that its schema does not have is refused, at its place."""
    file = project / "scenarios" / "tally.yaml"
    text = file.read_text("utf-8").replace(
        "databases:", "settings: {sequenced: {x: 1}}\ndatabases:"
    )
    file.write_text(text, "utf-8")
    assert "tally.yaml:5:" in python(project, "harness", "check", code=2)


def test_preview(project: Path) -> None:
    """Its records are shown in words, and so is what a fault makes of them."""
    assert "update shop.tally {id: 1, name: 'a'}" in python(project, "harness", "preview", "tally")
    shown = python(project, "harness", "preview", "tally", "--delivery", "again")
    assert "allowed by sequenced.repeats" in shown


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (
            "duplicate: {transaction: opened}\n      allowed-by: {sequenced: sequenced.row}",
            "permit",
        ),
        ("replay: {from: opened}\n      allowed-by: {sequenced: sequenced.repeats}", "no sense"),
        ("garbage-value: {transaction: opened}\n      hostile: true", ""),
    ],
)
def test_faults(project: Path, step: str, said: str) -> None:
    """Its permissions decide which faults there are, and by which clause."""
    file = project / "scenarios" / "tally.yaml"
    text = file.read_text("utf-8")
    begin, end = text.index("    - duplicate"), text.index("expect:")
    file.write_text(f"{text[:begin]}    - {step}\n{text[end:]}", "utf-8")
    assert said in python(project, "harness", "check", code=2 if said else 0)


def test_coverage(project: Path) -> None:
    """Its clauses are counted, and every one of them has its scenario."""
    shown = python(project, "harness", "coverage", "--protocol", "sequenced")
    assert "sequenced.repeats" in shown
    assert "MISSING  " not in shown


def test_explain(project: Path) -> None:
    """Its clauses and scenarios are explained like any other."""
    said = python(project, "harness", "explain", "sequenced.repeats", "tally")
    assert "clause sequenced.repeats (MAY)" in said
    assert "scenario tally" in said
    assert "did you mean `sequenced.repeats`" in python(
        project, "harness", "explain", "sequenced.repeat", code=2
    )


def test_generated_pages(project: Path) -> None:
    """The reference pages have it: its own, the clauses', the faults' and the scenario file's."""
    own = python(project, "harness.report.protocol_page", "sequenced")
    assert own.startswith("# Sequenced JSON")
    assert "| `sequenced.…` | 2 of 2 | – | 1 of 1 |" in own
    must = python(project, "harness.report.consumer_page", "sequenced")
    assert must.startswith("# What a consumer must do: Sequenced JSON")
    assert "| `sequenced.repeats` | document | a copy was taken for news" in must
    assert "| `sequenced.repeats` | MAY |" in python(project, "harness.report.clause_page")
    assert "| `sequenced` | allowed-by |" in python(project, "harness.faults.describe")
    assert "`sequenced` is Sequenced JSON" in python(project, "harness.scenario.describe")


@pytest.mark.services
def test_record(project: Path) -> None:
    """Recording it on a real database writes the golden that is kept beside this test."""
    shutil.rmtree(project / "golden")
    python(project, "harness", "record", "--all")
    for kept in (HERE / "golden" / "tally").iterdir():
        assert (project / "golden" / "tally" / kept.name).read_bytes() == kept.read_bytes()


@pytest.mark.services
def test_produce(project: Path, services: Services) -> None:
    """Its records are sent to topics of one's own."""
    where = ("--bootstrap", services.kafka.bootstrap)
    said = python(project, "harness", "produce", "tally", "-k", "'tally[sequenced,p1]'", *where)
    assert "5 records" in said


@pytest.mark.services
@pytest.mark.parametrize("consumer", [CONSUMER, "reference"])
def test_certify(project: Path, consumer: str) -> None:
    """A consumer of ten lines is certified, and so is the reference; the report shows the cases."""
    report = project / "report.html"
    said = python(project, "harness", "certify", consumer, "--html", str(report))
    assert "passed 4 / applicable 4 / total 4" in said
    shown = report.read_text("utf-8")
    assert "tally[sequenced,p2,again]" in shown
    assert "sequenced.repeats" in shown

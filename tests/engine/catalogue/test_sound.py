"""What a check remembers hides nothing: any other byte that it reads is checked again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.engine.catalogue import sound
from harness.engine.catalogue.workspace import Workspace
from tests.tree import ROOT

NAME = "dml/no-net-change"
FILE = Path("scenarios", f"{NAME}.yaml")
HOME = Path("golden", NAME)
LOCK, RECORDS, TABLES = (
    HOME / name for name in ("changes.jsonl", "open-p1.records.txt", "open-p1.tables.txt")
)
STORE = Path(".harness/sound.json")


@pytest.fixture(autouse=True)
def _checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a copy of one scenario that was found sound."""
    monkeypatch.chdir(tmp_path)
    FILE.parent.mkdir(parents=True)
    shutil.copyfile(ROOT / FILE, FILE)
    shutil.copytree(ROOT / HOME, HOME)
    assert main(["check"]) == 0
    assert list(remembered()) == [NAME]


def remembered() -> dict[str, sound.Sound]:
    """Return what is remembered here."""
    return dict(sound.read(space()))


def space() -> Workspace:
    """Return the workspace here."""
    return Workspace(Path(), Path("scenarios"), Path("golden"))


def replaced(path: Path, old: str, new: str) -> Callable[[], object]:
    """Return an edit of a file."""

    def edit() -> None:
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")

    return edit


def test_what_did_not_change_is_not_read_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second check answers the same, by name and for all, without loading a scenario."""
    assert main(["check"]) == 0
    first = capsys.readouterr().out.splitlines()[-1] + "\n"
    monkeypatch.setattr("harness.engine.catalogue.choose.load", None)
    for words in ([], [str(FILE)], ["dml.no-net-change"]):
        assert main(["check", *words]) == 0
        assert capsys.readouterr().out == first


EDITS: dict[str, Callable[[], object]] = {
    "the scenario is no YAML": replaced(FILE, "title:", "title"),
    "the scenario's SQL": replaced(FILE, "pepper", "paprika"),
    "the lock": replaced(LOCK, "pepper", "paprika"),
    "the lock is gone": LOCK.unlink,
    "a golden of records": replaced(RECORDS, "sha256=", "sha256=0"),
    "a golden of tables": replaced(TABLES, "pepper", "paprika"),
    "a golden is gone": TABLES.unlink,
    "a stale golden": lambda: shutil.copyfile(TABLES, HOME / "open-p9.tables.txt"),
    "goldens of nobody": lambda: shutil.copytree(HOME, "golden/nobody"),
    "another file is no scenario": lambda: FILE.with_name("other.yaml").write_text(
        "id: 1", "utf-8"
    ),
    "another file has the same id": lambda: shutil.copyfile(
        FILE, Path("scenarios", "dml.no-net-change.yaml")
    ),
    "another file is misnamed": lambda: FILE.with_name("other.yml").touch(),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_problem_is_reported_however_it_came_about(name: str) -> None:
    """Each input that is edited for the worse fails the check, and again in the check after."""
    EDITS[name]()
    assert main(["check"]) == 2
    assert main(["check"]) == 2


def test_a_problem_that_is_mended_is_gone(capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is as it was is sound as it was."""
    text = TABLES.read_text("utf-8")
    TABLES.write_text("", "utf-8")
    assert main(["check"]) == 2
    TABLES.write_text(text, "utf-8")
    assert main(["check"]) == 0
    assert capsys.readouterr().out.endswith("no problems\n")


@pytest.mark.parametrize("changed", ["harness", "installed"])
def test_another_harness_checks_again(
    changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed file of the harness, or another version of a dependency, is another digest."""
    package, site = tmp_path / "package", tmp_path / "site"
    package.mkdir()
    site.mkdir()
    (package / "code.py").touch()
    (site / "lib-1.dist-info").mkdir()
    monkeypatch.setattr(sound, "PACKAGE", package)
    monkeypatch.syspath_prepend(site)
    named = sound.files(space())
    assert named is not None
    before = sound.digests(space(), named)
    assert before == sound.digests(space(), named)
    if changed == "harness":
        (package / "code.py").write_text("pass", "utf-8")
    else:
        (site / "lib-1.dist-info").rename(site / "lib-2.dist-info")
    assert before.keys() == sound.digests(space(), named).keys()
    assert before[NAME] != sound.digests(space(), named)[NAME]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b'{"dml/no-net-change": 1}',
        b'{"dml/no-net-change": {"digest": 1, "cases": 1, "records": 1}}',
        b'{"dml/no-net-change": {}}',
    ],
)
def test_what_cannot_be_read_is_nothing(content: bytes) -> None:
    """A damaged memory is no memory, and is written anew."""
    STORE.write_bytes(content)
    assert remembered() == {}
    assert main(["check"]) == 0
    assert list(remembered()) == [NAME]


def test_nothing_is_remembered_where_nobody_asked(tmp_path: Path) -> None:
    """Scenarios from elsewhere leave nothing behind here; what cannot be written is left out."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    sound.remember(Workspace(elsewhere, tmp_path / "scenarios", tmp_path / "golden"), remembered())
    assert not list(elsewhere.iterdir())
    STORE.unlink()
    STORE.mkdir()
    assert main(["check"]) == 0
    STORE.rmdir()
    assert main(["check", "--no-cache"]) == 0
    assert not STORE.exists()


def test_what_is_no_longer_there_is_forgotten() -> None:
    """The memory holds scenarios that exist, and no scratch file stays beside it."""
    known = json.loads(STORE.read_bytes())
    STORE.write_text(json.dumps({**known, "gone": known[NAME]}), "utf-8")
    sound.remember(space(), remembered())
    assert list(remembered()) == [NAME]
    assert {path.name for path in STORE.parent.iterdir()} == {".gitignore", STORE.name}


def test_no_cache_checks_all() -> None:
    """`--no-cache` plans what is remembered too."""
    known = remembered()
    TABLES.write_text("", "utf-8")
    now = sound.digests(space(), sound.files(space()) or {})
    sound.remember(space(), {NAME: sound.Sound(now[NAME], known[NAME].cases, 1)})
    assert main(["check"]) == 0
    assert main(["check", "--no-cache"]) == 2


@pytest.mark.parametrize("path", [LOCK, RECORDS, TABLES], ids=lambda path: path.name)
def test_a_missing_golden_is_refused_before_anything_is_started(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody waits for services to learn that a file of the scenario is not there."""
    monkeypatch.setattr("harness.engine.pipeline.with_services", None)
    path.unlink()
    assert main(["certify", "reference"]) == 2
    assert str(path) in capsys.readouterr().err

"""The database driver is an extra: who lacks it is told how to get it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.database.driver import connector, require_recording
from harness.errors import SetupError


def test_the_driver_is_the_real_one() -> None:
    """What comes back can connect."""
    assert callable(connector().connect)


def test_a_missing_driver_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra the message says what to install, and no traceback."""
    monkeypatch.setitem(sys.modules, "mysql", None)
    monkeypatch.delitem(sys.modules, "mysql.connector", raising=False)
    with pytest.raises(SetupError) as caught:
        connector()
    assert "cdc-conformance[upstream]" in caught.value.hint


@pytest.mark.parametrize("missing", ["mysql", "pymysqlreplication"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["record", "keys.moved"],
        ["new", "scenario", "keys.moved", "--from", "binlog.1"],
        ["truth", "vectors", "--record"],
        ["fuzz"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_who_reads_changes_is_told_of_either(
    missing: str,
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A command that reads what a database did names the package that lacks, and its extra."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "a.jsonl").touch()
    (tmp_path / "binlog.1").write_bytes(b"\xfebin")
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, "mysql.connector", raising=False)
    assert main(arguments) == 3
    error = capsys.readouterr().err
    assert "which is not installed" in error
    assert "cdc-conformance[upstream]" in error


def test_recording_is_possible_here() -> None:
    """Nothing is refused where the extra is installed."""
    require_recording()

"""`harness diff --records` compares what `harness golden digest` printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cli.main import main


def test_the_same_files_have_the_same_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Digests are the same each time, one line a case; a changed one is named, with exit 1."""
    assert main(["golden", "digest", "dml.no-net-change"]) == 0
    printed = capsys.readouterr().out
    before, after = tmp_path / "before", tmp_path / "after"
    before.write_text(printed, "utf-8")
    after.write_text(printed, "utf-8")
    assert main(["diff", "--records", str(before), str(after)]) == 0
    assert capsys.readouterr().out.endswith("0 differ\n")
    first, *others = printed.splitlines()
    changed = {**json.loads(first), "sent value": "another"}
    after.write_text("\n".join([json.dumps(changed), *others]), "utf-8")
    assert main(["diff", "--records", str(before), str(after), "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "before": len(others) + 1,
        "after": len(others) + 1,
        "differing": {changed["case"]: ["sent value"]},
    }


def test_other_files_are_the_users_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that holds no digests, or that is not there, is named; exit 2."""
    text = tmp_path / "text"
    text.write_text("text", "utf-8")
    for name in (str(text), str(tmp_path / "none")):
        assert main(["diff", "--records", name, name]) == 2
        assert name in capsys.readouterr().err

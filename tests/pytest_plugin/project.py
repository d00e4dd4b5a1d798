"""A project directory that uses the plugin, and the two ways to run pytest in it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ("-p", "harness.pytest_plugin", "-p", "no:randomly", "-p", "no:cacheprovider")

# A consumer that answers every changefeed with the status that is left out here.
CONSUMER = """
    import json, os, pathlib, sys, time

    def consume(job):
        for feed in job["changefeeds"]:
            out = pathlib.Path(job["out_dir"], feed["dir"], "status.json")
            out.write_text(json.dumps({status}))

    if __name__ == "__main__":
        consume(json.loads(pathlib.Path(os.environ["HARNESS_JOB"]).read_text()))
"""


class Project:
    """One project; `path` is its root directory."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        """Take pytester's directory."""
        self.pytester = pytester
        self.monkeypatch = monkeypatch
        self.path = pytester.path
        self.write("pytest.ini", "[pytest]\naddopts = --strict-markers --strict-config\n")

    def write(self, name: str, text: str) -> Path:
        """Write a file, directories included."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
        return path

    def scenarios(self, *names: str) -> None:
        """Copy scenarios of ours with what was recorded for them."""
        for name in names:
            file = self.path / "scenarios" / f"{name}.yaml"
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / "scenarios" / f"{name}.yaml", file)
            shutil.copytree(ROOT / "golden" / name, self.path / "golden" / name)

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text that occurs in a file once at least."""
        path = self.path / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def consumer(self, status: str) -> str:
        """Write a consumer that only says a status; return the target that names it."""
        self.write("consumer.py", CONSUMER.replace("{status}", status))
        return f"exec:{sys.executable} ./consumer.py"

    def inside(self, *arguments: str) -> pytest.RunResult:
        """Run pytest in this process: for sessions that start nothing."""
        return self.pytester.runpytest_inprocess(*PLUGIN, *arguments)

    def outside(self, *arguments: str) -> pytest.RunResult:
        """Run pytest in a process of its own."""
        given = os.environ.get("PYTHONPATH", "")
        self.monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT), given])))
        return self.pytester.runpytest_subprocess(*PLUGIN, *arguments, timeout=180)

    def runs(self, pattern: str) -> list[Path]:
        """Return files of the project's runs, by a pattern below the session's directory."""
        return sorted((self.path / ".harness" / "runs").glob(f"pytest-*/{pattern}"))

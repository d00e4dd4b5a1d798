"""Each scaffold does what its README says: the commands there build it, and it is certified."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from harness.authoring.new_consumer import ScaffoldOptions, create
from harness.scaffolds import OFFERED

pytestmark = pytest.mark.scaffolds
ROOT = Path(__file__).parents[2]
# Language -> the tools without which nobody builds it.
TOOLS: Mapping[str, tuple[str, ...]] = {
    "python": (),
    "spark": ("java",),
    "node": ("node", "npm"),
    "go": ("go",),
    "java": ("java", "mvn"),
}
LIMIT_S = 1200
CERTIFY = "harness certify ./consumer.yaml"


def commands(readme: str) -> str:
    """Return the README's commands, up to the first that certifies."""
    (block,) = re.findall(r"```console\n(.*?)```", readme, re.DOTALL)
    lines = block.splitlines()
    (first, *_) = [n for n, line in enumerate(lines) if line.startswith(CERTIFY)]
    return "\n".join(lines[: first + 1])


def environment(tools: Path) -> dict[str, str]:
    """Return ours, with this checkout's `harness` and its interpreter as `python3` on the PATH."""
    tools.mkdir()
    for name, meant in (("harness", f"{sys.executable} -m harness"), ("python3", sys.executable)):
        command = tools / name
        command.write_text(f'#!/bin/sh\nexec {meant} "$@"\n', encoding="utf-8")
        command.chmod(0o755)
    path = os.pathsep.join([str(tools), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}


@pytest.mark.parametrize(
    ("language", "protocol"),
    [(language, name) for language, names in OFFERED.items() for name in names],
)
def test_the_readme_leads_to_a_certificate(language: str, protocol: str, tmp_path: Path) -> None:
    """Whoever follows the README has a consumer that passes every case that it claims to take."""
    missing = [tool for tool in TOOLS[language] if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"{language} needs {', '.join(missing)} on the PATH")
    directory = tmp_path / "teas-2"
    create(ScaffoldOptions(language, protocol, directory))
    script = commands((directory / "README.md").read_text(encoding="utf-8"))
    ended = subprocess.run(
        ["bash", "-ec", script],
        cwd=directory,
        env=environment(tmp_path / "tools"),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (passed, applicable) = re.findall(r"passed (\d+) / applicable (\d+) / total", ended.stdout)[-1]
    assert passed == applicable
    assert int(applicable) > 50

"""`python examples/consumers/fetch.py [ADAPTER...]`: fetch what the adapters run, verified.

Each adapter's folder pins its dependencies in the form of their own world, with hashes:
`jars.lock` (Maven), `requirements.txt` (pip), `package-lock.json` (npm). They go to
`~/.cache/cdc-third-parties/<folder>`, never into the checkout. What is there already is kept.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable
from pathlib import Path

from adapter import HOME

HERE = Path(__file__).parent
MIRROR = os.environ.get("HARNESS_MAVEN_MIRROR", "https://repo1.maven.org/maven2")
TIMEOUT_S = 60.0


def jars(lock: Path, home: Path) -> None:
    """Download the jars of a lock; a line is `<sha256> <folder> <group>:<name>:<version>`."""
    for line in lock.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        sha256, folder, coordinates = line.split()
        group, name, version = coordinates.split(":")
        file = home / folder / f"{name}-{version}.jar"
        if file.is_file() and _sha256(file.read_bytes()) == sha256:
            continue
        path = f"{group.replace('.', '/')}/{name}/{version}/{file.name}"
        content = _get(path)
        if _sha256(content) != sha256:
            sys.exit(f"{path}: the sha256 is {_sha256(content)}, {lock} has {sha256}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def python(lock: Path, home: Path) -> None:
    """Make a virtual environment of exactly the locked packages, unless it is there."""
    venv, stamp = home / "venv", home / "venv" / "locked.sha256"
    wanted = _sha256(lock.read_bytes())
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    shutil.rmtree(venv, ignore_errors=True)
    _run(sys.executable, "-m", "venv", str(venv))
    pip = (str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet")
    _run(*pip, "--require-hashes", "--no-deps", "-r", str(lock))
    stamp.write_text(wanted)


def node(lock: Path, home: Path) -> None:
    """Install exactly the locked packages, unless they are there; none runs a script of its own."""
    stamp, wanted = home / "node_modules" / "locked.sha256", _sha256(lock.read_bytes())
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    home.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(lock.parent / name, home / name)
    _run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", at=home)
    stamp.write_text(wanted)


WAYS: dict[str, Callable[[Path, Path], None]] = {
    "jars.lock": jars,
    "requirements.txt": python,
    "package-lock.json": node,
}


def main(names: list[str]) -> None:
    """Fetch for the adapters of those names, or for all; several share what a folder pins."""
    known = {lock.parent.name for way in WAYS for lock in HERE.glob(f"*/{way}")}
    adapters = tomllib.loads((HERE / "adapters.toml").read_text(encoding="utf-8"))
    folders = {name: Path(one["manifest"]).parent.name for name, one in adapters.items()}
    wanted = {folders.get(name, name) for name in names} or known
    for name in sorted(wanted):
        if name not in known and name in folders.values():
            print(f"{name}: nothing to fetch; its README says what it needs", flush=True)
            continue
        if name not in known:
            choices = ", ".join(sorted({*known, *folders}))
            sys.exit(f"{name} has nothing to fetch; these have: {choices}")
        for way, fetch in WAYS.items():
            if (HERE / name / way).is_file():
                print(f"{name}: {way}", flush=True)
                fetch(HERE / name / way, HOME / name)


def _get(path: str) -> bytes:
    local = Path.home() / ".m2" / "repository" / path
    if local.is_file():
        return local.read_bytes()
    with urllib.request.urlopen(f"{MIRROR}/{path}", timeout=TIMEOUT_S) as answer:
        content: bytes = answer.read()
    return content


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _run(*words: str, at: Path | None = None) -> None:
    if subprocess.run(words, cwd=at, check=False).returncode:
        sys.exit(f"failed: {' '.join(words)}")


if __name__ == "__main__":
    main(sys.argv[1:])

"""An oracle's plugins: what their jars forget to announce is announced beside them."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.oracles.jars import SHIM, Jars
from harness.services import fill_cache
from harness.services.artifacts import LOCK as SERVICES
from harness.services.artifacts import read

TRANSFORMATION = "org.apache.kafka.connect.transforms.Transformation"
INTERFACE = f"META-INF/services/{TRANSFORMATION}"


@pytest.fixture
def jars(tmp_path: Path) -> Jars:
    """Return the jars of a lock with one artifact, which lies in the cache already."""
    cache = tmp_path / "cache"
    file = cache / "maven" / "a" / "b" / "1" / "b-1.jar"
    file.parent.mkdir(parents=True)
    with zipfile.ZipFile(file, "w") as jar:
        jar.writestr("a/Kept.class", b"")
        jar.writestr("a/Other.class", b"")
    content = file.read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    lock = tmp_path / "jars.lock"
    lock.write_text(
        "[plugin]\nartifacts = [\n"
        f'{{coordinates = "a:b:1", size = {len(content)}, sha256 = "{sha256}"}},\n]\n'
    )
    nowhere = {"HARNESS_CACHE_DIR": str(cache), "HARNESS_MAVEN_MIRROR": "http://127.0.0.1:1"}
    return Jars(lock, lambda _: None, nowhere)


def announced(directory: Path) -> str:
    """Return what a plugin's further jar announces."""
    with zipfile.ZipFile(directory / SHIM) as shim:
        return shim.read(INTERFACE).decode()


def test_what_a_release_has_is_announced_and_no_more(jars: Jars) -> None:
    """A class that another release brings is left out: a worker would stumble over its name."""
    found = jars.directory("plugin", {TRANSFORMATION: ("a.Kept", "a.Later")})
    assert announced(found) == "a.Kept\n"
    assert {one.name for one in found.iterdir()} == {"b-1.jar", SHIM}


def test_a_longer_list_is_announced_too(jars: Jars) -> None:
    """What was prepared for one list is not taken for another."""
    assert announced(jars.directory("plugin", {TRANSFORMATION: ("a.Kept",)})) == "a.Kept\n"
    both = jars.directory("plugin", {TRANSFORMATION: ("a.Kept", "a.Other")})
    assert announced(both) == "a.Kept\na.Other\n"
    assert not (jars.directory("plugin") / SHIM).exists()


@pytest.mark.services
def test_what_oracles_need_is_fetched_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cache with all that services need is whole without `--oracles`, and not with it."""
    filled = fill_cache(on_event=lambda _: None)
    cache = tmp_path / "cache"
    for path in {one.path for group in read(SERVICES).values() for one in group}:
        there = filled / "maven" / path
        if there.exists():
            here = cache / "maven" / path
            here.parent.mkdir(parents=True, exist_ok=True)
            here.symlink_to(there)
    monkeypatch.setenv("HARNESS_CACHE_DIR", str(cache))
    monkeypatch.setenv("HARNESS_MAVEN_MIRROR", "http://127.0.0.1:1")
    assert main(["services", "fetch"]) == 0
    assert main(["services", "fetch", "--oracles"]) == 3
    said = capsys.readouterr().err
    assert "cannot download" in said
    assert "`--oracles`" in said

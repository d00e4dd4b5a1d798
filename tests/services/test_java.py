"""Which Java is taken, and what is said when none will do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.errors import SetupError
from harness.services.java import FIT, feature_release, find_java


def install(root: Path, version: str, *, release: bool = True, modules: str = "") -> Path:
    """Make something that looks like a JDK: with a `release` file, or able to say its version."""
    binary = root / "bin" / "java"
    binary.parent.mkdir(parents=True)
    binary.write_text(
        f'#!/bin/sh\nprintf "    java.home = %s\\n    java.version = {version}\\n" "{root}" >&2\n'
    )
    binary.chmod(0o755)
    if release:
        (root / "release").write_text(
            f'IMPLEMENTOR="X"\nJAVA_VERSION="{version}"\nOS_NAME="Linux"\n'
            + (f'MODULES="{modules}"\n' if modules else "")
        )
    return root


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("17.0.15", 17),
        ("21", 21),
        ("25-ea", 25),
        ("24.0.1+9", 24),
        ("1.8.0_402", 8),
        ("11.0.23.1", 11),
        ("nonsense", 0),
        ("", 0),
    ],
)
def test_versions_are_read(version: str, release: int) -> None:
    """Old and new version schemes give the feature release."""
    assert feature_release(version) == release


def test_java_home_comes_before_path(tmp_path: Path) -> None:
    """With two fit ones, JAVA_HOME's is taken."""
    home, other = install(tmp_path / "a", "21.0.1"), install(tmp_path / "b", "17.0.1")
    env = {"JAVA_HOME": str(home), "PATH": str(other / "bin")}
    java = find_java("spark", env)
    assert (java.home, java.version, java.major) == (home, "21.0.1", 21)
    assert java.executable == home / "bin" / "java"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter every directory")
def test_directories_that_may_not_be_entered_are_passed_over(tmp_path: Path) -> None:
    """A PATH with somebody else's private directory is no reason to fail."""
    (tmp_path / "private").mkdir(mode=0)
    home = install(tmp_path / "jdk", "17.0.9")
    env = {"PATH": f"{tmp_path / 'private'}:{home / 'bin'}"}
    assert find_java("kafka", env).home == home


def test_a_java_that_lacks_what_spark_adds_is_named(tmp_path: Path) -> None:
    """A cut-down Java runs Kafka; for Spark it is passed over, or named with what it lacks."""
    home = install(tmp_path / "a", "21.0.8", modules="java.base java.sql")
    whole = install(tmp_path / "b", "17.0.1", modules="java.base jdk.incubator.vector")
    env = {"JAVA_HOME": str(home), "PATH": str(whole / "bin")}
    assert (find_java("kafka", env).home, find_java("spark", env).home) == (home, whole)
    with pytest.raises(
        SetupError, match=r"21\.0\.8 in .* without the module jdk\.incubator\.vector"
    ):
        find_java("spark", {"JAVA_HOME": str(home), "PATH": ""})


def test_an_unfit_java_home_is_passed_over(tmp_path: Path) -> None:
    """What is unfit in JAVA_HOME does not hide what is fit on PATH."""
    home, other = install(tmp_path / "a", "11.0.2"), install(tmp_path / "b", "17.0.1")
    env = {"JAVA_HOME": str(home), "PATH": f"/nowhere:{other / 'bin'}"}
    assert find_java("kafka", env).home == other


def test_a_java_without_release_file_is_asked(tmp_path: Path) -> None:
    """Some distributions ship none; then the command says home and version itself."""
    home = install(tmp_path / "a", "17.0.9", release=False)
    assert find_java("kafka", {"PATH": str(home / "bin")}).version == "17.0.9"


def test_a_link_leads_to_its_home(tmp_path: Path) -> None:
    """`/usr/bin/java` is a link almost everywhere; the home is where it leads."""
    home = install(tmp_path / "jdk", "17.0.9")
    (tmp_path / "usr").mkdir()
    (tmp_path / "usr" / "java").symlink_to(home / "bin" / "java")
    assert find_java("kafka", {"PATH": str(tmp_path / "usr")}).home == home


@pytest.mark.parametrize(
    ("for_", "version"), [("kafka", "11.0.2"), ("spark", "25"), ("spark", "18")]
)
def test_an_unfit_java_is_named(tmp_path: Path, for_: str, version: str) -> None:
    """The error tells the version found, where, and which ones fit."""
    home = install(tmp_path / "jdk", version)
    with pytest.raises(SetupError) as caught:
        find_java(for_, {"JAVA_HOME": str(home), "PATH": str(home / "bin")})
    message = str(caught.value)
    assert f"{version} in {home}" in message
    assert message.count(str(home)) == 1
    assert {"kafka": "17 to 25", "spark": "17 or 21"}[for_] in message


def test_no_java_at_all(tmp_path: Path) -> None:
    """Nothing anywhere: said so, with what to install."""
    with pytest.raises(SetupError, match="Java was not found") as caught:
        find_java("kafka", {"PATH": str(tmp_path)})
    assert "install a JDK" in str(caught.value)


def test_a_java_home_that_is_none_is_named(tmp_path: Path) -> None:
    """A stale JAVA_HOME and a command that fails are both told, not skipped in silence."""
    broken = tmp_path / "bin"
    broken.mkdir()
    (broken / "java").write_text("#!/bin/sh\nexit 1\n")
    (broken / "java").chmod(0o755)
    with pytest.raises(SetupError) as caught:
        find_java("kafka", {"JAVA_HOME": str(tmp_path / "gone"), "PATH": str(broken)})
    assert str(tmp_path / "gone") in str(caught.value)
    assert str(broken / "java") in str(caught.value)


def test_spark_s_releases_are_kafka_s_too() -> None:
    """The one Java that the README asks for must do for both."""
    assert FIT["spark"] <= FIT["kafka"]

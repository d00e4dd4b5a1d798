"""The releases of Spark that have jars: chosen by the PySpark that is installed, or by name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.errors import SetupError, UsageError
from harness.services import sparks
from harness.services.artifacts import LOCK, read
from harness.services.spark_python import spark_python

USAGE = 2


@pytest.mark.parametrize("release", sparks.RELEASES)
def test_each_release_has_jars_of_its_own_version(release: str) -> None:
    """The connector is of the release, and Delta of the Scala that the release is built with."""
    groups = read(LOCK)
    scala = sparks.RELEASES[release].scala
    connectors = {one.name: one.version for one in groups[f"spark-{release}"]}
    assert connectors[f"spark-sql-kafka-0-10_{scala}"] == release
    assert connectors[f"spark-token-provider-kafka-0-10_{scala}"] == release
    assert all(
        one.name.endswith(f"_{scala}") for one in groups[f"delta-{release}"] if "_2." in one.name
    )


def test_jars_follow_the_installed_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for one of the kinds gets the jars that fit; other groups are left alone."""
    for release in sparks.RELEASES:
        monkeypatch.setattr(sparks, "installed", lambda found=release: found)
        assert [sparks.group(kind) for kind in (*sparks.KINDS, "kafka")] == [
            f"spark-{release}",
            f"delta-{release}",
            f"iceberg-{release}",
            "kafka",
        ]


def test_a_pyspark_without_jars_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jars of another version would fail somewhere inside Spark."""
    monkeypatch.setattr(sparks, "installed", lambda: "4.0.2")
    with pytest.raises(SetupError, match=r"PySpark 4\.0\.2 is installed, and the lock has no jars"):
        sparks.group("spark")
    with pytest.raises(UsageError, match=r"there are no jars for Spark 4\.0\.2"):
        sparks.known("4.0.2")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["spark", "--spark", "5"], "there are no jars for Spark 5"),
        (["spark", "--spark", "4.0.0", "--spark-remote", "sc://h:1"], "which has its own release"),
        (["reference", "--spark", "4.0.0"], "no such option for reference"),
    ],
)
def test_a_release_that_cannot_be_chosen_is_refused(
    options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error says what was expected, before anything starts."""
    assert main(["certify", *options]) == USAGE
    assert sentence in capsys.readouterr().err


def test_an_environment_that_cannot_be_made_is_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the installer said is in the error, and the next run tries again from the start."""
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_RETRIES", "0")
    env = {"HARNESS_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(2):
        with pytest.raises(SetupError, match=r"PySpark 3\.5\.7 cannot be made: .*pip") as caught:
            spark_python("3.5.7", Path(sys.prefix), on_event=lambda _: None, env=env)
        assert "No matching distribution found" in str(caught.value)

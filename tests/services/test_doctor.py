"""The doctor looks at everything, and its exit code says whether a run can start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from harness.services.ports import free_ports
from tests.tree import ROOT

pytestmark = pytest.mark.services

ALWAYS = {"python", "java:kafka", "java:spark", "pyspark", "disk", "memory", "loopback", "docker"}
SERVICES = {"kafka", "registry", "mariadb"}


def doctor(tmp_path: Path, *options: str, **env: str) -> tuple[int, dict[str, dict[str, Any]]]:
    """Return the exit code, and the findings by name."""
    answer = subprocess.run(
        [sys.executable, "-m", "harness", "doctor", "--json", *options],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert answer.stdout, answer.stderr
    report = orjson.loads(answer.stdout)
    assert report["fit"] == (answer.returncode == 0)
    return answer.returncode, {one["name"]: one for one in report["findings"]}


def test_everything_is_looked_at(tmp_path: Path) -> None:
    """Each part has its line, and whatever is not ok says what to do."""
    _, findings = doctor(tmp_path)
    assert set(findings) >= ALWAYS | SERVICES | {"jars:kafka"}
    for finding in findings.values():
        assert finding["what"]
        assert finding["state"] == "ok" or finding["hint"]


def test_no_java_is_missing_for_embedded_services_only(tmp_path: Path) -> None:
    """Without Java a run cannot start, and over somebody's Kafka the lack is a note."""
    lacking = {"JAVA_HOME": "", "PATH": str(tmp_path)}
    code, findings = doctor(tmp_path, **lacking)
    assert code == 3
    assert findings["java:kafka"]["state"] == "missing"
    assert "JAVA_HOME" in findings["java:kafka"]["hint"]
    (port,) = free_ports(1)
    elsewhere = f"bootstrap.servers=127.0.0.1:{port}"
    code, findings = doctor(tmp_path, "--kafka", elsewhere, **lacking)
    assert findings["java:kafka"]["state"] == "note"
    assert code == 3
    assert "cannot be reached" in findings["kafka"]["what"]


def test_an_empty_cache_without_a_network_is_missing(tmp_path: Path) -> None:
    """Nothing cached and no repository in reach: both are said; with a network it is a note."""
    (port,) = free_ports(1)
    env = {"HARNESS_CACHE_DIR": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    nowhere = {
        "HARNESS_MAVEN_MIRROR": f"http://127.0.0.1:{port}",
        "http_proxy": "",
        "HTTP_PROXY": "",
    }
    code, findings = doctor(tmp_path, **env, **nowhere)
    assert code == 3
    assert findings["jars:kafka"]["state"] == findings["network"]["state"] == "missing"
    assert "HARNESS_MAVEN_MIRROR" in findings["network"]["hint"]
    assert not (tmp_path / "cache").exists()


def test_a_wrong_setting_is_a_usage_error(tmp_path: Path) -> None:
    """The doctor refuses what a run would refuse."""
    answer = subprocess.run(
        [sys.executable, "-m", "harness", "doctor", "--set", "topics.kep=true"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert answer.returncode == 2
    assert "topics.keep" in answer.stderr

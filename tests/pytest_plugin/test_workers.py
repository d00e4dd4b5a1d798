"""pytest-xdist: each worker packs a share, every case reports once, whatever `--dist` says."""

from __future__ import annotations

import json

import pytest

from tests.pytest_plugin.project import Project

pytestmark = pytest.mark.services


@pytest.mark.parametrize("dist", ["load", "loadfile"])
def test_workers_share_the_packs(project: Project, dist: str) -> None:
    """Two workers run two packs that hold every case once, each with a Kafka of its own."""
    project.scenarios("dml/no-net-change", "keys/pk-chain", "keys/composite-key-moves")
    done = project.outside("scenarios", "-n", "2", "--dist", dist)
    passed = done.parseoutcomes()["passed"]
    done.stdout.fnmatch_lines(
        [f"harness: reference passed {passed} / applicable {passed} / total {passed}"]
    )
    answered = [
        json.loads(file.read_text(encoding="utf-8")) for file in project.runs("share-*.json")
    ]
    assert sum(map(len, answered)) == len(set().union(*answered)) == passed
    assert len(project.runs("*/events.ndjson")) == 2


def test_other_tests_are_left_in_peace(project: Project) -> None:
    """A worker that gets no case starts nothing."""
    project.scenarios("dml/no-net-change")
    project.write("test_it.py", "import pytest\n@pytest.mark.parametrize('n', range(9))\n"
                  "def test_it(n): pass\n")  # fmt: skip
    done = project.outside("-n", "2")
    done.assert_outcomes(passed=10)
    assert len(project.runs("services-*")) == 1

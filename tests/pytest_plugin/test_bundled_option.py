"""`--harness-bundled`: the harness's own scenarios, from anywhere."""

from __future__ import annotations

import pytest

from tests.pytest_plugin.project import Project


def test_alone_it_collects_the_bundled_scenarios(project: Project) -> None:
    """In a directory without a scenario the option is all that is needed."""
    project.write("test_it.py", "def test_it(): pass\n")
    found = project.inside("--harness-bundled", "--collect-only", "-q")
    found.stdout.fnmatch_lines(["*keys/pk-chain.yaml::[[]open,p1]"])
    found.stdout.no_fnmatch_line("*test_it*")


def test_beside_paths_it_adds_to_them(project: Project) -> None:
    """Paths that are named are collected too."""
    project.write("test_it.py", "def test_it(): pass\n")
    found = project.inside("--harness-bundled", "--collect-only", "-q", "test_it.py")
    found.stdout.fnmatch_lines(["test_it.py::test_it", "*keys/pk-chain.yaml::[[]open,p1]"])


@pytest.mark.services
@pytest.mark.usefixtures("shared_services")
def test_bundled_cases_run(project: Project) -> None:
    """They run against their own goldens; the run's files stay in the user's directory."""
    done = project.outside("--harness-bundled", "-k", "keys.pk-chain and p1", "-n", "2")
    done.assert_outcomes(passed=14)
    assert project.runs("*/events.ndjson")

"""`--harness-deadline`: how long a consumer may take."""

from __future__ import annotations

import pytest

from tests.pytest_plugin.project import Project


@pytest.mark.services
@pytest.mark.usefixtures("shared_services")
def test_a_consumer_that_hangs_fails_with_timeout(project: Project) -> None:
    """A consumer that is late is stopped, and its cases fail as timed out."""
    project.scenarios("dml/no-net-change")
    target = project.consumer("time.sleep(600)")
    done = project.outside(
        "scenarios", "-k", "p1", "--harness-consumer", target, "--harness-deadline", "2"
    )
    done.stdout.fnmatch_lines(["TIMEOUT dml.no-net-change[[]open,p1]"])
    assert done.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize("text", ["soon", "0", "-3", "nan", "inf"])
def test_only_seconds_are_a_deadline(project: Project, text: str) -> None:
    """Anything but a number of at least one second is a usage error."""
    done = project.inside(f"--harness-deadline={text}")
    done.stderr.fnmatch_lines([f"ERROR: --harness-deadline {text}: no number of seconds*"])
    assert done.ret == pytest.ExitCode.USAGE_ERROR

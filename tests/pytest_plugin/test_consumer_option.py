"""`--harness-consumer`: whom the cases judge, and what pytest makes of each verdict."""

from __future__ import annotations

import pytest

from tests.pytest_plugin.project import Project

CASE = "scenarios/dml/no-net-change.yaml"


@pytest.mark.services
def test_the_reference_passes_by_default(project: Project) -> None:
    """Without the option the reference consumer is asked, in one run for all cases."""
    project.scenarios("dml/no-net-change", "keys/pk-chain")
    done = project.outside("scenarios")
    passed = done.parseoutcomes()["passed"]
    assert passed > 8
    done.assert_outcomes(passed=passed)
    done.stdout.fnmatch_lines(
        [
            f"harness: {passed} cases in one run of reference",
            f"harness: reference passed {passed} / applicable {passed} / total {passed}",
        ]
    )
    assert done.ret == 0
    assert len(project.runs("*/events.ndjson")) == 1
    assert len(project.runs("*/consumer/*/job.json")) == 1
    assert len(project.runs("services-0/kafka/kafka.log")) == 1


@pytest.mark.services
@pytest.mark.usefixtures("shared_services")
def test_a_finding_is_shown_as_a_finding(project: Project) -> None:
    """A wrong consumer fails with clause, scenario line and command, without any traceback."""
    project.scenarios("dml/no-net-change")
    target = project.consumer('{"status": "done"}')
    done = project.outside("scenarios", "--harness-consumer", target, "--junit-xml=junit.xml")
    done.stdout.fnmatch_lines(
        [
            "FAIL dml.no-net-change[[]open,p1]",
            "*missing-row: *",
            "*clause      open.*",
            f"*scenario    {CASE}:*",
            "*repeat        harness certify *",
            f"FAILED {CASE}::[[]open,p1] - fail: *",
        ]
    )
    done.stdout.no_fnmatch_line("*Traceback*")
    done.stdout.no_fnmatch_line("*nodes.py*")
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    junit = (project.path / "junit.xml").read_text(encoding="utf-8")
    assert '<failure message="fail: ' in junit
    assert '<property name="verdict" value="fail"' in junit


@pytest.mark.services
@pytest.mark.usefixtures("shared_services")
def test_not_applicable_is_skipped_with_the_gap(project: Project) -> None:
    """What a consumer says it cannot do is skipped, with the gap; skips alone are no pass."""
    project.scenarios("dml/no-net-change")
    target = project.consumer('{"status": "not-applicable", "needs": "ddl:3"}')
    done = project.outside("scenarios", "-rs", "--harness-consumer", target)
    done.stdout.fnmatch_lines(["SKIPPED*not-applicable: *ddl:3*"])
    done.stdout.fnmatch_lines(
        [
            "harness: *passed 0 / applicable 0 / total *",
            "harness: nothing passed, so nothing is certified",
        ]
    )
    assert done.ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.services
@pytest.mark.usefixtures("shared_services")
def test_a_python_function_is_a_consumer(project: Project) -> None:
    """`py:` finds a module in the directory that pytest was started in."""
    project.scenarios("dml/no-net-change")
    project.consumer('{"status": "error", "error": "I gave up"}')
    done = project.outside("scenarios", "--harness-consumer", "py:consumer:consume")
    done.stdout.fnmatch_lines(["FAIL dml.no-net-change*", "*I gave up*"])


@pytest.mark.services
@pytest.mark.usefixtures("shared_services")
def test_a_function_that_cannot_be_loaded_stops_the_run(project: Project) -> None:
    """A target that names nothing is the user's mistake: told once, exit code 4."""
    project.scenarios("dml/no-net-change", "keys/pk-chain")
    done = project.outside("scenarios", "--harness-consumer", "py:nobody:consume")
    done.stdout.fnmatch_lines(["*py:nobody:consume cannot be loaded*", "*no module 'nobody'*"])
    done.assert_outcomes(errors=1)
    assert done.ret == pytest.ExitCode.USAGE_ERROR


def test_a_target_that_cannot_run_is_refused_at_once(project: Project) -> None:
    """A consumer that does not exist is a usage error, before anything starts."""
    project.scenarios("dml/no-net-change")
    done = project.inside("scenarios", "--harness-consumer", "sprak")
    done.stderr.fnmatch_lines(["ERROR: there is no consumer 'sprak'", "*did you mean spark?*"])
    assert done.ret == pytest.ExitCode.USAGE_ERROR


def test_without_a_scenario_the_option_means_nothing(project: Project) -> None:
    """A project may keep the option in its addopts and run other tests alone."""
    project.write("test_it.py", "def test_it(): pass\n")
    project.inside("--harness-consumer", "sprak").assert_outcomes(passed=1)

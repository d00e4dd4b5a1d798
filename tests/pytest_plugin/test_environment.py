"""An environment that is not fit ends the session: once, with the next step, and exit code 3."""

from __future__ import annotations

import pytest

from tests.pytest_plugin.project import Project


@pytest.mark.parametrize("workers", ["0", pytest.param("2", marks=pytest.mark.services)])
def test_no_java_is_reported_once(project: Project, workers: str) -> None:
    """Without Java one case is an error, no other is blamed, and no traceback is shown."""
    project.scenarios("dml/no-net-change", "keys/pk-chain")
    project.monkeypatch.setenv("JAVA_HOME", str(project.path / "nowhere"))
    project.monkeypatch.setenv("PATH", str(project.path))
    done = project.outside("scenarios", "-n", workers)
    done.stdout.fnmatch_lines(
        ["no suitable Java: *", "    hint: install a JDK*", "*harness: no suitable Java*"]
    )
    done.stdout.no_fnmatch_line("*Traceback*")
    done.stdout.no_fnmatch_line("*During handling*")
    assert done.parseoutcomes()["errors"] == 1
    assert not {"passed", "failed"} & done.parseoutcomes().keys()
    assert done.ret == 3


def test_a_setting_that_cannot_be_is_the_users_mistake(project: Project) -> None:
    """What harness.toml gets wrong is told with file and line, and pytest exits as for usage."""
    project.scenarios("dml/no-net-change")
    project.write("harness.toml", "services = 'cloud'\n")
    done = project.outside("scenarios")
    done.stdout.fnmatch_lines(["harness.toml:1: services cannot be 'cloud'"])
    assert done.ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.services
@pytest.mark.usefixtures("shared_services")
def test_a_scenario_that_was_not_recorded_spoils_its_own_cases_only(project: Project) -> None:
    """A missing lock is an error of its scenario, told in full once; the others are judged."""
    project.scenarios("dml/no-net-change", "keys/pk-chain")
    (project.path / "golden/keys/pk-chain/changes.jsonl").unlink()
    done = project.outside("scenarios")
    done.stdout.fnmatch_lines(["*keys.pk-chain was never recorded*", "    hint: `harness record *"])
    done.assert_outcomes(passed=1, errors=28)
    assert str(done.stdout).count("hint: `harness record") == 1


@pytest.mark.services
def test_a_read_only_project_is_reported(project: Project) -> None:
    """Where no run can be kept, the sentence says where."""
    project.scenarios("dml/no-net-change")
    (project.path / ".harness").write_text("in the way", encoding="utf-8")
    done = project.outside("scenarios")
    done.stdout.fnmatch_lines(["cannot write into *"])
    assert done.ret == 3

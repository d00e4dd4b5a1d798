"""`certify`: a consumer is certified from within a test."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from harness.errors import UsageError
from harness.model.finding import Judgement, Verdict
from harness.pytest_plugin.certification import Result, importable
from tests.pytest_plugin.project import ROOT, Project

TESTS = """
    import json
    import pathlib

    def consume(job):
        for feed in job["changefeeds"]:
            out = pathlib.Path(job["out_dir"], feed["dir"], "status.json")
            out.write_text(json.dumps({"status": "error", "error": "I never learned that"}))

    def test_reference(certify, harness_services):
        result = certify("reference", "no-net-change")
        result.assert_passed()
        assert result.passed
        assert [v.judgement.value for v in result.verdicts] == ["pass"]
        assert ":" in harness_services.kafka.bootstrap

    def test_function(certify):
        result = certify(consume, "no-net-change")
        assert not result.passed
        result.assert_passed()

    def test_lambda(certify):
        certify(lambda job: None, "no-net-change")

    def test_nothing(certify):
        certify("reference", "no-such-case")

    def test_one_protocol(certify):
        result = certify("reference", "no-net-change", protocol="open")
        assert result.passed, str(result)
        assert all("[open," in verdict.case for verdict in result.verdicts)
        certify("reference", "no-net-change", protocol="kafka")

    def test_findings_in_an_assertion(certify):
        result = certify(consume, "no-net-change", protocol="open")
        assert result.passed, str(result)
"""


def consume(job: dict[str, Any]) -> None:
    """Be a consumer that another process can import."""
    del job


def verdict(judgement: Judgement) -> Verdict:
    """Return a verdict without findings."""
    return Verdict("a[open,p1]", judgement)


@pytest.mark.services
def test_a_target_and_a_function_are_certified(project: Project) -> None:
    """A right consumer passes, a wrong one fails the test with findings, a mistake is told."""
    project.scenarios("dml/no-net-change", "keys/no-key-multiset")
    project.write("checks/test_it.py", TESTS)
    done = project.outside("checks", "--import-mode=importlib")
    done.assert_outcomes(passed=1, failed=5)
    done.stdout.fnmatch_lines(
        [
            "py:checks.test_it:consume passed 0 / applicable 1 / total 1",
            "FAIL dml.no-net-change[[]open,p1]",
            "*I never learned that*",
            "*cannot be imported by another process*",
            "-k 'no-such-case' selects none of *",
            "none of * is of the protocol 'kafka'",
            "E * AssertionError: py:checks.test_it:consume passed 0 / applicable 1 / total 1*",
        ]
    )
    done.stdout.no_fnmatch_line("*certification.py*")
    assert len(project.runs("services-*")) == 1


def test_a_function_is_named_with_the_directory_that_has_it() -> None:
    """A function at the top of a module is found by its name, from the module's own root."""
    directory, words = importable(consume)
    assert directory == ROOT
    assert words == f"{__name__}:consume"


@pytest.mark.parametrize(
    "function",
    [lambda job: job, functools.partial(consume), json.JSONDecoder().decode, print],
    ids=["lambda", "partial", "method", "builtin"],
)
def test_what_has_no_name_is_refused(function: Any) -> None:
    """A lambda, a partial, a bound method and a builtin cannot be named to another process."""
    with pytest.raises(UsageError) as error:
        importable(function)
    assert error.value.hint


@pytest.mark.parametrize(
    ("judgements", "passed"),
    [
        ([Judgement.PASS], 1),
        ([Judgement.PASS, Judgement.NOT_APPLICABLE], 1),
        ([Judgement.PASS, Judgement.UNDECIDED], 0),
        ([Judgement.PASS, Judgement.TIMEOUT], 0),
        ([Judgement.NOT_APPLICABLE], 0),
    ],
)
def test_a_result_passes_when_all_that_applies_did(
    judgements: list[Judgement], passed: int
) -> None:
    """Everything applicable passed, and something was."""
    result = Result("x", tuple(map(verdict, judgements)), "what was found")
    assert result.passed == bool(passed)
    if passed:
        result.assert_passed()
    else:
        with pytest.raises(pytest.fail.Exception, match="what was found"):
            result.assert_passed()


def test_a_module_under_another_name_is_refused(tmp_path: Path) -> None:
    """A function whose file does not fit its module's name would be imported from elsewhere."""
    scope: dict[str, Any] = {"__name__": "a.b"}
    code = compile("def consume(job): ...", str(tmp_path / "c.py"), "exec")
    exec(code, scope)
    with pytest.raises(UsageError, match=r"is not where a module a\.b would be found"):
        importable(scope["consume"])


@pytest.mark.parametrize("judgement", [one for one in Judgement if one is not Judgement.BEYOND])
def test_a_result_is_that_of_what_counts(judgement: Judgement) -> None:
    """What is set apart alters neither the headline nor whether the consumer passed."""
    result = Result("mine", (verdict(Judgement.PASS), verdict(judgement).set_apart()), "")
    assert result.passed
    assert result.headline == "passed 1 / applicable 1 / total 1"
    assert not Result("mine", (verdict(judgement).set_apart(),), "").passed

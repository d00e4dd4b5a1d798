"""`--harness-sandbox`: a session's consumer sees its program, its job and the services alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import SetupError
from harness.runner.sandbox import refuse_where_none_is
from tests.pytest_plugin.project import Project


@pytest.mark.services
@pytest.mark.parametrize(
    ("options", "seen"), [((), "['dml', 'earlier']"), (("--harness-sandbox",), "[]")]
)
def test_what_a_consumer_sees(
    project: Project, tmp_path_factory: pytest.TempPathFactory, options: tuple[str, ...], seen: str
) -> None:
    """The goldens and the session's runs, which lie below pytest's root, are there without it.

    Its services are its own: a sandbox leads to none that run elsewhere.
    """
    try:
        refuse_where_none_is()
    except SetupError as error:
        pytest.skip(str(error))
    project.scenarios("dml/no-net-change")
    root = project.path / "elsewhere"
    project.monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))  # not this directory
    places = [str(project.path / "golden" / "dml"), str(root / ".harness" / "earlier")]
    Path(places[1]).mkdir(parents=True)
    found = f"[os.path.basename(one) for one in {places} if os.path.exists(one)]"
    target = project.consumer(f'{{"status": "error", "error": "sees %s" % {found}}}')
    words = ("scenarios", "-k", "open and p1", "--harness-consumer", target, f"--rootdir={root}")
    done = project.outside(*words, *options)
    done.assert_outcomes(failed=1)
    assert f"sees {seen}" in done.stdout.str()


def test_what_is_no_command_is_refused(project: Project) -> None:
    """An image has directories of its own: a usage error before a service starts."""
    project.scenarios("dml/no-net-change")
    done = project.inside("scenarios", "--harness-sandbox", "--harness-consumer", "image:any")
    done.stderr.fnmatch_lines(["ERROR: a sandbox is for a command, and image:any is none*"])
    assert done.ret == pytest.ExitCode.USAGE_ERROR

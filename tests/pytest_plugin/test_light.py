"""A session without a scenario pays for nothing."""

from __future__ import annotations

import subprocess
import sys

from tests.pytest_plugin.project import ROOT, Project

HEAVY = ("pyspark", "confluent_kafka", "sqlglot", "mysql", "yaml", "jsonschema_rs", "rich", "click")


def test_importing_the_plugin_imports_next_to_nothing() -> None:
    """Loading the plugin brings pytest and a handful of our modules, nothing that is slow."""
    code = (
        "import sys, pytest; before = set(sys.modules); import harness.pytest_plugin; "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    imported = done.stdout.split()
    assert not [name for name in imported if name.partition(".")[0] in HEAVY]
    ours = {".".join(name.split(".")[:2]) for name in imported if name.startswith("harness.")}
    assert ours == {"harness.pytest_plugin"}


def test_a_session_without_scenarios_imports_no_engine(project: Project) -> None:
    """Neither collecting nor running ordinary tests brings the engine; YAML does not either."""
    project.write("values.yaml", "a: 1\n")
    project.write(
        "test_it.py",
        """
        import sys

        def test_it():
            assert not [m for m in sys.modules if m.startswith(("harness.engine", "sqlglot"))]
        """,
    )
    project.outside().assert_outcomes(passed=1)


def test_the_plugin_may_be_named_as_often_as_one_likes(project: Project) -> None:
    """`-p`, an entry point and a conftest.py that all name it register it once."""
    project.write("conftest.py", 'pytest_plugins = ["harness.pytest_plugin"]\n')
    project.write("test_it.py", "def test_it(certify): assert certify\n")
    project.outside("-p", "harness.pytest_plugin").assert_outcomes(passed=1)

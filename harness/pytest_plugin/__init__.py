"""The pytest plugin: scenario files are tests, and a consumer is certified from a test.

A session without a scenario pays for nothing: what this module imports is pytest itself, and
everything else comes when the first scenario is collected or the first fixture is asked for.

`docs/guides/use-with-pytest.md` is its manual. The entry point in pyproject.toml has the name of
this module, so that a conftest.py may name it too (`pytest_plugins`) without registering it twice.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.pytest_plugin.fixtures import certify, harness_services, harness_spark

__all__ = ["certify", "harness_services", "harness_spark"]

SUFFIXES = frozenset({".yaml", ".yml"})
MARKERS = (
    "harness: a case of a scenario file; its tags are markers too",
    "protocol_open: a case of a scenario over TiCDC's Open Protocol",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; all are long, and the harness's own are named so."""
    group = parser.getgroup("harness", "conformance of CDC consumers (scenario files)")
    group.addoption(
        "--harness-consumer",
        metavar="TARGET",
        default="reference",
        help="The consumer to certify: spark, reference, py:pkg.mod:fn or exec:./command "
        "(default: reference).",
    )
    group.addoption(
        "--harness-deadline",
        metavar="SECONDS",
        default="300",
        help="How long each start of the consumer may take before it counts as hung "
        "(default: 300).",
    )
    group.addoption(
        "--harness-bundled",
        action="store_true",
        help="Collect the scenarios that the harness brings, besides the paths that are named.",
    )
    group.addoption(
        "--harness-beyond",
        action="store_true",
        help="Count the cases too that nobody promises; without it they are run and skipped.",
    )
    group.addoption(
        "--harness-sandbox",
        action="store_true",
        help="Run the consumer where it sees its program, its job and the services alone (Linux).",
    )
    group.addoption(
        "--harness-protocol",
        metavar="NAME",
        action="append",
        default=[],
        help="Only cases of this protocol, as `harness list --protocol`; may be repeated.",
    )
    group.addoption(
        "--harness-clause",
        metavar="ID",
        action="append",
        default=[],
        help="Only cases that rest on this clause, as `harness list --clause`; may be repeated.",
    )
    group.addoption(
        "--update-golden",
        action="store_true",
        help="Show how the goldens of the selected scenarios differ, then rewrite them. Refused "
        "where CI is set.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse what cannot be, register the markers, and add the bundled scenarios."""
    for line in MARKERS:
        config.addinivalue_line("markers", line)
    if config.getoption("--update-golden"):
        _refuse_unreviewed(config)
    if config.getoption("--harness-bundled"):
        _add_bundled(config)
    from harness.pytest_plugin.options import plugin_options
    from harness.pytest_plugin.session import SESSION, HarnessSession

    config.pluginmanager.register(HarnessSession(plugin_options(config)), SESSION)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a YAML file that is a scenario; leave every other file alone."""
    if file_path.suffix not in SUFFIXES:
        return None
    from harness.pytest_plugin.recognise import root_of

    root = root_of(file_path)
    if root is None:
        return None
    from harness.pytest_plugin.nodes import ScenarioFile

    return ScenarioFile.from_parent(  # pyright: ignore[reportUnknownMemberType] - untyped in pytest
        parent, path=file_path, root=root
    )


def _refuse_unreviewed(config: pytest.Config) -> None:
    """Raise UsageError where nobody would see the difference, or several would write it."""
    from harness.engine.catalogue.workspace import in_ci

    if in_ci(os.environ):
        raise pytest.UsageError(
            "--update-golden is refused where CI is set: nobody would review the difference\n"
            "    hint: run it on your machine, review what git shows, and commit that"
        )
    if getattr(config.option, "dist", "no") != "no" or hasattr(config, "workerinput"):
        raise pytest.UsageError(
            "--update-golden writes from one process only\n    hint: leave -n and --dist out"
        )


def _add_bundled(config: pytest.Config) -> None:
    """Add the bundled scenarios to what was named; without any name they are all there is."""
    from harness.engine.catalogue.workspace import bundled

    root = str(bundled() / "scenarios")
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    if root not in config.args:
        config.args = [*config.args, root] if named else [root]

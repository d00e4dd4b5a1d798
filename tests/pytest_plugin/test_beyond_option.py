"""`--harness-beyond`: cases that nobody promises are run, and counted only when asked."""

from __future__ import annotations

import pytest

from tests.pytest_plugin.project import Project


@pytest.mark.services
@pytest.mark.usefixtures("shared_services")
def test_it_fails_only_where_it_counts(project: Project) -> None:
    """Without the option what failed is skipped with the reason, and is in no number."""
    project.scenarios("transport/empty-messages")
    target = project.consumer('{"status": "error", "error": "it is empty"}')
    chosen = ("scenarios", "-rs", "-m", "protocol_open", "-k", "not without-bytes")
    words = (*chosen, "--harness-consumer", target)
    apart = project.outside(*words)
    apart.assert_outcomes(failed=1, skipped=1)
    apart.stdout.fnmatch_lines(
        [
            f"harness: {target} beyond: passed 0 / applicable 1 / total 1, not counted without *",
            f"harness: {target} passed 0 / applicable 1 / total 1",
            "SKIPPED * beyond: fail: *",
        ],
        consecutive=False,
    )
    counted = project.outside(*words, "--harness-beyond")
    counted.assert_outcomes(failed=2)
    counted.stdout.fnmatch_lines([f"harness: {target} passed 0 / applicable 2 / total 2"])

"""The public API, type-checked by example: mypy and pyright read this file, nothing runs it.

Each function here is a promise about what a user's own typed code may rely on.
"""

from __future__ import annotations

from harness.errors import ExitCode, HarnessError, Location, Problem, ScenarioError


def exit_with(error: HarnessError) -> int:
    """Every deliberate error tells a command which code to exit with."""
    code: ExitCode = error.exit_code
    return code


def show(error: ScenarioError) -> list[tuple[Location, str]]:
    """A scenario error hands over each problem with its place, for an editor to show."""
    problems: tuple[Problem, ...] = error.problems
    return [(problem.location, problem.what) for problem in problems]

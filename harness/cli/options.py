"""Options and arguments that several commands share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from harness.engine.workspace import Workspace, workspace

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def paths(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take scenario files, directories and ids."""
    return click.argument("paths", nargs=-1, type=click.Path(path_type=Path))(command)


def keyword(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `-k EXPRESSION`."""
    return click.option(
        "-k",
        "expression",
        metavar="EXPRESSION",
        help="Only cases whose id, tags or clauses match, as in pytest: 'keys and not p4'.",
    )(command)


def as_json(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--json`."""
    return click.option("--json", "json_", is_flag=True, help="Print JSON on standard output.")(
        command
    )


def deadline(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--deadline SECONDS`."""
    return click.option(
        "--deadline",
        type=click.FloatRange(min=1),
        default=300.0,
        show_default=True,
        metavar="SECONDS",
        help="How long each start of the consumer may take before it counts as hung.",
    )(command)


# Name of a report -> what `--NAME FILE` does; names are keys of `harness.report.writers.WRITERS`.
REPORTS = {
    "ndjson": "Write the run's events to this file as well, one JSON object a line.",
    "junit": "Write a JUnit XML report to this file as well.",
    "markdown": "Write a Markdown summary to this file as well.",
}


def reports(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take a file for each of REPORTS; the command gets `reports`, name to path."""

    @functools.wraps(command)
    def collected(**values: Any) -> Any:  # noqa: ANN401  (whatever click hands over)
        named = {name: values.pop(name) for name in REPORTS}
        chosen = {name: path for name, path in named.items() if path is not None}
        return command(reports=chosen, **values)

    file = click.Path(path_type=Path, dir_okay=False)
    decorated: Callable[..., Any] = collected
    for name, text in reversed(REPORTS.items()):
        decorated = click.option(f"--{name}", type=file, help=text)(decorated)
    return decorated


def roots(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--scenarios DIR` and `--golden DIR`."""
    scenarios = click.option(
        "--scenarios",
        type=click.Path(path_type=Path),
        help="Root of scenario files [./scenarios, else the package's own].",
    )
    golden = click.option(
        "--golden",
        type=click.Path(path_type=Path),
        help="Root of locks and goldens [golden/ beside the scenarios].",
    )
    return scenarios(golden(command))


def space(scenarios: Path | None, golden: Path | None) -> Workspace:
    """Return the workspace of this command line."""
    return workspace(Path.cwd(), scenarios, golden)

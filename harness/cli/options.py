"""Options and arguments that several commands share."""

from __future__ import annotations

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


def ndjson(command: Callable[..., Any]) -> Callable[..., Any]:
    """Take `--ndjson FILE`."""
    return click.option(
        "--ndjson",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Write the run's events to this file as well, one JSON object a line.",
    )(command)


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

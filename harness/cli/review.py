"""`harness review`: changed goldens one record at a time, each accepted or not.

A golden is one file of one case and is written whole or not at all: it is written once each of its
changes is accepted. On a terminal every change is asked about; elsewhere options answer.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli import options
from harness.cli.golden import may_write
from harness.errors import ExitCode, UsageError, plural

if TYPE_CHECKING:  # they bring the engine along
    from rich.console import Console

    from harness.engine.catalogue.golden import Difference
    from harness.engine.catalogue.golden_changes import GoldenChange

ANSWERS = "yes, no, all of this file, skip this file, quit"
LETTERS = ("y", "n", "a", "s", "q")
ALL = "all"


@dataclass(slots=True)
class Review:
    """One golden file under review: what differs, and which of its changes are accepted."""

    difference: Difference
    changes: Sequence[GoldenChange]
    accepted: set[int] = field(default_factory=set[int])

    @property
    def file(self) -> str:
        """Return the file's path as it is shown."""
        return str(self.difference.path)

    @property
    def complete(self) -> bool:
        """Return whether every change is accepted."""
        return len(self.accepted) == len(self.changes)

    def names(self) -> Iterator[tuple[str, int]]:
        """Yield what an option may call each change."""
        for number, change in enumerate(self.changes):
            yield f"{self.file}:{change.place}", number


@click.command("review", short_help="Walk through changed goldens record by record.")
@options.paths
@click.option(
    "--accept",
    "named",
    multiple=True,
    metavar="NAME",
    help="Accept without asking: `all`, a golden FILE, or one record as FILE:PLACE, such as"
    " golden/keys/moved/open-p1.records.txt:ticdc/0@3; may be repeated.",
)
@click.option("--list", "only_list", is_flag=True, help="Show the changes, and ask nothing.")
@options.roots
def command(
    paths: tuple[Path, ...],
    named: tuple[str, ...],
    *,
    only_list: bool,
    scenarios: Path | None,
    golden: Path | None,
) -> int:
    """Walk through the goldens that differ, for all scenarios or those in PATHS.

    Each record, schema and row that changed is shown with what it was and what it is now, which
    parts of it differ, and the lines of the scenario that make it. A golden file is written once
    all of its changes are accepted, and stays as it is otherwise. Without a terminal, nothing is
    asked: --accept says what is taken. Exits 1 while something differs.
    """
    from rich.console import Console

    from harness.engine.catalogue.choose import load
    from harness.engine.catalogue.golden_changes import golden_changes
    from harness.engine.catalogue.plans import golden_differences, golden_plans

    if only_list and named:
        raise UsageError("--list accepts nothing", expected="--list, or --accept NAME")
    space = options.space(scenarios, golden)
    chosen = load(space, paths)
    reviews = [
        Review(difference, golden_changes(difference, plan))
        for difference, plan in golden_plans(space, chosen, expectations=False)
    ]
    _take(reviews, named)
    asks = not named and not only_list and sys.stdin.isatty()
    if asks or named:
        may_write(space, os.environ)
    _walk(reviews, Console(soft_wrap=True), asks=asks)
    done = [review for review in reviews if review.complete]
    if done:
        # What an author expects must hold before a golden is written.
        golden_differences(space, chosen, expectations=True)
    return _finish(reviews, done, asked=asks or bool(named))


def _take(reviews: Sequence[Review], named: Sequence[str]) -> None:
    """Accept what options name; UsageError for a name that nothing has."""
    known = {name: (review, number) for review in reviews for name, number in review.names()}
    files = {review.file: review for review in reviews}
    for name in named:
        if name == ALL or name in files:
            for review in reviews if name == ALL else (files[name],):
                review.accepted = set(range(len(review.changes)))
        elif name in known:
            review, number = known[name]
            review.accepted.add(number)
        else:
            near = difflib.get_close_matches(name, [*files, *known], n=1)
            raise UsageError(
                f"no changed golden is called {name!r}",
                expected="`all`, a golden file that differs, or FILE:PLACE",
                hint=f"did you mean {near[0]!r}?" if near else "`harness review --list` shows them",
            )


def _walk(reviews: Sequence[Review], console: Console, *, asks: bool) -> None:
    """Show each change that no option accepted, and take the answers where somebody is asked."""
    from harness.report.review import change_lines

    for review in reviews:
        for number, change in enumerate(review.changes):
            if number in review.accepted:
                continue
            for line in change_lines(review.file, change, number + 1, len(review.changes)):
                console.print(line)
            answer = _answer() if asks else "n"
            if answer == "q":
                return
            if answer == "y":
                review.accepted.add(number)
            if answer == "a":
                review.accepted = set(range(len(review.changes)))
            if answer == "s":
                break


def _answer() -> str:
    """Return the letter that somebody typed; the end of the input is `q`."""
    try:
        return click.prompt(f"accept? {ANSWERS}", type=click.Choice(LETTERS), show_choices=True)
    except click.Abort:
        return "q"


def _finish(reviews: Sequence[Review], done: Sequence[Review], *, asked: bool) -> int:
    """Write what is accepted whole, and say what became of each file."""
    from harness.engine.catalogue import golden as goldens

    goldens.accept(review.difference for review in done)
    for review in reviews:
        if review.complete:
            gone = review.difference.now is None
            click.echo(f"{'removed' if gone else 'wrote  '} {review.file}")
        else:
            count = f"{len(review.accepted)} of {plural(len(review.changes), 'change')} accepted"
            click.echo(f"left    {review.file}: {count}")
    if not reviews:
        click.echo("no golden file differs")
    elif not asked:
        click.echo("nothing was asked: `--accept all`, `--accept FILE` or `--accept FILE:PLACE`")
    return int(ExitCode.PASS if len(done) == len(reviews) else ExitCode.FINDINGS)

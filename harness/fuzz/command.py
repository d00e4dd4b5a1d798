"""A search from the words of a command line: consumer, services, the files of what is found."""

from __future__ import annotations

import re
import shlex
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from hypothesis.database import DirectoryBasedExampleDatabase
from rich.console import Console

from harness.authoring.recording import embedded_upstream
from harness.documents.nearest import did_you_mean
from harness.engine.catalogue.workspace import Workspace, new_run
from harness.engine.run.preflight import ready
from harness.errors import UsageError, plural
from harness.fuzz.consumers import Together
from harness.fuzz.found import Kept, keep, to_keep
from harness.fuzz.memory import InMemory
from harness.fuzz.progress import Progress
from harness.fuzz.protocols import drawable
from harness.fuzz.search import Search, Searcher, SearchOptions
from harness.fuzz.started import Started
from harness.fuzz.trial import Judge, Trial, Tried, judged
from harness.mutants.mutant import Mutant
from harness.mutants.table import MUTANTS
from harness.record.lasting import Lasting, lasting
from harness.runner import targets
from harness.runner.commands import Whereabouts
from harness.services import Source, start

MUTANT = "mutant:"
REFERENCE = "reference"
# Several consumers, named behind it, which must agree.
TOGETHER = "together:"
CACHE = "fuzz"


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a search runs: the workspace, the source of services, and how long a start may take."""

    space: Workspace
    source: Source
    deadline_s: float


@dataclass(frozen=True, slots=True)
class Result:
    """A search that is over, and what it found as files."""

    search: Search
    kept: Kept | None


def protocols(consumer: str, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the protocols to draw from; UsageError when the consumer reads none of them."""
    able = tuple(drawable())
    if consumer.startswith(MUTANT):
        able = mutant(consumer).protocols
    found = tuple(name for name in wanted or able if name in able)
    if not found:
        raise UsageError(
            f"{consumer} reads none of {', '.join(wanted)}",
            expected=f"--protocol {' or '.join(able)}",
        )
    return found


def mutant(consumer: str) -> Mutant:
    """Return the mutant of `mutant:NAME`."""
    name = consumer.removeprefix(MUTANT)
    if name not in MUTANTS:
        raise UsageError(
            f"there is no mutant {name!r}",
            expected="a name in docs/reference/mutants.md",
            hint=did_you_mean(name, MUTANTS),
        )
    return MUTANTS[name]


@contextmanager
def judge_of(consumer: str, setting: Setting, run_dir: Path) -> Generator[Judge]:
    """Yield what judges a consumer, with the services that it needs; UsageError for no consumer."""
    if consumer.startswith(TOGETHER):
        yield Together(consumer.removeprefix(TOGETHER).split(","))
    elif consumer == REFERENCE:
        yield InMemory()
    elif consumer.startswith(MUTANT):
        yield InMemory(mutant(consumer))
    else:
        parsed = targets.parse(consumer, Whereabouts.here())
        able = ready(parsed, lambda _: None)
        with start(
            ["kafka", "registry"],
            run_dir=run_dir / "services",
            on_event=lambda _: None,
            settings=setting.source.settings,
            warm=setting.source.warm,
        ) as services:
            yield Started(setting.space, able, services, setting.source, setting.deadline_s)


@contextmanager
def database_of(setting: Setting, run_dir: Path) -> Generator[Lasting]:
    """Yield a session on the database that the settings name, an embedded one without any."""
    with (
        embedded_upstream(run_dir / "database", lambda _: None, setting.source) as upstream,
        lasting(upstream) as session,
    ):
        yield session


def search(
    setting: Setting, consumer: str, options: SearchOptions, root: Path, console: Console
) -> Result:
    """Search, and write what is found below `root`; raises HarnessError."""
    _, run_dir = new_run(setting.space.runs / "runs")
    memory = setting.space.runs / CACHE / slug(consumer)
    with ExitStack() as stack:
        judge = stack.enter_context(judge_of(consumer, setting, run_dir))
        trial = Trial(stack.enter_context(database_of(setting, run_dir)))
        searcher = Searcher(trial, judge, DirectoryBasedExampleDatabase(memory))
        until = None if options.time_s is None else searcher.state.began + options.time_s
        progress = Progress(console, until, options.examples)
        stack.callback(progress.close)
        state = searcher.run(options, progress.update)
        progress.close()
        if state.found is None:
            return Result(state, None)

        def again(tried: Tried, name: str) -> Tried:
            found = trial.prepare(tried.scene, name)
            if found.failure is not None or found.plan is None:
                return found
            return judged(found, judge.verdicts([found.plan])[0])

        comments = (f"Found by `{repeat(consumer, options)}`.",)
        kills = (consumer.removeprefix(MUTANT),) if consumer.startswith(MUTANT) else ()
        return Result(state, keep(root, state.found, comments, kills, again))


def repeat(consumer: str, options: SearchOptions) -> str:
    """Return the command that searches the same again."""
    words = ["harness", "fuzz", "--seed", str(options.seed)]
    if consumer != REFERENCE:
        words += ["--consumer", consumer]
    if len(options.protocols) < len(drawable()):
        words += [word for name in options.protocols for word in ("--protocol", name)]
    return shlex.join(words)


def replayed_by(consumer: str, path: Path) -> str:
    """Return the command that replays a file."""
    words = ["harness", "replay", str(path)]
    return shlex.join(words if consumer == REFERENCE else [*words, "--consumer", consumer])


def slug(consumer: str) -> str:
    """Return a consumer's name as a directory's."""
    return re.sub(r"[^a-z0-9]+", "-", consumer.lower()).strip("-")[:60]


def lines(result: Result, consumer: str) -> Iterator[str]:
    """Yield what a person is comments of a finding: what, where, how to replay and to keep it."""
    kept, found = result.kept, result.search.found
    failure = None if found is None else found.failure
    if kept is None or failure is None:
        return
    steps = len(kept.tried.scene.steps)
    yield f"FOUND {failure.kind}: {failure.what}"
    tries = result.search.shrunk
    small = f"{plural(kept.tried.rows, 'row change')} in {plural(steps, 'step')}"
    yield f"  shrunk to {small}, by {plural(tries, 'try', 'tries')}"
    yield f"  written {kept.path}"
    yield f"  replay  {replayed_by(consumer, kept.path)}"
    root = kept.path.parents[1]
    yield f"  look    harness preview --scenarios {root} --golden {root / 'golden'} {kept.id}"
    yield "  keep it, under the same id:"
    yield from (f"    {line}" for line in to_keep(kept))

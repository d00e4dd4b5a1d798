"""Runs one file of the corpus in memory, from its text to verdicts; no database, no services.

A file is a scenario whose steps are all stated under `emit`. Its first lines, all comments, say
what must become of it:

| lines | meaning |
| --- | --- |
| `# refused:` and what follows | the exact message, each line behind `# ` |
| `# author: TEXT` | what the author expects does not hold, and this is said about it |
| `# mutant: NAME` | this wrong consumer reads it; without it the right one |
| `# finds: KIND TEXT` | a finding of this kind, whose message holds the text |
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.engine.mutation.claims import claim_problems
from harness.engine.mutation.prepared import Prepared
from harness.engine.plan.case import Plan, plan
from harness.engine.plan.expectations import author_problems
from harness.errors import Problem, ScenarioError
from harness.model.finding import Verdict
from harness.mutants.parts import Parts
from harness.mutants.table import MUTANTS
from harness.record.lock import header, load_lock, write_lock
from harness.record.recorder import _Replay
from harness.record.session import sql_steps
from harness.scenario.document import Scenario
from harness.scenario.expand import cases
from harness.scenario.load import load

CORPUS = Path(__file__).parent
SEEDS = range(3)
REFUSED = "refused:"


@dataclass(frozen=True, slots=True)
class Entry:
    """One file with what its first lines say."""

    path: Path
    refused: str
    author: str
    mutant: str
    kind: str
    text: str


def entries(folder: str) -> list[Entry]:
    """Return the files of a folder, in order."""
    return [_entry(path) for path in sorted((CORPUS / folder).glob("*.yaml"))]


def _entry(path: Path) -> Entry:
    lines = path.read_text(encoding="utf-8").splitlines()
    comments = [line.removeprefix("#").removeprefix(" ") for line in lines if line.startswith("#")]
    if comments and comments[0] == REFUSED:
        return Entry(path, "\n".join(comments[1:]), "", "", "", "")
    said = dict(comment.split(": ", 1) for comment in comments)
    kind, _, text = said.get("finds", "").partition(" ")
    return Entry(path, "", said.get("author", ""), said.get("mutant", ""), kind, text)


def planned(entry: Entry, scratch: Path) -> list[Plan]:
    """Return the plans of a file's cases; ScenarioError where it is refused."""
    root = entry.path.parent
    scenario = load(entry.path, root)
    problems = claim_problems([scenario])
    if problems:
        raise ScenarioError(problems)
    _locked(scenario, scratch)
    log = load_lock(scenario, scratch)
    return [plan(case, log) for case in cases(scenario)]


def _locked(scenario: Scenario, scratch: Path) -> None:
    """Lock what the file states: nothing in it is a database's affair."""
    steps = list(sql_steps(scenario))
    assert all(step.emit for step in steps), f"{scenario.file} asks for a database"
    replay = _Replay(scenario, {}, [{} for _ in steps])
    write_lock(scenario, scratch, [header(scenario, "none", "reads"), *replay.lines()])


def lacking(error: ScenarioError) -> list[str]:
    """Return the problems that do not name file, line and column, or not what was expected."""
    return [
        str(problem)
        for problem in error.problems
        if not (problem.location.path and problem.location.line and problem.location.column)
        or not (problem.what and problem.expected)
    ]


def author_says(plans: list[Plan]) -> list[Problem]:
    """Return what does not hold of the author's expectations."""
    return [problem for one in plans for problem in author_problems(one)]


def verdicts(entry: Entry, plans: list[Plan]) -> Iterator[Verdict]:
    """Yield the verdicts on the file's consumer, over each case and delivery."""
    parts = MUTANTS[entry.mutant].parts if entry.mutant else Parts()
    for one in plans:
        prepared = Prepared(one, SEEDS)
        for seed in SEEDS:
            yield prepared.verdict(parts, seed)

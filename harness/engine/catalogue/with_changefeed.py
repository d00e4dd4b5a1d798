"""A changefeed file of somebody's own, laid over scenarios whose authors did not know it.

| what belongs to a scenario's own settings | under the file |
| --- | --- |
| goldens | not compared |
| the expected tables and the stop of a changefeed | follow from the fold, as always |
| what the author expects | a note where it does not hold, never a finding |
| a delivery that finds nothing to act on | its case is left out, with a note |
| cases of a protocol that the file is not about | left out, with a note |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.engine.catalogue.plans import planned_only
from harness.engine.catalogue.workspace import Workspace
from harness.engine.plan.case import Plan
from harness.engine.plan.expectations import author_problems
from harness.errors import Location, ScenarioError, UsageError, plural
from harness.protocols import PROTOCOLS
from harness.scenario.expand import Case, Laid
from harness.sources.tidb.config import ChangefeedConfig, read_toml
from harness.sources.tidb.source import TIDB
from harness.sources.tidb.toml_positions import places


@dataclass(frozen=True, slots=True)
class WithChangefeed:
    """The plans of the cases that the file is about, in order, and what a person should know."""

    plans: tuple[Plan, ...]
    notes: tuple[str, ...]

    @property
    def cases(self) -> tuple[Case, ...]:
        """Return the cases that are planned."""
        return tuple(plan.case for plan in self.plans)


def lay_over(space: Workspace, cases: Sequence[Case], path: Path) -> WithChangefeed:
    """Plan the cases under a changefeed file.

    Raises UsageError for a file that cannot be read or is about none of the cases, ScenarioError
    with every mistake in it at its place.
    """
    config, laid = _read(path)
    about = (config.protocol,) if config.protocol else _changefeeds()
    chosen = [replace(case, changefeed=laid) for case in cases if case.protocol in about]
    if not chosen:
        raise UsageError(
            f"{path} is about none of the {len(cases)} chosen cases",
            expected="a case of " + " or ".join(about),
            hint="`harness list` shows the cases; a changefeed is TiCDC's, not Vitess's",
        )
    notes = list(_general(config, path, cases, about))
    plans: list[Plan] = []
    for case in chosen:
        try:
            (plan,) = planned_only(space, [case], expectations=False)
        except ScenarioError as error:
            notes.append(_undeliverable(space, case, error))
            continue
        plans.append(plan)
        notes += _of_plan(plan)
    if not plans:
        raise UsageError(f"{path} leaves nothing to deliver", hint="\n".join(notes))
    return WithChangefeed(tuple(plans), tuple(notes))


def _changefeeds() -> tuple[str, ...]:
    """Return the protocols that a changefeed sends."""
    return tuple(name for name, row in PROTOCOLS.items() if row.source.kind == TIDB)


def _read(path: Path) -> tuple[ChangefeedConfig, Laid]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}", expected="a changefeed file in TOML"
        ) from error
    config = read_toml(text, str(path))
    located = {
        there: Location(str(path), line, column) for there, (line, column) in places(text).items()
    }
    return config, Laid(str(path), config.settings, located)


def _general(
    config: ChangefeedConfig, path: Path, cases: Sequence[Case], about: Sequence[str]
) -> Iterator[str]:
    yield f"goldens are not compared: they belong to the scenarios' own settings, not to {path}"
    if config.ignored:
        yield f"{path}: these keys show nowhere on the wire: {', '.join(config.ignored)}"
    left = Counter(case.protocol for case in cases if case.protocol not in about)
    for protocol, count in left.items():
        yield (
            f"left out: {plural(count, 'case')} of {protocol}, as {path} is about "
            f"{' and '.join(about)}"
        )


def _undeliverable(space: Workspace, case: Case, error: ScenarioError) -> str:
    """Return the note on a delivery without anything to act on; any other error is raised."""
    if case.delivery is None:
        raise error
    planned_only(space, [replace(case, delivery=None)], expectations=False)
    first = error.problems[0]
    return f"{first.location}: {case.id} is left out: {first.what}"


def _of_plan(plan: Plan) -> Iterator[str]:
    stopped = plan.stopped
    if stopped is not None:
        where = plan.case.scenario.place(stopped.origin.line)
        yield f"{where}: {plan.case.id}: the changefeed stops with {stopped.code}: {stopped.what}"
    for problem in author_problems(plan):
        yield f"{problem.location}: written for the scenario's own settings: {problem.what}"

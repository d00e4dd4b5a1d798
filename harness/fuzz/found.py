"""What was found, as files: a scenario, its lock and its goldens, ready for every other command.

`found/fuzz/<name>.yaml` has its goldens under `found/golden/fuzz/<name>/`: the same below `found/`
as below a project, so a finding that is kept moves file by file and stays what it was, id, lock
and all. Its name is drawn from its content, so that the same finding is one file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from harness.engine.catalogue import golden
from harness.engine.catalogue.plans import golden_differences
from harness.engine.catalogue.workspace import Workspace
from harness.engine.plan.case import Plan, plan
from harness.engine.plan.expectations import author_problems
from harness.fuzz.scene import Label, text
from harness.fuzz.trial import THEME, Failure, Tried, change_log
from harness.protocols.clauses import CLAUSES
from harness.record.form import written_row
from harness.record.lock import write_lock
from harness.scenario.expand import cases
from harness.scenario.load import load

NAMES = 12
Again = Callable[[Tried, str], Tried]


@dataclass(frozen=True, slots=True)
class Kept:
    """A finding as it lies there."""

    path: Path
    id: str
    tried: Tried


def keep(
    root: Path, tried: Tried, comments: Sequence[str], kills: Sequence[str], again: Again
) -> Kept:
    """Write a finding and return where; `comments` are comments, `again` tries it under a name.

    What is random in a delivery goes by the scenario's id, so the first name is taken under which
    it fails again; where it fails under none, it keeps the name that it was found under.
    """
    failure = tried.failure
    assert failure is not None
    content = sha256(text(tried.scene, Label("fuzz.example")).encode()).hexdigest()
    for number in range(NAMES):
        name = f"{failure.kind}-{content[number : number + 6]}"
        renamed = again(tried, name)
        if renamed.failure is not None and renamed.failure.kind == failure.kind:
            tried = renamed
            break
    scenario = f"{THEME}.{tried.name}"
    path = root / THEME / f"{tried.name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    label = Label(scenario, _title(failure), _comments(failure, comments), kills=tuple(kills))
    scene = replace(tried.scene, clauses=(*tried.scene.clauses, *_clauses(failure)))
    tried = replace(tried, scene=scene)
    path.write_text(text(scene, label), encoding="utf-8")
    if tried.recording is not None:
        _lock(root, path, tried, label)
    return Kept(path, scenario, tried)


def _lock(root: Path, path: Path, tried: Tried, label: Label) -> None:
    """Write lock and goldens, and the tables into the file where they are what must be."""
    space = Workspace(root, root, root / "golden")
    scenario = load(path, root)
    recording = tried.recording
    assert recording is not None
    write_lock(scenario, space.golden, recording.lines)
    tables = _tables(tried)
    if tables:
        path.write_text(text(tried.scene, replace(label, tables=tables)), encoding="utf-8")
        scenario = load(path, root)
        planned = plan(cases(scenario)[0], change_log(scenario, recording))
        if author_problems(planned) and tried.failure and tried.failure.kind != "oracle":
            # The protocol carries less than the database has; then the golden says what must be.
            path.write_text(text(tried.scene, label), encoding="utf-8")
            scenario = load(path, root)
    if tried.plan is not None:
        golden.accept(golden_differences(space, (scenario,), expectations=False))


def _tables(tried: Tried) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Return what the database has in the tables that the plan has."""
    planned: Plan | None = tried.plan
    if planned is None or tried.recording is None:
        return {}
    found: dict[str, Sequence[Mapping[str, Any]]] = {}
    for table, rows in sorted(tried.recording.rows.items()):
        state = planned.expected.tables.get(table)
        if state is None:
            continue
        columns = state.source_table.table.columns
        if any(len(row) != len(columns) for row in rows):
            return {}
        found[str(table)] = [written_row(columns, row) for row in rows.elements()]
    return found


def _title(failure: Failure) -> str:
    first = failure.what.strip().splitlines()[-1 if failure.kind == "harness" else 0]
    return f"Found at random, as {failure.kind}: {first}"[:200]


def _comments(failure: Failure, comments: Sequence[str]) -> tuple[str, ...]:
    lines = (*comments, f"{failure.kind}: {failure.what}")
    return tuple(part for line in lines for part in line.splitlines())


def _clauses(failure: Failure) -> tuple[str, ...]:
    cited = dict.fromkeys(finding.clause for finding in failure.findings)
    return tuple(clause for clause in cited if clause in CLAUSES)


def to_keep(kept: Kept) -> tuple[str, ...]:
    """Return the commands that move a finding to where scenarios are kept."""
    name = kept.tried.name
    return (
        f"mkdir -p scenarios/{THEME} golden/{THEME}",
        f"mv {kept.path} scenarios/{THEME}/",
        f"mv {kept.path.parents[1] / 'golden' / THEME / name} golden/{THEME}/",
    )

"""From files to scenarios, or to every problem of every file at once.

A file is asked three times: by YAML, by the grammar, by the rules. What YAML refuses cannot be
asked further; the grammar's faults only silence the rules that read the same keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from harness.documents.yaml_file import BYTES_MAX, read
from harness.errors import Location, Problem, ScenarioError, next_step
from harness.scenario.build import build
from harness.scenario.document import Scenario
from harness.scenario.draft import Draft
from harness.scenario.files import name_of, real, scenario_files, shown_path
from harness.scenario.grammar import grammar, violations
from harness.scenario.rules import breaches


def load(path: Path, root: Path) -> Scenario:
    """Return the scenario in a file under the scenarios' root; ScenarioError with all problems."""
    return _load(real(path), real(root))


def _load(path: Path, root: Path) -> Scenario:
    where = shown_path(path)
    return parse(_text(path, where), where, name_of(path, root))


@lru_cache(maxsize=1024)
def parse(text: str, shown: str, name: str) -> Scenario:
    """Return the scenario that a file's text says; `name` is its path under the root, no suffix.

    ScenarioError carries all problems, in the file that is `shown`. Equal texts are parsed once:
    a long session (pytest, fuzz) asks for the same files again and again.
    """
    draft = Draft(read(text, shown), name.replace("/", "."))
    problems = _problems(draft)
    if problems:
        raise ScenarioError(problems)
    return build(draft, name)


def load_all(root: Path, paths: Sequence[Path] = ()) -> tuple[Scenario, ...]:
    """Return the scenarios under the root, or those of the given files and directories, by path.

    ScenarioError carries the problems of all files at once.
    """
    scenarios: list[Scenario] = []
    problems: list[Problem] = []
    whole = real(root)
    for found in scenario_files(root, paths):
        if isinstance(found, Problem):
            problems.append(found)
            continue
        try:
            scenarios.append(_load(found, whole))
        except ScenarioError as error:
            problems += error.problems
    problems += _shared_ids(scenarios)
    if problems:
        raise ScenarioError(tuple(problems))
    return tuple(scenarios)


def _problems(draft: Draft) -> tuple[Problem, ...]:
    broken = list(violations(draft.source))
    problems = [problem for _, problem in broken]
    if all(path for path, _ in broken):
        missing = set(grammar()["required"]) - draft.data.keys()
        problems += breaches(draft, missing | {str(path[0]) for path, _ in broken})
    return tuple(dict.fromkeys(sorted(problems)))


def _shared_ids(scenarios: Sequence[Scenario]) -> Iterator[Problem]:
    """Yield a problem for each id that two files have, as `a/b.yaml` and `a.b.yaml` do."""
    first: dict[str, Scenario] = {}
    for scenario in scenarios:
        other = first.setdefault(scenario.id.casefold(), scenario)
        if other is not scenario:
            what = f"the id `{scenario.id}` is also that of {other.file}"
            yield Problem(scenario.place(1), what, "an id of its own", "rename the file")


def _text(path: Path, shown: str) -> str:
    """Return a file's text; ScenarioError when it is no readable text of a sane size."""
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size <= BYTES_MAX else b""
    except OSError as error:
        raise ScenarioError(
            (
                Problem(
                    Location(shown),
                    f"cannot read the file: {error.strerror}",
                    hint=next_step(error),
                ),
            )
        ) from None
    if size > BYTES_MAX:
        what = f"the file has {size} bytes"
        problem = Problem(Location(shown), what, f"at most {BYTES_MAX}", "make several scenarios")
        raise ScenarioError((problem,))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ScenarioError((_not_utf8(content, error, shown),)) from None


def _not_utf8(content: bytes, error: UnicodeDecodeError, shown: str) -> Problem:
    before = content[: error.start]
    line = before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode(errors="replace")) + 1
    what = f"the byte 0x{content[error.start]:02x} is not UTF-8"
    return Problem(Location(shown, line, column), what, hint="save the file as UTF-8")

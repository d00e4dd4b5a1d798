"""Files of vectors, compared: what was equal, what was not, and what nobody could compare."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import HarnessError
from harness.truth.exceptions import EXCEPTIONS
from harness.truth.kinds import COMPARISONS, kind_of
from harness.truth.read import vectors
from harness.truth.result import Compare, Difference, Result, Vector

Progress = Callable[[Path, int], None]


@dataclass(frozen=True, slots=True)
class Differing:
    """One vector that is not equal: its line, and everything that differs."""

    line: int
    result: Result


@dataclass(frozen=True, slots=True)
class NotCompared:
    """One vector that nobody compared, and why."""

    line: int
    id: str
    reason: str


@dataclass(slots=True)
class FileReport:
    """What came of one file: counts, every vector that differs or was not compared.

    `excepted` holds those that an exception leaves out, with its name for the reason.
    """

    path: Path
    total: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    differing: list[Differing] = field(default_factory=list[Differing])
    not_compared: list[NotCompared] = field(default_factory=list[NotCompared])
    excepted: list[NotCompared] = field(default_factory=list[NotCompared])
    excused: Counter[str] = field(default_factory=Counter[str])

    @property
    def equal(self) -> int:
        """Return how many vectors came out equal."""
        return self.total - len(self.differing) - len(self.not_compared) - len(self.excepted)

    @property
    def passed(self) -> bool:
        """Return whether every vector is equal, or left out by an exception."""
        return not self.differing and not self.not_compared


def compare_files(
    paths: Collection[Path],
    kinds: Collection[str] = (),
    *,
    fail_fast: bool = False,
    progress: Progress | None = None,
    comparisons: Mapping[str, Compare] = COMPARISONS,
    chosen: Callable[[Vector], object] = bool,
) -> Iterator[FileReport]:
    """Yield a report for each file with vectors of these kinds (all without any) that are chosen.

    With `fail_fast` the first difference is the last thing that is looked at.
    """
    for path in paths:
        report = FileReport(path)
        for line, vector in vectors(path):
            if progress is not None:
                progress(path, line)
            kind = _kind(vector)
            # What nobody knows might be of these kinds too: it is never passed over.
            if (kinds and kind and kind not in kinds) or not chosen(vector):
                continue
            _compare_one(report, line, vector, comparisons.get(kind))
            if fail_fast and report.differing:
                break
        if report.total:
            yield report
        if fail_fast and report.differing:
            return


def _kind(vector: Vector) -> str:
    try:
        return kind_of(vector)
    except (AttributeError, KeyError, TypeError):
        return ""  # members of the right names and the wrong shapes


def _compare_one(report: FileReport, line: int, vector: Vector, compare: Compare | None) -> None:
    report.total += 1
    if compare is None:
        keys = ", ".join(vector) or "(none)"
        reason = f"a kind of vector that is not known, with the keys {keys}"
        report.not_compared.append(NotCompared(line, str(vector.get("id", "")), reason))
        return
    report.kinds[kind_of(vector)] += 1
    result = guarded(compare, vector)
    report.excused.update(result.excused)
    if result.excepted:
        report.excepted.append(NotCompared(line, result.id, result.excepted))
    if result.differences:
        report.differing.append(Differing(line, result))


def guarded(compare: Compare, vector: Vector) -> Result:
    """Return a comparison's result; whatever it raises is a difference, not the end of the run."""
    name = str(vector.get("id", ""))
    try:
        result = compare(vector)
    except HarnessError as error:
        said = f"raised {type(error).__name__}: {error.what}"
        return Result(name, (Difference("", said, "what the vector holds"),))
    except Exception as error:  # noqa: BLE001  (one bad vector must not hide the others)
        place = traceback.extract_tb(error.__traceback__)[-1]
        at = f"{Path(place.filename).name}:{place.lineno}"
        said = f"raised {type(error).__name__}: {error} at {at}"
        return Result(name, (Difference("", said, "what the vector holds"),))
    applied = (*result.excused, *filter(None, [result.excepted]))
    unknown = [name for name in applied if name not in EXCEPTIONS]
    if unknown:
        found = Difference("", f"excused by {', '.join(unknown)}", "an exception of the table")
        return Result(result.id, (*result.differences, found), result.excused)
    return result

"""Reports of vectors as lines for a person, and as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.truth.exceptions import EXCEPTIONS
from harness.truth.result import Difference
from harness.truth.run import Differing, FileReport

# Characters of a text that are shown before and after the first differing place.
BEFORE, AFTER = 40, 100


def shortened(ours: str, theirs: str) -> tuple[str, str]:
    """Return two texts cut to what surrounds their first differing place."""
    at = next(
        (n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b),
        min(len(ours), len(theirs)),
    )
    return _cut(ours, at), _cut(theirs, at)


def _cut(text: str, at: int) -> str:
    if len(text) <= BEFORE + AFTER:
        return text
    start, end = max(0, at - BEFORE), at + AFTER
    before = f"…({start} before)…" if start else ""
    after = f"…({len(text) - end} more)" if end < len(text) else ""
    return before + text[start:end] + after


def file_lines(report: FileReport, root: Path) -> Iterator[str]:
    """Yield a file's count and its first difference."""
    kinds = ", ".join(report.kinds) or "-"
    yield f"{named(report.path, root):42} {kinds:12} {report.equal:5} / {report.total}"
    if report.differing:
        yield from _difference_lines(report.differing[0], len(report.differing))


def _difference_lines(differing: Differing, count: int) -> Iterator[str]:
    result = differing.result
    first = result.differences[0]
    ours, theirs = shortened(first.ours, first.theirs)
    more = f" (and {count - 1} more)" if count > 1 else ""
    yield f"    line {differing.line}, {result.id}: {first.where or 'the whole'}{more}"
    yield f"        ours   {ours}"
    yield f"        theirs {theirs}"


def closing_lines(reports: Sequence[FileReport], root: Path) -> Iterator[str]:
    """Yield the exceptions that were applied, what was not compared, and the total."""
    excused = sum((report.excused for report in reports), Counter[str]())
    if excused:
        yield ""
        yield "exceptions applied"
    for name, count in sorted(excused.items()):
        yield f"    {name:30} {count:5}  {_why(name)}"
    excepted = Counter(one.reason for report in reports for one in report.excepted)
    if excepted:
        yield ""
        yield "left out by an exception"
    for name, count in sorted(excepted.items()):
        yield f"    {name:30} {count:5}  {_why(name)}"
    reasons = Counter((r.path, one.reason) for r in reports for one in r.not_compared)
    if reasons:
        yield ""
        yield "not compared"
    for (path, reason), count in reasons.items():
        first = next(o for r in reports for o in r.not_compared if r.path == path)
        yield f"    {named(path, root)}:{first.line}  {count} × {reason}"
    yield ""
    total, equal = sum(r.total for r in reports), sum(r.equal for r in reports)
    differ = sum(len(r.differing) for r in reports)
    unknown = sum(len(r.not_compared) for r in reports)
    left_out = f", {excepted.total()} left out" if excepted else ""
    yield f"equal {equal} / {total}; {differ} differ, {unknown} not compared{left_out}"


def _why(name: str) -> str:
    known = EXCEPTIONS.get(name)
    return f"{known.reason} ({known.source})" if known else "not in the table of exceptions"


def named(path: Path, root: Path) -> str:
    """Return a file's name below the root, or its own."""
    return str(path.relative_to(root)) if path != root and path.is_relative_to(root) else path.name


def as_data(reports: Sequence[FileReport], root: Path) -> Mapping[str, Any]:
    """Return reports as plain data: everything that differs, uncut."""
    return {
        "total": sum(report.total for report in reports),
        "equal": sum(report.equal for report in reports),
        "files": [_file_data(report, root) for report in reports],
    }


def _file_data(report: FileReport, root: Path) -> Mapping[str, Any]:
    return {
        "file": named(report.path, root),
        "kinds": dict(report.kinds),
        "total": report.total,
        "equal": report.equal,
        "excused": dict(report.excused),
        "differing": [
            {
                "line": differing.line,
                "id": differing.result.id,
                "differences": [_difference_data(d) for d in differing.result.differences],
            }
            for differing in report.differing
        ],
        "excepted": dict(Counter(one.reason for one in report.excepted)),
        "not_compared": [
            {"line": one.line, "id": one.id, "reason": one.reason} for one in report.not_compared
        ],
    }


def _difference_data(difference: Difference) -> Mapping[str, str]:
    return {
        "where": difference.where,
        "ours": difference.ours,
        "theirs": difference.theirs,
    }

"""The expectations of an adapter: each failure that its results have, by the defect behind it."""

from __future__ import annotations

import json
from typing import Any

from kept import FAILURES, PASSES, Case, Result

Json = dict[str, Any]
EXPIRES = "2028-01-01"


def explained(result: Result, defects: list[Json]) -> dict[str, list[Case]]:
    """Return the failures of each defect, by its id; "" has those that no defect explains."""
    found: dict[str, list[Case]] = {defect["id"]: [] for defect in defects} | {"": []}
    for case in result.cases:
        if case.judgement in FAILURES:
            blamed = (str(defect["id"]) for defect in defects if case.shows(defect))
            found[next(blamed, "")].append(case)
    return found


def expectations(result: Result, defects: list[Json]) -> str:
    """Return the text of an expectations file."""
    lines = [
        "# Written by `python examples/consumers/matrix.py write`.",
        "expectations: 1",
        "known:",
    ]
    passing = {case.scenario for case in result.cases if case.judgement in PASSES}
    groups = explained(result, defects)
    # A case has one entry; a defect that others always come before is told in theirs.
    behind = [one for one in defects if not groups[one["id"]]]
    for defect in defects:
        failing = groups[defect["id"]]
        others = passing | {c.scenario for i, g in groups.items() if i != defect["id"] for c in g}
        for (words, more, ends), cases in sorted(_apart(failing, defect, behind).items()):
            causes = [one for one in (defect, *behind) if one is defect or one["id"] in more]
            reason = " ".join(f"{one['id']}: {one['what']}" for one in causes)
            apart = {c.scenario for c in failing if c not in cases} | others
            names = sorted({c.id if c.scenario in apart else f"{c.scenario}[" for c in cases})
            for named in words:
                lines += ["  - cases: >-"]
                lines += [f'      "{name}"{" or" if name != names[-1] else ""}' for name in names]
                lines += [
                    f"    finding: {json.dumps(named)}",
                    *([] if ends == "fail" else [f"    verdict: {ends}"]),
                    f"    reason: {json.dumps(reason)}",
                    f"    link: {defect['link']}",
                    f'    expires: "{EXPIRES}"',
                ]
    return "\n".join(lines if len(lines) > 3 else [*lines[:2], "known: []"]) + "\n"


def _apart(
    cases: list[Case], defect: Json, behind: list[Json]
) -> dict[tuple[tuple[str, ...], tuple[str, ...], str], list[Case]]:
    """Return the cases of a defect by the words that show it, by what else they show, and verdict.

    The words come first; behind them are the kinds of the findings that do not have the words, as
    each finding has to be known.
    """
    found: dict[tuple[tuple[str, ...], tuple[str, ...], str], list[Case]] = {}
    for case in cases:
        words = next(w for w in defect["finding"] if case.has([w]))
        others = {f.partition(":")[0] for f in case.findings if not case.has_in(f, words)}
        more = tuple(str(one["id"]) for one in behind if case.shows(one))
        ends = "fail" if case.judgement == "xfail" else case.judgement
        found.setdefault(((words, *sorted(others)), more, ends), []).append(case)
    return found

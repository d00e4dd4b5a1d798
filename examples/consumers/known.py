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
    for defect in defects:
        failing = groups[defect["id"]]
        others = passing | {c.scenario for i, g in groups.items() if i != defect["id"] for c in g}
        for words, cases in sorted(_by_words(failing, defect.get("finding", [])).items()):
            apart = {c.scenario for c in failing if c not in cases} | others
            names = sorted({c.id if c.scenario in apart else f"{c.scenario}[" for c in cases})
            lines += ["  - cases: >-"]
            lines += [f'      "{name}"{" or" if name != names[-1] else ""}' for name in names]
            lines += [
                f"    finding: {json.dumps(words)}",
                f"    reason: {json.dumps(defect['id'] + ': ' + defect['what'])}",
                f"    link: {defect['link']}",
                f'    expires: "{EXPIRES}"',
            ]
    return "\n".join(lines if len(lines) > 3 else [*lines[:2], "known: []"]) + "\n"


def _by_words(cases: list[Case], words: list[str]) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    for case in cases:
        found.setdefault(next(w for w in words if case.has([w])), []).append(case)
    return found

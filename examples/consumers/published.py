"""The page that people read of the results, and which files the harness's own reports go to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from kept import PASSES, RESULTS, Case, Result

Json = dict[str, Any]
HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs" / "explanation"
PAGE = DOCS / "third-parties.md"
DRAWN = DOCS / "third-parties"  # the matrix as HTML, and the badges
FINDING_MAX = 220


def reports(adapters: list[str]) -> list[list[str]]:
    """Return the arguments of `harness report` for each report that is published."""
    files = {name: str(RESULTS / f"{name}.ndjson") for name in adapters}
    badge = ["--to", "badge", "--filtered"]  # each run is over the cases of adapters.toml
    badges = [[files[name], *badge, "-o", str(DRAWN / f"{name}.svg")] for name in adapters]
    return [[*files.values(), "--to", "html", "-o", str(DRAWN / "matrix.html")], *badges]


def page(adapters: dict[str, Json], results: dict[str, Result]) -> str:
    """Return the public matrix in Markdown."""
    lines = [(HERE / "third-parties.head.md").read_text(encoding="utf-8").rstrip(), ""]
    lines += ["## The runs", "", *_runs(adapters, results), ""]
    unrun = [f"`{name}`" for name in adapters if name not in results]
    lines += [f"No whole run is kept yet of {', '.join(unrun)}.", ""] if unrun else []
    lines += ["## The matrix", "", "Passed of applicable cases, by protocol.", ""]
    lines += [*_matrix(results, "protocol"), "", "The same by scenario folder.", ""]
    lines += [*_matrix(results, "folder"), "", "## The defects", ""]
    lines += ["In the order of their ids. The scenario is the smallest that shows the defect.", ""]
    return "\n".join([*lines, *_defects(adapters, results)]) + "\n"


def _runs(adapters: dict[str, Json], results: dict[str, Result]) -> list[str]:
    heads = "adapter", "what it is", "version", "day", "passed / applicable / total", "known"
    rows = [f"| {' | '.join(heads)} |", "| --- |" + " --- |" * 5]
    for name, one in results.items():
        says = _md(adapters[name]["says"])
        numbers = f"{one.passed} / {one.applicable} / {one.total}"
        badge = f"![{numbers}](third-parties/{name}.svg)"
        home, known = Path(adapters[name]["manifest"]).parent, adapters[name]["expectations"]
        entries = f"[{known}](../../examples/consumers/{home}/{known})"
        rows += [f"| `{name}` | {says} | {one.version} | {one.day} | {badge} | {entries} |"]
    return rows


def _matrix(results: dict[str, Result], by: str) -> list[str]:
    lines = sorted({_of(case, by) for one in results.values() for case in one.cases})
    rows = [f"| {by} | {' | '.join(f'`{name}`' for name in results)} |"]
    rows += ["| --- |" + " ---: |" * len(results)]
    for line in lines:
        cells = (_cell([c for c in one.cases if _of(c, by) == line]) for one in results.values())
        rows += [f"| {line} | {' | '.join(cells)} |"]
    return rows


def _of(case: Case, by: str) -> str:
    """Return a case's folder, or its protocol: `keys.pk-swap[vitess,p1]`."""
    folder = case.scenario.partition(".")[0]
    return folder if by == "folder" else case.id.partition("[")[2].partition(",")[0]


def _cell(cases: list[Case]) -> str:
    passed = sum(case.judgement in PASSES for case in cases)
    return f"{passed} / {len(cases)}" if cases else ""


def _defects(adapters: dict[str, Json], results: dict[str, Result]) -> list[str]:
    found = [
        (defect, name, results[name].showing(defect))
        for name in results
        for defect in adapters[name].get("defects", [])
    ]
    rows = ["| defect | what is wrong | adapter | scenario | verdict | finding | cases |"]
    rows += ["| --- |" + " --- |" * 6]
    rows += [_row(*one) for one in sorted(found, key=lambda one: _order(one[0]["id"]))]
    return rows


def _order(identity: str) -> tuple[str, int]:
    """Return what sorts C9 before C10."""
    letter, number = identity[0], identity[1:]
    return letter, int(number)


def _row(defect: Json, adapter: str, cases: list[Case]) -> str:
    head = f"| {defect['id']} | {_md(defect['what'])} | `{adapter}` |"
    if not cases and "silent" not in defect:
        return f"{head} – | not shown | no case of this run shows it | 0 |"
    if not cases:
        return f"{head} {_scenario(defect['passes'])} | pass | {_md(defect['silent'])} | 0 |"
    shown = cases[0]
    finding = _md((shown.has(defect["finding"]) or "")[:FINDING_MAX])
    return f"{head} {_scenario(shown.scenario)} | {shown.judgement} | {finding} | {len(cases)} |"


def _scenario(name: str) -> str:
    return f"[{name}](../../scenarios/{name.replace('.', '/', 1)}.yaml)"


def _md(text: str) -> str:
    """Return a text as a cell of a table shows it."""
    return re.sub(r"([|<*_`\[\]])", r"\\\1", text) if "`" not in text else text.replace("|", "\\|")

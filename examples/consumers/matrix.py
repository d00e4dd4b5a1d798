"""Run the adapters, keep what was found, and write from it what people read.

    matrix.py run [ADAPTER...]     certify, and keep results/<adapter>.jsonl
    matrix.py check [ADAPTER...]   certify with the known failures: exit 0 when the lists are right
    matrix.py write                write the expectations and the public matrix

`adapters.toml` says which cases each adapter is run over, and which defect has which words in its
findings. A failure that no defect explains stops `write`: a list of excuses is not made by itself.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "explanation" / "third-parties.md"
RUNS = Path(".harness") / "third-parties"
DEADLINE_S = "900"  # of a start, which may have dozens of changefeeds
FAILURES = {"fail", "crash", "timeout", "invalid", "inconclusive", "xfail"}
HEAD = ("| defect | what | scenario | verdict | finding | cases |", "| --- |" + " --- |" * 5)
PASSES = {"pass", "xpass"}


@dataclass(frozen=True, slots=True)
class Case:
    """One applicable case of a run: its id, judgement, and the findings' kinds and messages."""

    id: str
    judgement: str
    findings: tuple[str, ...]

    @property
    def scenario(self) -> str:
        """Return the scenario's id."""
        return self.id.partition("[")[0]

    def has(self, words: list[str]) -> str | None:
        """Return the finding that has one of the words, or None."""
        # The harness looks for the words in "kind message".
        told = [(finding, finding.replace(": ", " ", 1).lower()) for finding in self.findings]
        return next((finding for finding, text in told for w in words if w.lower() in text), None)


@dataclass(frozen=True, slots=True)
class Result:
    """What a run over an adapter brought."""

    total: int
    cases: tuple[Case, ...]


def certify(name: str, adapter: dict[str, Any], *, strict: bool) -> int:
    """Run one adapter; return the harness's exit code."""
    RUNS.mkdir(parents=True, exist_ok=True)
    events = RUNS / f"{name}.ndjson"
    command = [
        *(sys.executable, "-m", "harness", "certify", str(HERE / adapter["manifest"])),
        *("-k", adapter["cases"], "--ndjson", str(events), "--deadline", DEADLINE_S),
        *(("--strict",) if strict else ()),
    ]
    print(shlex.join(command), flush=True)
    code = subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode
    if strict and code in {0, 1}:
        kept = HERE / "results" / f"{name}.jsonl"
        kept.parent.mkdir(exist_ok=True)
        kept.write_text("".join(_kept(events)), encoding="utf-8")
    return code


def _kept(events: Path) -> Iterator[str]:
    """Yield the lines that are worth keeping of a run's events."""
    count: Counter[str] = Counter()
    rows = []
    for line in events.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["event"] != "case-finished":
            continue
        verdict = event["verdict"]
        count[verdict["judgement"]] += 1
        if verdict["judgement"] == "not-applicable":
            continue
        findings = [f"{f['kind']}: {_plain(f['message'])}" for f in verdict["findings"][:3]]
        rows.append(
            {"case": verdict["case"], "judgement": verdict["judgement"], "findings": findings}
        )
    yield (
        json.dumps({"total": sum(count.values()), "judgements": dict(sorted(count.items()))}) + "\n"
    )
    for row in sorted(rows, key=lambda row: str(row["case"])):
        yield json.dumps(row, ensure_ascii=False) + "\n"


def _plain(message: str) -> str:
    """Return a finding's text without what differs from run to run, at most 300 characters."""
    text = re.sub(r"harness-[0-9a-f]{6}-", "", " ".join(message.split()))
    return text[:300]


def result(name: str) -> Result:
    """Return the kept result of an adapter."""
    head, *rows = (HERE / "results" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    cases = (json.loads(row) for row in rows)
    return Result(
        json.loads(head)["total"],
        tuple(Case(c["case"], c["judgement"], tuple(c["findings"])) for c in cases),
    )


def explained(result: Result, defects: list[dict[str, Any]]) -> dict[str, list[Case]]:
    """Return the failures of each defect, by its id; "" has those that no defect explains."""
    found: dict[str, list[Case]] = {defect["id"]: [] for defect in defects} | {"": []}
    for case in result.cases:
        if case.judgement in FAILURES:
            found[_blamed(case, defects)].append(case)
    return found


def _blamed(case: Case, defects: list[dict[str, Any]]) -> str:
    return next((str(defect["id"]) for defect in defects if _shows(case, defect)), "")


def _shows(case: Case, defect: dict[str, Any]) -> bool:
    only = defect.get("only", [""])
    in_question = any(words in case.id for words in only)
    return in_question and case.has(defect.get("finding", [])) is not None


def expectations(result: Result, defects: list[dict[str, Any]]) -> str:
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
                f'    expires: "{defect.get("expires", "2028-01-01")}"',
            ]
    return "\n".join(lines if len(lines) > 3 else [*lines[:2], "known: []"]) + "\n"


def _by_words(cases: list[Case], words: list[str]) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    for case in cases:
        found.setdefault(next(w for w in words if case.has([w])), []).append(case)
    return found


def page(adapters: dict[str, Any]) -> str:
    """Return the public matrix."""
    lines = [(HERE / "third-parties.head.md").read_text(encoding="utf-8").rstrip(), ""]
    lines += ["## The matrix", "", "Passed of applicable cases, by scenario folder.", ""]
    results = {name: result(name) for name in adapters}
    folders = sorted({c.scenario.partition(".")[0] for r in results.values() for c in r.cases})
    names = list(adapters)
    lines += [f"| folder | {' | '.join(f'`{name}`' for name in names)} |"]
    lines += ["| --- |" + " ---: |" * len(names)]
    for folder in folders:
        lines += [f"| {folder} | {' | '.join(_cell(results[n], folder) for n in names)} |"]
    lines += [f"| **all** | {' | '.join(f'**{_cell(results[n], None)}**' for n in names)} |"]
    lines += [f"| of cases run | {' | '.join(str(results[n].total) for n in names)} |", ""]
    lines += ["## The defects", ""]
    for name, adapter in adapters.items():
        lines += [f"### {name}", "", adapter["says"], ""]
        lines += [*HEAD]
        failed = [case for case in results[name].cases if case.judgement in FAILURES]
        for defect in adapter.get("defects", []):  # a case may show several defects
            lines.append(_row(defect, [case for case in failed if _shows(case, defect)]))
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _cell(result: Result, folder: str | None) -> str:
    cases = [c for c in result.cases if folder in {None, c.scenario.partition(".")[0]}]
    passed = sum(c.judgement in PASSES for c in cases)
    return f"{passed} / {len(cases)}" if cases else ""


def _row(defect: dict[str, Any], cases: list[Case]) -> str:
    if not cases:
        why = defect.get("silent", "no case of this run shows it")
        return f"| {defect['id']} | {_md(defect['what'])} | – | not shown | {_md(why)} | 0 |"
    shown = next((c for c in cases if c.scenario == defect.get("shown")), cases[0])
    path = shown.scenario.replace(".", "/", 1)
    link = f"[{shown.scenario}](../../scenarios/{path}.yaml)"
    finding = _md(shown.has(defect["finding"]) or "")
    return (
        f"| {defect['id']} | {_md(defect['what'])} | {link} | {shown.judgement} | {finding[:220]}"
        f" | {len(cases)} |"
    )


def _md(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def write(adapters: dict[str, Any]) -> int:
    """Write the expectations of every adapter, and the page; return 1 for what is unexplained."""
    unexplained = 0
    for name, adapter in adapters.items():
        found, defects = result(name), adapter.get("defects", [])
        for case in explained(found, defects)[""]:
            print(f"{name}: no defect explains {case.id}: {'; '.join(case.findings)[:300]}")
            unexplained = 1
        file = HERE / Path(adapter["manifest"]).parent / adapter["expectations"]
        file.write_text(expectations(found, defects), encoding="utf-8")
    PAGE.write_text(page(adapters), encoding="utf-8")
    return unexplained


def main(words: list[str]) -> int:
    """Do what the command line says; return the exit code."""
    adapters = tomllib.loads((HERE / "adapters.toml").read_text(encoding="utf-8"))
    what, *names = words or ["help"]
    if what not in {"run", "check", "write"} or set(names) - set(adapters):
        print(f"{__doc__}\nAdapters: {', '.join(adapters)}", file=sys.stderr)
        return 2
    if what == "write":
        kept = {n: a for n, a in adapters.items() if (HERE / "results" / f"{n}.jsonl").is_file()}
        return write(kept)
    strict = what == "run"
    codes = [certify(name, adapters[name], strict=strict) for name in names or adapters]
    return max((code for code in codes if not strict or code != 1), default=0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

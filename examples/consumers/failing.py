"""What each adapter fails, short enough to travel with the package: `harness explain` reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kept import FAILURES, Case, Result, file_of
from known import explained

Json = dict[str, Any]
FILE = Path(__file__).parents[2] / "harness" / "report" / "explain" / "third_parties.json"


def text(adapters: dict[str, Json], results: dict[str, Result]) -> str:
    """Return the file: each adapter's failing cases with their defects, kinds and clauses."""
    found = {name: _adapter(name, adapters[name], one) for name, one in results.items()}
    return json.dumps(found, ensure_ascii=False, indent=0) + "\n"


def _adapter(name: str, adapter: Json, result: Result) -> Json:
    defects = adapter.get("defects", [])
    of: dict[str, str] = {
        case.id: defect for defect, cases in explained(result, defects).items() for case in cases
    }
    named = _named(name)
    return {
        "says": adapter["says"],
        "version": result.version,
        "day": result.day,
        "defects": {str(one["id"]): one["what"] for one in defects},
        "fails": {case.id: [of[case.id], *named[case.id]] for case in result.cases if _fails(case)},
    }


def _fails(case: Case) -> bool:
    return case.judgement in FAILURES


def _named(name: str) -> dict[str, list[str]]:
    """Return what the findings of each case name, as `kind clause`, each once."""
    events = map(json.loads, file_of(name).read_text("utf-8").splitlines())
    verdicts = (event["verdict"] for event in events if event["event"] == "case-finished")
    return {
        one["case"]: list(dict.fromkeys(f"{f['kind']} {f['clause']}" for f in one["findings"]))
        for one in verdicts
    }

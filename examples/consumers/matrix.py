"""Run the adapters, keep what was found, and write from it what people read.

    matrix.py run [ADAPTER...]     certify with nothing excused, and keep results/<adapter>.ndjson
    matrix.py check [ADAPTER...]   certify with the known failures: exit 0 when the lists are right
    matrix.py write                write the expectations, the public matrix, its HTML and badges,
                                   and what `harness explain` says of the adapters

`adapters.toml` says which cases each adapter is run over, and which defect has which words in its
findings. A failure that no defect explains ends `write` with 1, and so does a defect that no case
shows: a list of excuses is not made by itself.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import failing
import published
from kept import file_of, keep, result
from known import expectations, explained

Json = dict[str, Any]
HERE = Path(__file__).parent
RUNS = Path(".harness") / "third-parties"
DEADLINE_S = 900  # of a start, which may have dozens of changefeeds
HARNESS = (sys.executable, "-m", "harness")
# All reports in one process: each start of the harness costs more than a report.
DRAW = """
import json, sys
from harness.cli.main import main
sys.exit(max(main(["report", *words]) for words in json.load(sys.stdin)))
"""


def certify(name: str, adapter: Json, *, strict: bool) -> int:
    """Run one adapter; return the harness's exit code."""
    RUNS.mkdir(parents=True, exist_ok=True)
    events = RUNS / f"{name}.ndjson"
    known = _known(adapter)
    if not known.exists():  # the manifest names it, so the first run needs one
        known.write_text("expectations: 1\nknown: []\n", encoding="utf-8")
    command = [
        *(*HARNESS, "certify", os.path.relpath(HERE / adapter["manifest"])),
        *("-k", adapter["cases"], "--ndjson", str(events)),
        *("--deadline", str(adapter.get("deadline", DEADLINE_S))),
        *(("--strict",) if strict else ()),
    ]
    print(shlex.join(command), flush=True)
    output = subprocess.DEVNULL if strict else None  # what is not known, a person wants to read
    code = subprocess.run(command, check=False, stdout=output).returncode
    if strict and code in {0, 1}:
        keep(events, name, adapter.get("defects", []))
    return code


def at_hand(adapters: dict[str, Json]) -> list[str]:
    """Return the adapters whose environment is there, and name the others."""
    found: list[str] = []
    for name, adapter in adapters.items():
        absent = [variable for variable in adapter.get("needs", []) if variable not in os.environ]
        if absent:
            print(f"{name} is left out: {', '.join(absent)} not set", flush=True)
        else:
            found.append(name)
    return found


def _known(adapter: Json) -> Path:
    return HERE / Path(adapter["manifest"]).parent / str(adapter["expectations"])


def write(adapters: dict[str, Json]) -> int:
    """Write what follows from the results; return 1 for a failure or a defect without the other."""
    results = {name: result(name) for name in adapters if file_of(name).is_file()}
    unexplained = 0
    for name, found in results.items():
        adapter, defects = adapters[name], adapters[name].get("defects", [])
        for case in explained(found, defects)[""]:
            print(f"{name}: no defect explains {case.id}: {'; '.join(case.findings)[:300]}")
            unexplained = 1
        for defect in defects:
            if "silent" not in defect and not found.showing(defect):
                print(f"{name}: no case shows {defect['id']}: {defect['what']}")
                unexplained = 1
        _known(adapter).write_text(expectations(found, defects), encoding="utf-8")
    published.PAGE.write_text(published.page(adapters, results), encoding="utf-8")
    failing.FILE.parent.mkdir(parents=True, exist_ok=True)
    failing.FILE.write_text(failing.text(adapters, results), encoding="utf-8")
    published.DRAWN.mkdir(exist_ok=True)
    reports = json.dumps(published.reports(list(results)))
    drawn = subprocess.run([sys.executable, "-c", DRAW], input=reports, text=True, check=False)
    return max(unexplained, drawn.returncode)


def main(words: list[str]) -> int:
    """Do what the command line says; return the exit code."""
    adapters = tomllib.loads((HERE / "adapters.toml").read_text(encoding="utf-8"))
    what, *names = words or ["help"]
    if what not in {"run", "check", "write"} or set(names) - set(adapters):
        print(f"{__doc__}\nAdapters: {', '.join(adapters)}", file=sys.stderr)
        return 2
    if what == "write":
        return write(adapters)
    strict = what == "run"
    codes = [certify(name, adapters[name], strict=strict) for name in names or at_hand(adapters)]
    return max((code for code in codes if not strict or code != 1), default=0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

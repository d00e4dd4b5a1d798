"""What `harness mutants --real` prints: a line for each wrong program, and detected / total."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.engine.mutation.real import RealRun
from harness.errors import plural


def lines(run: RealRun) -> Iterator[str]:
    """Yield the lines for people, the total last."""
    for case in run.baseline_failures:
        yield f"BASELINE reference does not pass {case}"
    for one in run.results:
        what = "detected" if one.detected else "MISSED"
        yield f"{what}   {one.name} by {plural(len(one.cases), 'case')}"
        yield from (f"         passes {case}" for case in one.missed)
        yield from (f"         no verdict by {case}" for case in one.undecided)
        yield from (f"         fails elsewhere: {case}" for case in one.astray)
    detected = sum(one.detected for one in run.results)
    yield f"{detected} of {len(run.results)} wrong programs detected on real services"


def as_data(run: RealRun) -> dict[str, Any]:
    """Return the run for `--json`."""
    return {
        "sound": run.sound,
        "detected": sum(one.detected for one in run.results),
        "total": len(run.results),
        "baseline_failures": list(run.baseline_failures),
        "results": [
            {
                "name": one.name,
                "detected": one.detected,
                "cases": list(one.cases),
                "missed": list(one.missed),
                "undecided": list(one.undecided),
                "astray": list(one.astray),
            }
            for one in run.results
        ],
    }

"""Which scenarios add no teeth, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness.engine.mutation.teeth import Teeth
from harness.errors import plural


def lines(found: Sequence[Teeth], unsound: Sequence[str]) -> Iterator[str]:
    """Yield the scenarios without teeth of their own, those left out, then one line of counts."""
    for one in found:
        if not one.mutant:
            yield f"NO TEETH   {one.scenario:<44} {_why(one)}"
    for name in unsound:
        yield f"left out, for it is not sound: {name} (`harness check` says why)"
    sharp = sum(bool(one.mutant) for one in found)
    yield (
        f"{sharp} of {len(found)} scenarios detect a mutant that a neighbour in their folder lets "
        "pass"
    )


def _why(one: Teeth) -> str:
    if not one.neighbours:
        return "it detects no mutant"
    return (
        f"it detects no mutant that one of its {plural(len(one.neighbours), 'neighbour')} lets pass"
    )


def as_data(found: Sequence[Teeth], unsound: Sequence[str]) -> dict[str, Any]:
    """Return everything as JSON has it."""
    return {
        "sound": not unsound and all(one.mutant for one in found),
        "unsound_scenarios": list(unsound),
        "scenarios": [
            {
                "scenario": one.scenario,
                "mutant": one.mutant or None,
                "case": one.case or None,
                "neighbours": list(one.neighbours),
            }
            for one in found
        ],
    }

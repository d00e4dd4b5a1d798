"""What the documents say of order, keys and partitions is stated in scenarios, beside the goldens.

A golden shows what our own encoder does. A scenario that cites a clause whose text speaks of what
`expect.records` can say therefore says it, for each protocol of its matrix that the clause governs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from harness.protocols.clauses import CLAUSES, governs
from harness.scenario.document import Scenario
from harness.scenario.load import load, load_all

ROOT = Path(__file__).parents[2] / "scenarios"
PARTS = re.compile(
    r"\b(partition|topic|header|tombstone|subject|message|key)s?\b|\b(order|epoch|rank)\b"
)
EXAMPLE = ROOT / "dml" / "insert-update-delete.yaml"


def unstated(scenario: Scenario) -> Iterator[str]:
    """Yield each protocol for which a cited clause asks for statements and there is none."""
    cited = [CLAUSES[name] for name in scenario.clauses if PARTS.search(CLAUSES[name].text)]
    for protocol in scenario.matrix.protocols:
        asked = any(governs(clause, protocol) for clause in cited)
        if asked and not scenario.expect.records.get(protocol):
            yield protocol


def test_order_keys_and_partitions_are_stated() -> None:
    """A scenario that cites a clause of order, keys or partitions states `expect.records`."""
    silent = {scenario.id: [*unstated(scenario)] for scenario in load_all(ROOT)}
    assert {name: protocols for name, protocols in silent.items() if protocols} == {}


def test_a_silent_protocol_is_found() -> None:
    """Each protocol counts for itself: without its statements it is named."""
    scenario = load(EXAMPLE, ROOT)
    for protocol in scenario.matrix.protocols:
        others = {name: said for name, said in scenario.expect.records.items() if name != protocol}
        silent = replace(scenario, expect=replace(scenario.expect, records=others))
        assert [*unstated(silent)] == [protocol]

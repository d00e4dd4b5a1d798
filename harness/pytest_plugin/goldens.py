"""Goldens on the way to a review: the difference first, then the files.

Only what the author's own expectations agree with is written; recorded changes are never touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.engine.catalogue import golden
from harness.engine.catalogue.plans import golden_differences
from harness.engine.catalogue.workspace import workspace
from harness.errors import ScenarioError
from harness.pytest_plugin.answer import Chosen
from harness.report.golden_diff import difference_lines
from harness.scenario.document import Scenario


def rewrite(chosen: Sequence[Chosen]) -> Iterator[str]:
    """Rewrite the goldens of the cases' scenarios; yield the differences, each before its file.

    A scenario that cannot be planned is passed over: its cases will say why.
    """
    scenarios: dict[tuple[Path, str], Scenario] = {}
    for one in chosen:
        scenarios[one.root, one.case.scenario.id] = one.case.scenario
    for (root, _), scenario in scenarios.items():
        try:
            found = golden_differences(workspace(Path.cwd(), root), (scenario,), expectations=True)
        except ScenarioError:
            continue
        for difference in found:
            yield from map(str, difference_lines(difference))
            golden.accept((difference,))
            removed = difference.now is None
            yield f"{'removed' if removed else 'rewrote'} {difference.path}"

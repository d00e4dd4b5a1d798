"""Golden differences as a person reads them: one diff a file, with what changed within a line.

Goldens have long lines in which a single digit may differ. Where lines replace as many others, the
part of a line that differs from its counterpart is reversed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.text import Text

from harness.engine.catalogue.golden import Difference, diff
from harness.errors import plural
from harness.report.escapes import visible
from harness.report.highlight import differing_part

STYLES = {"-": "red", "+": "green", "@": "cyan"}
CHANGED = "reverse"


def difference_lines(difference: Difference) -> Iterator[Text]:
    """Yield the lines of one file's diff; plain where the console has no colours."""
    yield Text(str(difference.path), style="bold")
    body = [visible(line) for line in diff(difference)][2:]
    yield Text(f"  {_summary(difference, body)}", style="dim")
    runs = [list(lines) for _, lines in groupby(body, key=lambda line: line[:1])]
    for number, lines in enumerate(runs):
        counterpart = _counterpart(runs, number)
        for index, line in enumerate(lines):
            text = Text(f"  {line}", style=STYLES.get(line[:1], ""))
            if len(counterpart) == len(lines):
                first, last = differing_part(line[1:], counterpart[index][1:])
                text.stylize(CHANGED, 3 + first, 3 + last)
            yield text


def _counterpart(runs: Sequence[Sequence[str]], number: int) -> Sequence[str]:
    """Return the lines that replace those of a run, or that they replace; none for context."""
    sign = runs[number][0][:1]
    other = {"-": number + 1, "+": number - 1}.get(sign, -1)
    if not 0 <= other < len(runs) or runs[other][0][:1] not in ("-", "+"):
        return ()
    return runs[other]


def _summary(difference: Difference, body: Sequence[str]) -> str:
    if difference.there is None:
        return "is missing; it would hold:"
    if difference.now is None:
        return "is stale: its scenario has no such variant; it holds:"
    gone, come = (sum(line.startswith(sign) for line in body) for sign in "-+")
    now = f"what the scenario gives now ({plural(come, 'line')})"
    return f"- the golden ({plural(gone, 'line')}), + {now}"

"""Golden differences as a person reads them: one diff a file, with what changed within a line.

Goldens have long lines in which a single digit may differ; where a line replaces another, the part
that both do not share stands out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from os.path import commonprefix

from rich.text import Text

from harness.engine.golden import Difference, diff
from harness.report.escapes import visible

STYLES = {"-": "red", "+": "green", "@": "cyan"}
CHANGED = "reverse"


def difference_lines(difference: Difference) -> Iterator[Text]:
    """Yield the lines of one file's diff; plain where the console has no colours."""
    yield Text(str(difference.path), style="bold")
    body = [visible(line) for line in diff(difference)][2:]
    yield Text(f"  {_summary(difference, body)}", style="dim")
    runs = [(kind, list(lines)) for kind, lines in groupby(body, key=lambda line: line[:1])]
    for number, (kind, lines) in enumerate(runs):
        before, after = (runs[i] if 0 <= i < len(runs) else ("", []) for i in (number - 1, number + 1))
        other = {"-": after, "+": before}.get(kind, ("", []))
        paired = other[0] in STYLES and other[0] != "@" and len(other[1]) == len(lines)
        for index, line in enumerate(lines):
            text = Text(f"  {line}", style=STYLES.get(kind, ""))
            if paired:
                first, last = _unshared(line[1:], other[1][index][1:])
                text.stylize(CHANGED, 3 + first, 3 + last)
            yield text


def _summary(difference: Difference, body: list[str]) -> str:
    if difference.there is None:
        return "is missing; it would hold:"
    if difference.now is None:
        return "is stale: its scenario has no such variant; it holds:"
    gone, come = (sum(line.startswith(sign) for line in body) for sign in "-+")
    return f"- {gone} golden lines, + {come} lines as the scenario gives now"


def _unshared(one: str, other: str) -> tuple[int, int]:
    """Return the extent within `one` of what it does not share with `other` at either end."""
    first = len(commonprefix([one, other]))
    tail = len(commonprefix([one[first:][::-1], other[first:][::-1]]))
    return first, len(one) - tail

"""One change of a golden as a person reads it: what it was, what it is, which parts, and whence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from rich.text import Text

from harness.engine.catalogue.golden_changes import GoldenChange
from harness.errors import plural
from harness.report.escapes import visible
from harness.report.highlight import differing_part

REVERSED = "reverse"
SHOWN = 4  # lines that stay, one after another


def change_lines(file: str, change: GoldenChange, number: int, count: int) -> Iterator[Text]:
    """Yield the lines of one change; plain where the console has no colours."""
    yield Text(f"{file}  {number} of {count}", style="bold")
    yield Text(f"  {visible(change.place)}: {', '.join(change.parts)}")
    for origin in change.origins:
        yield Text(f"  made by {visible(origin)}", style="dim")
    yield from _sides(change.before, change.after)
    yield Text("")


def _sides(before: Sequence[str], after: Sequence[str]) -> Iterator[Text]:
    """Yield the lines of both versions; lines that stay have no sign."""
    for kind, i, i_end, j, j_end in SequenceMatcher(None, before, after).get_opcodes():
        if kind == "equal":
            yield from _same(before[i:i_end])
            continue
        paired = i_end - i == j_end - j
        for at in range(i, i_end):
            yield _signed("-", "red", before[at], after[j + at - i] if paired else None)
        for at in range(j, j_end):
            yield _signed("+", "green", after[at], before[i + at - j] if paired else None)


def _same(lines: Sequence[str]) -> Iterator[Text]:
    """Yield lines that stay; of many the first and the last."""
    shown = list(lines)
    if len(shown) > SHOWN:
        shown[1:-1] = [f"… {plural(len(shown) - 2, 'line')} as before"]
    yield from (Text(f"    {visible(line)}", style="dim") for line in shown)


def _signed(sign: str, style: str, line: str, other: str | None) -> Text:
    shown = visible(line)
    text = Text(f"  {sign} {shown}", style=style)
    if other is not None:
        first, last = differing_part(shown, visible(other))
        text.stylize(REVERSED, 4 + first, 4 + last)
    return text

"""The colours of a finding: labels step back, what was expected is green, what came is red."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.text import Text

from harness.report.unshared import unshared

# Label of a line -> the style of what stands behind it.
LABELS = {
    "- expected": "green",
    "+ actual": "red",
    "clause": "cyan",
    "scenario": "",
    "record": "",
    "repeat": "bold",
}
_LABEL = re.compile(rf" {{2,4}}({'|'.join(map(re.escape, LABELS))}) +")
_OPPOSITE = {"- expected": 1, "+ actual": -1}


def styled(lines: Sequence[str]) -> Iterator[Text]:
    """Yield the lines that explain a case, coloured; the difference of two values stands out."""
    labels = [_LABEL.match(line) for line in lines]
    for number, (line, label) in enumerate(zip(lines, labels, strict=True)):
        text = Text(line)
        if label is not None:
            text.stylize("dim", 0, label.end())
            text.stylize(LABELS[label[1]], label.end())
            other = number + _OPPOSITE.get(label[1], len(lines))
            opposite = labels[other] if 0 <= other < len(lines) else None
            if opposite is not None:
                start = label.end()
                first, last = unshared(line[start:], lines[other][opposite.end() :])
                text.stylize("reverse", start + first, start + last)
        yield text

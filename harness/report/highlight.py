"""Colours for a finding, and which part of two similar lines differs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.text import Text

# Label of a line -> the style of the text after it.
LABELS = {
    "- expected": "green",
    "+ actual": "red",
    "clause": "cyan",
    "scenario": "",
    "cause": "",
    "record": "",
    "settings": "",
    "standing": "",
    "repeat": "bold",
}
_LABEL = re.compile(rf" {{2,4}}({'|'.join(map(re.escape, LABELS))}) +")
_OPPOSITE = {"- expected": 1, "+ actual": -1}


def styled(lines: Sequence[str]) -> Iterator[Text]:
    """Yield the lines that explain a case, coloured: expected green, actual red, labels dim.

    The part in which an expected and an actual value differ is reversed.
    """
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
                first, last = differing_part(line[start:], lines[other][opposite.end() :])
                text.stylize("reverse", start + first, start + last)
        yield text


def differing_part(one: str, other: str) -> tuple[int, int]:
    """Return start and end, within `one`, of what remains without the common beginning and end."""
    first = _common_start(one, other)
    tail = _common_start(one[first:][::-1], other[first:][::-1])
    return first, len(one) - tail


def _common_start(one: str, other: str) -> int:
    """Return how many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))

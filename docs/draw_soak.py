#!/usr/bin/env python3
"""Draws docs/soak.svg: memory and handles over the minutes of a self-test.

`harness selftest --minutes 60 --json > soak.json`, then `docs/draw_soak.py soak.json`, from the
checkout.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().with_name("soak.svg")
WIDTH, HEIGHT, LEFT, TOP, GAP = 760, 190, 70, 40, 60
RIGHT = WIDTH - 20
OWN, TRIALS = "#0b6e4f", "#c05621"
# What is drawn in each of the two pictures: a title, and a line for each key.
PANELS = (
    ("memory, MB", {"own_mb": OWN, "trials_mb": TRIALS}),
    ("open handles", {"own_handles": OWN, "trials_handles": TRIALS}),
)
WORDS = {OWN: "the self-test itself", TRIALS: "the most that runs had in a minute"}


def panel(
    samples: Sequence[Mapping[str, Any]], title: str, keys: Mapping[str, str], top: int
) -> Iterator[str]:
    """Yield one picture: its frame with the greatest values, and its lines."""
    most = max(sample[key] for sample in samples for key in keys) or 1
    last = samples[-1]["minute"] or 1
    bottom = top + HEIGHT

    def place(sample: Mapping[str, Any], key: str) -> str:
        x = LEFT + (RIGHT - LEFT) * sample["minute"] / last
        return f"{x:.1f},{bottom - HEIGHT * sample[key] / most:.1f}"

    yield f'<text x="{LEFT}" y="{top - 10}" font-weight="bold">{title}</text>'
    yield f'<path d="M{LEFT} {top}V{bottom}H{RIGHT}" fill="none" stroke="#666"/>'
    yield f'<text x="{LEFT - 8}" y="{top + 10}" text-anchor="end">{most:,.0f}</text>'
    yield f'<text x="{LEFT - 8}" y="{bottom}" text-anchor="end">0</text>'
    yield f'<text x="{RIGHT}" y="{bottom + 18}" text-anchor="end">{last:.0f} min</text>'
    for key, colour in keys.items():
        points = " ".join(place(sample, key) for sample in samples)
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield (
            f'<text x="{RIGHT}" y="{float(points.rpartition(",")[2]) - 6:.1f}" fill="{colour}" '
            f'text-anchor="end">{samples[-1][key]:,.0f}</text>'
        )


def drawing(samples: Sequence[Mapping[str, Any]]) -> str:
    """Return the whole picture."""
    parts = [
        line
        for number, (title, keys) in enumerate(PANELS)
        for line in panel(samples, title, keys, TOP + number * (HEIGHT + GAP))
    ]
    height = TOP + len(PANELS) * (HEIGHT + GAP)
    for number, (colour, words) in enumerate(WORDS.items()):
        parts.append(f'<text x="{LEFT + 250 * number}" y="{height}" fill="{colour}">{words}</text>')
    box = f'viewBox="0 0 {WIDTH} {height + 16}" font-family="sans-serif" font-size="13"'
    ground = f'<rect width="{WIDTH}" height="{height + 16}" fill="white"/>'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" {box}>'
    return "\n".join([opening, ground, *parts, "</svg>\n"])


if __name__ == "__main__":
    document = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    TARGET.write_text(drawing(document["samples"]), encoding="utf-8")

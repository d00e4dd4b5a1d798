"""How explanations look: headings, paragraphs of 100 columns, lists that are cut short."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

WIDTH = 100
SHOWN = 6


def paragraph(text: str, indent: int = 2, hanging: int = 0) -> Iterator[str]:
    """Yield a text in lines, the later ones `hanging` further in."""
    yield from textwrap.wrap(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hanging),
        break_long_words=False,
        break_on_hyphens=False,
    )


def fact(name: str, text: str) -> Iterator[str]:
    """Yield a named fact; nothing where there is none."""
    if text:
        yield from paragraph(f"{name:13} {text}", 2, 14)


def listed(title: str, items: Sequence[Sequence[str]], shown: int = SHOWN) -> Iterator[str]:
    """Yield a heading and the lines of the first items, and how many more there are."""
    if not items:
        return
    yield ""
    yield f"{title} ({len(items)})" if len(items) > 1 else title
    for lines in items[:shown]:
        yield from lines
    if len(items) > shown:
        yield f"  … and {len(items) - shown} more"

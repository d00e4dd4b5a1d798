"""Lists of values for settings, covered pair by pair: each becomes part of a few profiles.

Of any two settings of a protocol, every two values meet in some profile. The profiles follow
from the lists alone, and each is named by its values, so a case keeps its id, and its golden, for
as long as its combination is among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

from harness.documents import PlainObject

# A setting's place in its protocol's lists, and the place of one of its values.
Choice = tuple[int, int]
_BETWEEN = re.compile(r"[^a-z0-9]+")
_CLASS = re.compile(r"[a-z]\w*(\.\w+)+", re.ASCII)


def covering(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield rows of indexes below `sizes` such that every two of two columns are in some row.

    Greedy: each row takes the first pair that is left, and for every other column the value that
    covers most of what is left, the first of equals.
    """
    if len(sizes) == 1:
        yield from ((value,) for value in range(sizes[0]))
        return
    left: dict[tuple[Choice, Choice], None] = {
        ((a, i), (b, j)): None
        for a, b in combinations(range(len(sizes)), 2)
        for i, j in product(range(sizes[a]), range(sizes[b]))
    }
    while left:
        row = dict(next(iter(left)))
        for column in range(len(sizes)):
            if column not in row:
                row[column] = _best(column, sizes[column], row, left)
        for pair in combinations(sorted(row.items()), 2):
            left.pop(pair, None)
        yield tuple(row[column] for column in range(len(sizes)))


def _best(
    column: int, size: int, row: Mapping[int, int], left: Mapping[tuple[Choice, Choice], None]
) -> int:
    def covers(value: int) -> int:
        mine = (column, value)
        return sum(
            ((mine, there) if mine < there else (there, mine)) in left for there in row.items()
        )

    return max(range(size), key=covers)


def chosen(lists: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, Mapping[str, int]]]:
    """Yield the profiles of one protocol: the name, and the index of each setting's value."""
    for row in covering([len(values) for values in lists.values()]):
        picked = dict(zip(lists, row, strict=True))
        yield "-".join(_word(name, lists[name][index]) for name, index in picked.items()), picked


def _word(setting: str, value: object) -> str:
    """Return a value as part of a name; a number or truth value behind its setting's last word."""
    if isinstance(value, str):
        # Of a class, what follows its package.
        text = value.rsplit(".", 1)[-1] if _CLASS.fullmatch(value) else value
    else:
        text = f"{_BETWEEN.split(setting.lower())[-1]} {value}"
    return _BETWEEN.sub("-", text.lower()).strip("-") or "empty"


def profiles(data: PlainObject) -> Mapping[str, Mapping[str, PlainObject]]:
    """Return a scenario's profiles: its own, then those that cover its lists."""
    found: dict[str, dict[str, PlainObject]] = {
        name: dict(settings) for name, settings in data.get("profiles", {}).items()
    }
    for protocol, lists in data.get("pairwise", {}).items():
        for name, picked in chosen(lists):
            settings = {setting: lists[setting][index] for setting, index in picked.items()}
            found.setdefault(name, {}).setdefault(protocol, settings)
    return found

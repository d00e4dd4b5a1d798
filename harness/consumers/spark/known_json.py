r"""JSON laid out like JSON that was read before: a pattern takes its values out, as they stand.

Law: a pattern matches nothing but JSON of the layout that it was made from, and every value that it
copies is written as orjson would write it again. So who reads by it gets what he would get by
reading everything; what does not match is read whole, and a pattern too narrow costs time only.

| a value | is copied when |
| --- | --- |
| text | always; where an escape is in it, it is written anew |
| whole number | it has at most 18 digits |
| other number | never: its digits may be written otherwise, so it is read and written |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import orjson

from harness.consumers.spark.events import json_text

TEXT = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
WHOLE = r"(?:0|-?[1-9][0-9]{0,17})(?![0-9.eE])"
NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
NULL = "null"
SCALAR = f"{TEXT}|{NUMBER}|{NULL}"

Written = Callable[[str], str]  # a value's text on the wire -> its text in contract JSON


class Cell(NamedTuple):
    """A column of an image: its pattern, and what writes its value anew (None: it is copied)."""

    name: str
    pattern: str
    written: Written | None = None


class Image(NamedTuple):
    """A row's values among a match's groups: where they are, and which are written anew."""

    first: int
    end: int
    written: Sequence[tuple[int, Written]]

    def values(self, groups: Sequence[str], *, escaped: bool) -> Sequence[str]:
        """Return the row's values as contract JSON; NULL stays; raises what a reader raises."""
        if not self.written and not escaped:
            return groups[self.first : self.end]
        values = list(groups[self.first : self.end])
        for place, written in self.written:
            if values[place] != NULL:
                values[place] = written(values[place])
        if escaped:
            values = [rewritten(one) if "\\" in one else one for one in values]
        return values


def image(cells: Sequence[Cell], number: int) -> Image:
    """Return the `number`th image of these cells that a pattern has."""
    first = number * len(cells)
    written = [(at, cell.written) for at, cell in enumerate(cells) if cell.written is not None]
    return Image(first, first + len(cells), written)


def template(names: Sequence[str]) -> str:
    """Return what writes a row of these columns, each value as its JSON."""
    return "{" + ",".join(json_text(name).replace("%", "%%") + ":%s" for name in names) + "}"


def rewritten(text: str) -> str:
    """Return a value's JSON as orjson writes it; raises ValueError for what is not JSON."""
    return json_text(orjson.loads(text))


def literal(value: object) -> str:
    """Return the pattern of exactly this value, written without spaces."""
    return re.escape(json_text(value))


def members(patterns: Mapping[str, str]) -> str:
    """Return the pattern of an object of exactly these members, in this order."""
    return r"\{" + ",".join(f"{literal(name)}:{one}" for name, one in patterns.items()) + r"\}"

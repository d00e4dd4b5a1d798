"""What comparing one vector gives, and what all comparisons read in vectors alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Vector = Mapping[str, Any]


def section(part: Vector, name: str) -> Vector:
    """Return a member that is an object, empty when it is missing or null."""
    found: Vector = part.get(name) or {}
    return found


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where ours and theirs differ; `where` is a path within the vector."""

    where: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Result:
    """One vector: equal without differences. `excused` names the exceptions that were applied.

    `excepted` names the exception for which the whole vector is not compared, "" when it is.
    """

    id: str
    differences: tuple[Difference, ...] = ()
    excused: tuple[str, ...] = ()
    excepted: str = ""


Parts = tuple[list[Difference], tuple[str, ...]]
"""What a part of a comparison found: differences, and names of the exceptions that it applied."""

Compare = Callable[[Vector], Result]


_CODE = re.compile(r"\[CDC:(\w+)\]")


def codes_of(text: str) -> tuple[str, ...]:
    """Return all codes of an error text; none when the error has no code."""
    return tuple(_CODE.findall(text))


def code_of(text: str) -> str:
    """Return the outermost code of an error text, the empty string when it has none."""
    return next(iter(codes_of(text)), "")

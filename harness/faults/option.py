"""The options of faults: what each takes, and what it takes when it is left out.

The grammar of scenarios refuses the same things earlier, with line and column; here they are
refused for whoever calls a fault without a scenario file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from harness.errors import StepError

COUNT_MAX = 1_000_000


class Takes(StrEnum):
    """What an option's value is; the words are those of a message."""

    TRANSACTION = "the name of a transaction"
    KEY = "columns with their values"
    NUMBER = "a whole number"
    WORD = "one of some words"
    TEXT = "a text"
    FLAG = "true or false"


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a fault.

    `default` is what is taken when it is left out (None: nothing is). Numbers lie between `least`
    and `most`; `words` are the choices of a WORD. `loses` names what the fault no longer preserves
    when the option is given.
    """

    name: str
    takes: Takes
    meaning: str
    default: int | str | bool | None = None
    required: bool = False
    words: tuple[str, ...] = ()
    least: int = 1
    most: int = COUNT_MAX
    loses: tuple[str, ...] = ()

    def noun(self) -> str:
        """Return what it takes, exactly."""
        if self.takes is Takes.NUMBER:
            return f"a whole number from {self.least} to {self.most}"
        if self.takes is Takes.WORD:
            return "one of " + ", ".join(f"`{word}`" for word in self.words)
        return self.takes.value

    def fits(self, value: object) -> bool:
        """Return whether a value is one that it takes."""
        match self.takes:
            case Takes.NUMBER:
                return _whole(value) and self.least <= int(Decimal(str(value))) <= self.most
            case Takes.WORD:
                return value in self.words
            case Takes.KEY:
                return isinstance(value, Mapping) and value != {}
            case Takes.FLAG:
                return isinstance(value, bool)
            case Takes.TRANSACTION | Takes.TEXT:
                return isinstance(value, str) and bool(value)


def settled(
    fault: str, options: Sequence[Option], given: Mapping[str, Any], line: int
) -> Mapping[str, Any]:
    """Return the given options with the defaults of the others; StepError for a mistake."""
    known = {option.name: option for option in options}
    for name, value in given.items():
        if name not in known:
            listed = ", ".join(f"`{name}`" for name in known) or "no options"
            raise StepError(f"unknown option `{name}` of `{fault}`", line=line, expected=listed)
        if not known[name].fits(value):
            raise StepError(
                f"`{name}` of `{fault}` is {value!r}", line=line, expected=known[name].noun()
            )
    for option in options:
        if option.required and option.name not in given:
            what = f"`{fault}` lacks its option `{option.name}`"
            raise StepError(what, line=line, expected=f"`{option.name}`: {option.noun()}")
    defaults = {option.name: option.default for option in options if option.default is not None}
    return MappingProxyType({**defaults, **given})


def _whole(value: object) -> bool:
    """Return whether a value is a whole number, however it was spelled (`3`, `3.0`)."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return False
    return value == int(value)


TIMES = Option("times", Takes.NUMBER, "How often it is sent again.", 1, most=100)
TRANSACTION = Option(
    "transaction", Takes.TRANSACTION, "The name of a transaction under `upstream`.", required=True
)
KEY = Option("key", Takes.KEY, "Only the events of the rows whose columns have these values.")
PARTITION = Option("partition", Takes.NUMBER, "A partition, counted from 0.", least=0, most=63)

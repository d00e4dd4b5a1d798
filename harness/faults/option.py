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
from typing import cast

from harness.errors import HarnessBug, StepError

COUNT_MAX = 1_000_000
# Options as they are written; their rows say what each takes.
Given = Mapping[str, object]


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


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one step, each as its row takes it, and the step's line.

    What is read by the wrong kind, or is not there and has no default, is a HarnessBug.
    """

    values: Mapping[str, object]
    line: int

    def __contains__(self, name: str) -> bool:
        """Return whether an option was given, or has a default."""
        return name in self.values

    def number(self, name: str, otherwise: int | None = None) -> int:
        """Return a NUMBER."""
        value = self.values.get(name, otherwise)
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise self._bug(name, value)
        return int(value)

    def text(self, name: str, otherwise: str | None = None) -> str:
        """Return a TEXT, a WORD or a TRANSACTION."""
        value = self.values.get(name, otherwise)
        if not isinstance(value, str):
            raise self._bug(name, value)
        return value

    def flag(self, name: str) -> bool:
        """Return a FLAG."""
        value = self.values.get(name)
        if not isinstance(value, bool):
            raise self._bug(name, value)
        return value

    @property
    def key(self) -> Mapping[str, object]:
        """Return the columns and values of `key`; empty where no row is named."""
        value = self.values.get("key", {})
        if not isinstance(value, Mapping):
            raise self._bug("key", value)
        return cast("Mapping[str, object]", value)

    def _bug(self, name: str, value: object) -> HarnessBug:
        return HarnessBug(f"the option `{name}` of a fault is read as what it is not: {value!r}")


def settled(fault: str, options: Sequence[Option], given: Given, line: int) -> Options:
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
    return Options(MappingProxyType({**defaults, **given}), line)


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

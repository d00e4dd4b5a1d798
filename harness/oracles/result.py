"""What an oracle's run came to, case by case, and how it is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import orjson

from harness.errors import HarnessBug, plural

RESTARTS: Final = "--restarts "  # what `chosen` begins with where connectors were stopped too
SHOWN: Final = 5  # differences of one case that are kept


class Status(StrEnum):
    """What a case came to."""

    EQUAL = "equal"
    DIFFERS = "differs"
    UNPLAYABLE = "unplayable"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case: its status, the freedoms it made use of, and what differs.

    `reason` names why it may differ, or why it cannot be played; "" for a difference that nobody
    has explained.
    """

    case: str
    status: Status
    reason: str = ""
    freedoms: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()

    @property
    def unexplained(self) -> bool:
        """Return whether it differs and nobody has said why."""
        return self.status is Status.DIFFERS and not self.reason


@dataclass(frozen=True, slots=True)
class OracleResult:
    """A whole run; `versions` names everything that took part, `replayed` counts broken streams.

    `chosen` is the expression that chose its cases, "" for all of them.
    """

    oracle: str
    version: str
    date: str
    seconds: int
    versions: Mapping[str, str]
    cases: tuple[CaseResult, ...]
    replayed: int = 0
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    chosen: str = ""

    @property
    def passed(self) -> bool:
        """Return whether no difference is without a reason."""
        return not any(case.unexplained for case in self.cases)

    def of(self, status: Status) -> tuple[CaseResult, ...]:
        """Return the cases of a status."""
        return tuple(case for case in self.cases if case.status is status)

    @property
    def total(self) -> int:
        """Return how many cases there are."""
        return self.counts.get("total", len(self.cases))

    @property
    def equal(self) -> int:
        """Return how many cases are equal."""
        return self.counts.get("equal", len(self.of(Status.EQUAL)))

    @property
    def compared(self) -> int:
        """Return how many cases could be played."""
        return self.total - len(self.of(Status.UNPLAYABLE))

    def freedoms(self) -> Mapping[str, int]:
        """Return how many cases made use of each freedom."""
        kept = {n.removeprefix(FREE): c for n, c in self.counts.items() if n.startswith(FREE)}
        return kept or Counter(name for case in self.cases for name in case.freedoms)

    def headline(self) -> str:
        """Return the run in one line."""
        return f"equal {self.equal} / compared {self.compared} / total {self.total}"


FREE: Final = "freedom:"


def document(result: OracleResult) -> dict[str, Any]:
    """Return a result as data: every case that is not equal, and counts of all."""
    found = asdict(result)
    found["cases"] = [asdict(one) for one in result.cases if one.status is not Status.EQUAL]
    free = {f"{FREE}{name}": count for name, count in sorted(result.freedoms().items())}
    found["counts"] = {"equal": result.equal, "total": result.total, **free}
    return found


def write_result(result: OracleResult, file: Path) -> None:
    """Keep a result as a JSON file for people to review."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = orjson.dumps(document(result), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    file.write_bytes(text)


def read_result(file: Path) -> OracleResult:
    """Return a result that was kept; HarnessBug when the file, which we ship, is malformed."""
    try:
        found = orjson.loads(file.read_bytes())
        cases = tuple(
            CaseResult(
                one["case"],
                Status(one["status"]),
                one["reason"],
                tuple(one["freedoms"]),
                tuple(one["differences"]),
            )
            for one in found.pop("cases")
        )
        return OracleResult(cases=cases, **found)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HarnessBug(f"{file} is not an oracle's result: {error}") from error


def lines(result: OracleResult) -> Sequence[str]:
    """Return what is not equal, for a person at a terminal; the headline is last."""
    said = [f"not played  {one.case}: {one.reason}" for one in result.of(Status.UNPLAYABLE)]
    for case in result.of(Status.DIFFERS):
        said.append(f"differs  {case.case}" + (f": {case.reason}" if case.reason else ""))
        said += [f"    {text}" for text in case.differences]
    for name, count in sorted(result.freedoms().items()):
        said.append(f"freedom  {name}: {plural(count, 'case')}")
    return (*said, result.headline())

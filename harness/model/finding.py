"""What is wrong with a consumer, as data; never an exception."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from harness.model.record import Origin
from harness.model.standing import Standing


class Judgement(StrEnum):
    """The verdict on one case; the value is what reports print."""

    PASS = "pass"  # noqa: S105  (a verdict, not a password)
    FAIL = "fail"
    CRASH = "crash"
    TIMEOUT = "timeout"
    INVALID = "invalid"
    UNDECIDED = "undecided"
    NOT_APPLICABLE = "not-applicable"
    INCONCLUSIVE = "inconclusive"
    HARNESS_ERROR = "harness-error"
    XFAIL = "xfail"
    XPASS = "xpass"
    DECLARED_LOSSY = "declared-lossy"
    BEYOND = "beyond"


# A run with any of these exits 1; the others are counted apart. `xfail` is a failure that the
# consumer's list of known failures names, `xpass` one that is named there and did not happen.
# `beyond` is whatever a case came to that nobody promises anything for: it is shown apart, and is
# in none of the three numbers.
FINDINGS = frozenset(
    {
        Judgement.FAIL,
        Judgement.CRASH,
        Judgement.TIMEOUT,
        Judgement.INVALID,
        Judgement.INCONCLUSIVE,
        Judgement.XPASS,
    }
)
COUNTED = frozenset(Judgement) - {Judgement.BEYOND}
APPLICABLE = COUNTED - {Judgement.NOT_APPLICABLE}


class FindingKind(StrEnum):
    """How the answer differs from the truth."""

    WRONG_VALUE = "wrong-value"
    UNREADABLE_VALUE = "unreadable-value"
    STALE_ROW = "stale-row"
    MISSING_ROW = "missing-row"
    EXTRA_ROW = "extra-row"
    DUPLICATE_ROW = "duplicate-row"
    MISSING_COLUMN = "missing-column"
    EXTRA_COLUMN = "extra-column"
    MISSING_TABLE = "missing-table"
    EXTRA_TABLE = "extra-table"
    DDL_MISSING = "ddl-missing"
    DDL_REPEATED = "ddl-repeated"
    DDL_UNEXPECTED = "ddl-unexpected"
    DDL_ORDER = "ddl-order"
    EVENT_MISSING = "event-missing"
    EVENT_UNEXPECTED = "event-unexpected"
    EVENT_ORDER = "event-order"
    CONSUMER = "consumer"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record lies: canonical topic, partition, and offset from the case's own start.

    `row_id` is the row id (`rid`) of the event that is meant, None where the wire has none.
    """

    topic: str
    partition: int
    offset: int
    origin: Origin
    row_id: int | None = None

    def __str__(self) -> str:
        """Render as `topic/partition@offset`."""
        return f"{self.topic}/{self.partition}@{self.offset}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference: what, where, by which clause, and which records led there.

    `expected` and `actual` are texts ready to print, None where there is none. `places` has the one
    record that decides; none where nothing was sent. `cause` says what a consumer does whose answer
    is exactly this one, "" where that is not known. `standing` is the weaker one of its clause and
    of the case's delivery, None before a run reports it.
    """

    kind: FindingKind
    message: str
    clause: str
    line: int = 0
    table: str = ""
    key: str = ""
    column: str = ""
    expected: str | None = None
    actual: str | None = None
    places: tuple[Place, ...] = ()
    cause: str = ""
    standing: Standing | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on one case with everything that led to it.

    Of a case that does not count `judgement` is `beyond`, and `apart` what it came to. `more`
    findings were counted and not kept (`harness.verdict.judge.COUNTED_MAX`: or even more).
    """

    case: str
    judgement: Judgement
    findings: tuple[Finding, ...] = ()
    detail: str = ""
    apart: Judgement | None = None
    more: int = 0

    @property
    def came_to(self) -> Judgement:
        """Return what the answer was judged, whether or not the case counts."""
        return self.apart or self.judgement

    def set_apart(self) -> Verdict:
        """Return the verdict as one that does not count."""
        return replace(self, judgement=Judgement.BEYOND, apart=self.came_to)

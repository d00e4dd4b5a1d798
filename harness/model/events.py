"""The events of a run: one stream of frozen data, the same for every listener."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness.model.conditions import Conditions
from harness.model.evidence import Evidence
from harness.model.finding import Verdict
from harness.model.resumption import Resumption
from harness.model.standing import Standing


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run begins over `cases` cases; `versions` names what takes part.

    `at` is the time, ISO 8601 in UTC to the second; `level` names what is certified. `conditions`
    are what a certificate repeats, None in older files.
    """

    run: str
    consumer: str
    cases: int
    versions: Mapping[str, str]
    at: str = ""
    level: str = ""
    conditions: Conditions | None = None


@dataclass(frozen=True, slots=True)
class PhaseStarted:
    """The run does something that takes a while: a key of `report.console.SENTENCES`."""

    phase: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PhaseFinished:
    """A phase is over; `seconds` is its wall time."""

    phase: str
    seconds: float


@dataclass(frozen=True, slots=True)
class ServiceChanged:
    """A service reached a state: `fetching`, `preparing`, `starting`, `ready`, `stopped`.

    `continued` is one that somebody had halted by a signal, `lost` one that died, in whose place a
    new one is started, `left` one that keeps something of the run. `done` and
    `total` are bytes while fetching.
    """

    service: str
    state: str
    detail: str = ""
    seconds: float | None = None
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class CaseAnswered:
    """A consumer has answered a case, while it works on others.

    `judgement` is the first verdict, "" where it cannot be known yet, and `said` its first finding.
    `answered` of `cases` have their answer now, of which `findings` are findings; `left_s` is how
    many seconds the others take at this pace.
    """

    case: str
    judgement: str
    said: str
    answered: int
    cases: int
    findings: int
    left_s: float


@dataclass(frozen=True, slots=True)
class CaseFinished:
    """A case was judged; `file` is the scenario's, `title` says what must hold.

    `clauses` are those that the scenario cites; `evidence` is there where a verdict needs to be
    explained. `standing` is the weakest one of what the case relies on, None in older files.
    `changefeed` is the case's id in job.json, as logs and topics of the consumer have it;
    `resumed` is what it read again where it was killed and started anew. `settings` are those that
    the case gives its producer, in words.
    """

    case: str
    protocol: str
    file: str
    title: str
    verdict: Verdict
    repeat: str
    log: str = ""
    clauses: tuple[str, ...] = ()
    evidence: Evidence | None = None
    standing: Standing | None = None
    changefeed: str = ""
    resumed: Resumption = Resumption.UNKNOWN
    settings: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """Three numbers of some cases."""

    passed: int
    applicable: int
    total: int


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The headline, always all three numbers, and the level that they are of.

    `seconds` is the whole run's wall time. `beyond` is the score of the cases that nobody promises
    and that do not count; None where there is none of them. `unclaimed` cases were left out, as
    the consumer does not claim their protocols; `only` are the words of a command line that chose
    some of the catalogue, "" for all of it.
    """

    passed: int
    applicable: int
    total: int
    seconds: float
    exit_code: int
    level: str = ""
    beyond: Score | None = None
    unclaimed: int = 0
    only: str = ""


@dataclass(frozen=True, slots=True)
class RunAborted:
    """The run ended without a headline: `why` is the error in one line; nothing is certified."""

    why: str
    seconds: float


Event = (
    RunStarted
    | PhaseStarted
    | PhaseFinished
    | ServiceChanged
    | CaseAnswered
    | CaseFinished
    | RunFinished
    | RunAborted
)

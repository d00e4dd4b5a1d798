"""A certificate: what one run showed of one consumer, what it left out, and how to do it again.

`certificate` returns it as sections of sentences and tables; `certificate_forms` writes them as
HTML or Markdown. It says no more than the run's events do, and what did not pass stands in it too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import orjson

from harness.contracts import DEFAULT_DIALECT
from harness.errors import UsageError, plural
from harness.model.conditions import Conditions, Excuse
from harness.model.events import CaseFinished, Event, RunFinished, RunStarted
from harness.model.finding import APPLICABLE, FINDINGS, Judgement
from harness.model.resumption import Resumption
from harness.protocols import PROTOCOLS
from harness.report.outcome import beyond_line, gaps, headline, reason, share

LISTED = 50
EXCUSED = frozenset({Judgement.XFAIL, Judgement.DECLARED_LOSSY})
OPEN = frozenset({Judgement.UNDECIDED, Judgement.INCONCLUSIVE, Judgement.HARNESS_ERROR})
DIALECTS = frozenset(name for spec in PROTOCOLS.values() for name in spec.codec.dialects)
Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, sentences, and a table; `code` is a command line."""

    title: str
    sentences: Sequence[str] = ()
    columns: Sequence[str] = ()
    rows: Rows = ()
    code: str = ""


@dataclass(frozen=True, slots=True)
class Certificate:
    """The whole: `passed` says whether every applicable case passed or was excused."""

    title: str
    result: str
    passed: bool
    sections: Sequence[Section] = field(default_factory=list[Section])


@dataclass(frozen=True, slots=True)
class _Run:
    started: RunStarted
    cases: Sequence[CaseFinished]
    finished: RunFinished
    conditions: Conditions


def certificate(events: Iterable[Event]) -> Certificate:
    """Return the certificate of a run; UsageError of one that ended early or is too old for it."""
    run = _read(events)
    wrong = [one for one in run.cases if one.verdict.judgement in FINDINGS]
    passed = not wrong and run.finished.passed > 0
    sections = (
        _scope(run),
        _protocols(run),
        _settings(run),
        _declared(run),
        _excused(run),
        _findings(wrong),
        _untried(run),
        _repeat(run),
        _hashes(run),
    )
    return Certificate(
        f"Certificate of {run.started.consumer}", _result(run, wrong), passed, sections
    )


def results_hash(cases: Iterable[CaseFinished]) -> str:
    """Return the sha256 over what every case came to: equal for equal verdicts, on any machine.

    Run ids, times, topics and texts for people are no part of it.
    """
    lines = (
        orjson.dumps(
            [
                one.case,
                one.verdict.judgement,
                one.verdict.apart,
                sorted(
                    [f.kind, f.clause, f.table, f.key, f.column, f.expected or "", f.actual or ""]
                    for f in one.verdict.findings
                ),
            ]
        )
        for one in sorted(cases, key=lambda one: one.case)
    )
    return sha256(b"\n".join(lines)).hexdigest()


def _read(events: Iterable[Event]) -> _Run:
    every = list(events)
    started = next(one for one in every if isinstance(one, RunStarted))
    finished = next((one for one in every if isinstance(one, RunFinished)), None)
    if finished is None:
        raise UsageError(
            f"run {started.run} did not finish: there is nothing to certify",
            expected="the events of a run that came to its end",
        )
    if started.conditions is None:
        raise UsageError(
            f"the events of run {started.run} do not say under which conditions it was done",
            expected="events that `harness certify` or `harness run` of this version wrote",
            hint="certify again",
        )
    cases = [one for one in every if isinstance(one, CaseFinished)]
    return _Run(started, cases, finished, started.conditions)


def _result(run: _Run, wrong: Sequence[CaseFinished]) -> str:
    """Return the one sentence that is read by who reads nothing else."""
    done = run.finished
    filtered = "FILTERED, not the whole catalogue. " if done.only else ""
    excused = sum(one.verdict.judgement in EXCUSED for one in run.cases)
    besides = f", {excused} excused" if excused else ""
    state = f"NOT PASSED: {plural(len(wrong), 'case')} with findings" if wrong else "Passed"
    if not done.passed:
        state = "NOT PASSED: no case passed"
    open_ = sum(one.verdict.judgement in OPEN - FINDINGS for one in run.cases)
    besides += f", {open_} undecided" if open_ else ""
    passed = f"{share(done)} % of {done.applicable} applicable cases passed"
    return f"{filtered}{state}. {passed}{besides}; {plural(done.total, 'case')} in all."


def _scope(run: _Run) -> Section:
    done, started = run.finished, run.started
    counts = Counter(one.verdict.judgement for one in run.cases)
    rows = [
        ("consumer", started.consumer),
        ("version", run.conditions.declared.get("version", "not declared")),
        ("level", done.level or started.level),
        ("run", f"{started.run}, {started.at}"),
        ("selection", f"only {done.only}" if done.only else "the whole catalogue that it claims"),
        ("result", headline(done)),
        *((one.value, str(counts[one])) for one in Judgement if counts[one]),
        *([("apart", beyond_line(done))] if done.beyond else []),
        *_restarts(run),
    ]
    return Section("What was certified", (), ("", ""), rows)


def _restarts(run: _Run) -> Iterator[tuple[str, str]]:
    """Yield what a consumer that was killed asked the broker for, once it was started anew."""
    counts = Counter(one.resumed for one in run.cases)
    survived, again = counts[Resumption.RESUMED], counts[Resumption.READ_AGAIN]
    if survived or again:
        said = f"state survived in {plural(survived, 'case')}, everything was read again in {again}"
        yield "after a kill", said


def _protocols(run: _Run) -> Section:
    """Return how many cases of each protocol and dialect there are, and passed."""
    counted = [one for one in run.cases if one.verdict.judgement is not Judgement.BEYOND]
    groups: dict[tuple[str, str], Counter[str]] = {}
    for one in counted:
        counts = groups.setdefault((one.protocol, _dialect(one.case)), Counter())
        counts["total"] += 1
        counts["applicable"] += one.verdict.judgement in APPLICABLE
        counts["passed"] += one.verdict.judgement is Judgement.PASS
    rows = [
        (
            _name(protocol),
            dialect,
            *(str(counts[key]) for key in ("passed", "applicable", "total")),
        )
        for (protocol, dialect), counts in sorted(groups.items())
    ]
    columns = ("protocol", "dialect", "passed", "applicable", "cases")
    return Section("Protocols and dialects", (), columns, rows)


def _settings(run: _Run) -> Section:
    """Return which settings the cases of each protocol set."""
    said = "Other settings have the vendor's defaults; | stands between values of one setting."
    rows = [
        (_name(protocol), "; ".join(found) or "none")
        for protocol, found in sorted(run.conditions.settings.items())
    ]
    return Section("Settings that cases set", (said,), ("protocol", "settings"), rows)


def _dialect(case: str) -> str:
    """Return a case's dialect: the second of its words, where that is one."""
    words = case.partition("[")[2].removesuffix("]").split(",")
    return words[1] if len(words) > 1 and words[1] in DIALECTS else DEFAULT_DIALECT


def _name(protocol: str) -> str:
    return (
        f"{PROTOCOLS[protocol].description.title} ({protocol})"
        if protocol in PROTOCOLS
        else protocol
    )


def _declared(run: _Run) -> Section:
    rows = [*run.conditions.declared.items()]
    rows += [
        ("lossy", f"{', '.join(o.types)} ({', '.join(o.protocols) or 'all'}): {o.reason}")
        for o in run.conditions.losses
    ]
    said = "The verdicts go by what the consumer says of itself. Nobody else has examined it."
    return Section("What the consumer declares", (said,), ("key", "value"), rows)


def _excused(run: _Run) -> Section:
    """Return what was excused, why and until when, with entries that excused nothing."""
    title = "What was excused"
    if run.conditions.strict:
        return Section(title, ("Nothing: the run was judged by --strict.",))
    failed = [one for one in run.cases if one.verdict.judgement is Judgement.XFAIL]
    rows = [
        (
            e.cases,
            f"{e.verdict} {e.finding}".strip(),
            e.reason,
            e.link,
            e.expires,
            _times(e, failed),
        )
        for e in run.conditions.excuses
    ]
    lossy = gaps_of(run.cases, Judgement.DECLARED_LOSSY)
    rows += [("", "declared lossy", why, "", "as long as it is declared", n) for why, n in lossy]
    if not rows:
        return Section(title, ("Nothing.",))
    return Section(title, (), ("cases", "what", "reason", "link", "until", "cases excused"), rows)


def _times(excuse: Excuse, failed: Sequence[CaseFinished]) -> str:
    said = f"{excuse.reason} ({excuse.link})"
    return str(sum(said in one.verdict.detail for one in failed))


def gaps_of(cases: Iterable[CaseFinished], judgement: Judgement) -> Rows:
    """Return why cases came to a judgement, and how many for each reason."""
    found = Counter(one.verdict.detail for one in cases if one.verdict.judgement is judgement)
    return [(why or "no reason was given", str(times)) for why, times in found.most_common()]


def _findings(wrong: Sequence[CaseFinished]) -> Section:
    rows = [(one.case, one.verdict.judgement.value, reason(one)) for one in wrong[:LISTED]]
    if not rows:
        return Section("What did not pass", ("Nothing.",))
    more = [f"{len(wrong) - LISTED} more are in the run's events."] if len(wrong) > LISTED else []
    return Section("What did not pass", more, ("case", "verdict", "first finding"), rows)


def _untried(run: _Run) -> Section:
    """Return what the run says nothing about: not selected, not claimed, not applicable, open."""
    done = run.finished
    rows = list(_left_out(run))
    na = gaps(one.verdict for one in run.cases)
    rows += [("not applicable", why, str(times)) for why, times in na]
    rows += [
        (judgement.value, why, times)
        for judgement in Judgement
        if judgement in OPEN
        for why, times in gaps_of(run.cases, judgement)
    ]
    if done.beyond is not None:
        why = "nobody promises what these rest on; they are run and not counted"
        rows.append(("beyond", why, str(done.beyond.total)))
    if not rows:
        return Section("What was not tried", ("Nothing of the catalogue.",))
    return Section("What was not tried", (), ("what", "why", "cases"), rows)


def _left_out(run: _Run) -> Iterator[Sequence[str]]:
    done = run.finished
    if done.only:
        yield "not selected", f"the run was over {done.only} alone", "all others"
    if done.unclaimed:
        yield "not claimed", "protocols that the manifest does not name", str(done.unclaimed)
    missing = run.started.cases - len(run.cases)
    if missing > 0:
        yield "not reached", "the run stopped at the first finding", str(missing)


def _repeat(run: _Run) -> Section:
    said = "A value that stands as *** is a secret, and has to be given anew."
    command = run.conditions.command
    sentences = (said,) if "***" in command else ()
    return Section("How to repeat it", sentences, code=command)


def _hashes(run: _Run) -> Section:
    conditions = run.conditions
    named: Mapping[str, str] = {
        **run.started.versions,
        "commit of the harness": conditions.commit or "a release: its version says which",
        **{f"service {name}": said for name, said in conditions.services.items()},
        **conditions.machine,
        **{f"setting {name}": value for name, value in conditions.options.items()},
        "seed": conditions.seed,
        "sha256 of scenarios, locks and goldens": conditions.catalogue,
        "sha256 of the results": results_hash(run.cases),
    }
    said = (
        "Equal versions give both sha256 again: the first says that the questions are the same,"
        " the second that every verdict is."
    )
    return Section("Versions and hashes", (said,), ("", ""), list(named.items()))

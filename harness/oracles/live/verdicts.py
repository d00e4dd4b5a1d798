"""One scenario of a live run: what its topics tell, what the SELECT says, and who is wrong.

What topics cannot tell (TRUNCATE, DROP, what RENAME leaves behind) no consumer can have. So the
tables that the protocol's rules make of the records are held against the SELECT first: where they
are the same, and that is nearly everywhere, the SELECT is the truth; where not, those rules are.
The records themselves are held against what our encoder predicts. A producer that fails is no
failure of the consumer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from harness.engine.plan.case import by_point
from harness.engine.run.external_topics.judged import DISPUTED, selected
from harness.engine.sink.shapes import Shapes, sent_columns
from harness.errors import HarnessError
from harness.model.change import ChangeLog, Resolve
from harness.model.columns import Column
from harness.model.evidence import Evidence
from harness.model.finding import FINDINGS, Finding, FindingKind, Judgement, Verdict
from harness.model.observed import Observed
from harness.model.settings import Settings
from harness.model.table import TableId
from harness.oracles.compare import Message, shown
from harness.oracles.live.producer import LIVE_FAULTS
from harness.oracles.live.scenes import Performed, Play, Scene, without_repeats
from harness.oracles.mariadb.configuration import PREFIX
from harness.oracles.mariadb.lock import VERSION
from harness.oracles.mariadb.oracle import compared
from harness.oracles.mariadb.predictions import DIALECT, Prediction, predicted
from harness.oracles.mariadb.reasons import KNOWN
from harness.oracles.reasons import reason
from harness.oracles.result import SHOWN
from harness.protocols.clauses import CLAUSES, governs
from harness.protocols.protocol import ProtocolSpec
from harness.runner.manifest import Consumer
from harness.scenario.expand import Case
from harness.verdict.case import Judged
from harness.verdict.expected import TableState
from harness.verdict.folding import Folding
from harness.verdict.judge import judge_design
from harness.verdict.table_diff import table_diffs

PLAIN: Final = "live"


@dataclass(frozen=True, slots=True)
class Account:
    """A scene with all that is known of it before a consumer is asked.

    `lacking` says why nothing can be asked, `broken` what went wrong with the producer, each "" if
    nothing. `differences` are those of the records that have no known reason, `repeats` how many
    records were sent again. `by_select` says that the topics tell what the SELECT says.
    """

    scene: Scene
    case: Case
    settings: Settings
    folding: Folding
    lacking: str = ""
    broken: str = ""
    differences: tuple[str, ...] = ()
    repeats: int = 0
    by_select: bool = False

    @property
    def judged(self) -> Judged:
        """Return the case as verdicts know it; which records say what is not known."""
        case, line = self.case, self.case.scenario.expect.line
        of_ours = tuple(one for one in by_point(case) if _governs(one, case.protocol))
        found = Judged(case.id, case.protocol, of_ours, line, {}, dialect=case.dialect)
        return replace(found, settings=self.settings)

    def shapes(self, consumer: Consumer) -> Shapes:
        """Return what a sink needs for the case."""
        tables = {
            n: t.source_table for n, t in self.folding.expected(consumer.design).tables.items()
        }
        schemas = {*self.case.scenario.databases, *(name.schema for name in tables)}
        return Shapes(self.case.id, tuple(sorted(schemas)), tables)


def _governs(identifier: str, protocol: str) -> bool:
    return identifier in CLAUSES and governs(CLAUSES[identifier], protocol)


def case_of(play: Play, protocol: ProtocolSpec) -> Case:
    """Return the case of a play."""
    words = ",".join(filter(None, (protocol.name, PLAIN, play.fault)))
    name = f"{play.scenario.id}[{words}]"
    return Case(play.scenario, protocol.name, DIALECT, 1, None, name)


def account(
    scene: Scene, log: ChangeLog, protocol: ProtocolSpec, clock: tuple[int, int]
) -> Account:
    """Return what is known of a scene; `clock` is when it was made, in nanoseconds since 1970."""
    done = scene.performed
    case = case_of(done.play, protocol)
    settings = {**case.settings, PREFIX: done.prefix}
    nothing = Account(scene, case, settings, Folding((), (), None, lambda _: False))
    if done.execution.refused or done.truth is None:
        return replace(nothing, lacking=done.execution.refused or done.unread)
    try:
        ours = predicted(case, settings, protocol, cut(log, done.steps))
    except HarnessError as error:
        ours = Prediction(unplanned=str(error.what))
    if ours.unplanned:
        return replace(nothing, lacking=ours.unplanned)

    def carries(column: Column) -> bool:
        return protocol.carries_default(column, settings)

    folding = Folding(ours.rows, ours.rows, None, carries)
    known = replace(nothing, folding=folding, broken=_broken(done.play, done.failed, ours))
    return _compared(known, ours, protocol, clock)


def cut(log: ChangeLog, steps: int) -> ChangeLog:
    """Return a log up to a number of steps that run SQL."""
    numbers = [n for n, change in enumerate(log.changes) if not isinstance(change, Resolve)]
    end = len(log.changes) if steps >= len(numbers) else numbers[steps]
    return replace(log, changes=log.changes[:end])


def _broken(play: Play, failed: str, ours: Prediction) -> str:
    loses = LIVE_FAULTS[play.fault].loses if play.fault in LIVE_FAULTS else ""
    if failed and not loses and not ours.stopped:
        return f"the producer failed, not the consumer: {failed[:400]}"
    if loses and not failed:
        return f"the connector goes on although {loses}"
    if ours.stopped and not failed:
        return f"the connector goes on where ours stops: {ours.stopped[:400]}"
    return ""


def _compared(
    known: Account, ours: Prediction, protocol: ProtocolSpec, clock: tuple[int, int]
) -> Account:
    done, counts = known.scene.performed, Counter(one.topic for one in ours.messages)
    theirs = without_repeats(known.scene.messages, counts)
    found = compared(*_predictable(done, ours.messages, theirs), clock).differences
    said = tuple(text.replace(done.prefix, PLAIN) for text in shown(found, SHOWN))
    explained = reason(KNOWN, done.play.scenario.id, VERSION, said) if said else ""
    assert done.truth is not None
    project = protocol.projection(known.settings, DIALECT)
    line = known.case.scenario.expect.line
    visible = known.folding.expected().tables
    says: dict[TableId, TableState] = {}
    for name in done.truth.tables:
        says |= selected(project, done.truth, name, line).tables
    return replace(
        known,
        differences=() if explained else said,
        repeats=len(known.scene.messages) - len(theirs),
        by_select=_rows(says) == _rows(visible),
    )


def _predictable(
    done: Performed, ours: Sequence[Message], theirs: Sequence[Message]
) -> tuple[Sequence[Message], Sequence[Message]]:
    """Return what is compared of both: all but the statements, where these are restated."""
    if done.play.copies:  # after a copy without rows, the last statement is one of the markers'
        ours = [_not_last(one) if one.topic == done.prefix else one for one in ours]
    fault = LIVE_FAULTS.get(done.play.fault)
    if fault is None or not fault.restates:
        return ours, theirs
    ours, theirs = ([one for one in some if one.topic != done.prefix] for some in (ours, theirs))
    return ours, theirs


def _not_last(statement: Message) -> Message:
    value = (statement.value or b"").replace(b'"snapshot":"last"', b'"snapshot":"true"')
    return replace(statement, value=value)


def _rows(tables: Mapping[TableId, TableState]) -> Mapping[TableId, Counter[object]]:
    """Return the rows of tables that have some, by their columns' names."""
    found = {name: Counter(_named(state)) for name, state in tables.items()}
    return {name: rows for name, rows in found.items() if rows}


def _named(state: TableState) -> Iterable[object]:
    table = state.source_table
    sent = {column.name for column in sent_columns(table)}
    columns = [(n, one.name) for n, one in enumerate(table.table.columns) if one.name in sent]
    for row in state.all_rows():
        yield tuple(sorted((name, repr(row[n])) for n, name in columns))


def verdict(
    known: Account, observed: Observed, consumer: Consumer
) -> tuple[Verdict, Evidence | None]:
    """Return the verdict on a consumer's answer, and what to show beside it."""
    database = consumer.result.in_database
    found = judge_design(known.judged, known.folding, observed, consumer.design, database=database)
    if found.judgement in DISPUTED and known.differences:
        why = f"the records are not as predicted: {known.differences[0]}"
        return inconclusive(known, why, found), None
    if found.judgement not in FINDINGS or observed.tables is None:
        return found, None
    wanted = known.folding.expected(consumer.design)
    return found, Evidence(tables=tuple(table_diffs(known.judged, wanted, observed.tables)))


def unasked(known: Account) -> Verdict | None:
    """Return the verdict on a case that no consumer is asked about, None for one that is."""
    if known.lacking:
        return Verdict(known.case.id, Judgement.NOT_APPLICABLE, (), known.lacking)
    return inconclusive(known, known.broken) if known.broken else None


def inconclusive(known: Account, why: str, found: Verdict | None = None) -> Verdict:
    """Return the verdict on a case that cannot be judged; what differed follows the reason."""
    line = known.case.scenario.expect.line
    first = Finding(FindingKind.CONSUMER, why, "", line)
    differed = () if found is None else found.findings
    return Verdict(known.case.id, Judgement.INCONCLUSIVE, (first, *differed), why)

"""One table of the upstream as the truth of one case, and the verdict on what a consumer has of it.

No consumer is blamed for what the topics do not hold. What differs is asked of the reference
consumer as well, over the same offsets; where it differs there, too, or where the upstream changed
meanwhile, the case is inconclusive, whatever the consumer declares of its failures.
"""

from __future__ import annotations

from dataclasses import replace

from harness.contracts import Projection
from harness.engine.run.declared import Declared, Subject, settled
from harness.engine.run.external_topics.document import LiveFile
from harness.engine.run.external_topics.source import Snapshot
from harness.engine.sink.shapes import Shapes
from harness.model.change import Op
from harness.model.evidence import Evidence
from harness.model.finding import FINDINGS, Finding, FindingKind, Judgement, Verdict
from harness.model.observed import Observed, Outcome
from harness.model.record import Origin
from harness.model.source_events import RowEvent, SourceTable
from harness.model.table import TableId
from harness.model.values import Row
from harness.protocols import PROTOCOLS
from harness.sources.tidb.mounter import source_table
from harness.verdict.by_record import fold_rows
from harness.verdict.case import Judged
from harness.verdict.expected import Expected, TableState
from harness.verdict.judge import judge
from harness.verdict.table_diff import table_diffs

TITLE = "The table is what the upstream's SELECT says"
CONTROL = "reference"
# What differs is looked into; what never came to an answer is the consumer's alone.
DISPUTED = FINDINGS - {Judgement.CRASH, Judgement.TIMEOUT, Judgement.INVALID}


def case_id(live: LiveFile, table: TableId) -> str:
    """Return the name of a table's case."""
    return f"live.{table}[{live.protocol}]"


def words_of(live: LiveFile, table: TableId) -> tuple[str, ...]:
    """Return what a pattern of known failures is held against."""
    return (case_id(live, table), str(table), live.protocol)


def expected(live: LiveFile, truth: Snapshot, name: TableId) -> Expected:
    """Return a table as far as the wire carries it."""
    project = PROTOCOLS[live.protocol].projection(live.settings, live.dialect)
    return selected(project, truth, name, live.lines[name])


def selected(project: Projection, truth: Snapshot, name: TableId, line: int) -> Expected:
    """Return a table of a SELECT as far as a wire carries it; virtual columns are never sent.

    It has one table, by its visible name: Avro has no dash in a name, say. `line` is where a file
    asks for it.
    """
    table = source_table(truth.tables[name])
    rows = [
        _row(table, row, Origin(line, 0, number, "insert"))
        for number, row in enumerate(sorted(truth.rows[name].elements(), key=repr))
    ]
    visible = [one for one in map(project, rows) if one is not None]
    state = fold_rows(visible, lambda _: None)
    if not state.tables:
        nulls = (None,) * len(table.table.columns)
        blank = _row(table, nulls, Origin(line, 0, 0, "insert"))
        empty = (project(blank) or blank).table
        state.tables[empty.table.id] = TableState(empty)
    return state


def verdict(
    live: LiveFile, truth: Snapshot, name: TableId, observed: Observed
) -> tuple[Verdict, Evidence | None]:
    """Return the verdict on one table of a consumer's answer, and what to show beside it."""
    judged = _judged(live, name)
    answer = observed
    wanted = expected(live, truth, name)
    if observed.outcome is Outcome.DONE:
        (visible,) = wanted.tables
        rows = (observed.tables or {}).get(visible, ())
        answer = replace(observed, tables={visible: rows}, events=None, ddl=None)
    found = judge(judged, wanted, answer)
    if found.judgement not in FINDINGS or answer.tables is None:
        return found, None
    return found, Evidence(tables=tuple(table_diffs(judged, wanted, answer.tables)))


def undisputed(
    live: LiveFile,
    truth: Snapshot,
    name: TableId,
    found: Verdict,
    control: Observed | None,
    *,
    moved: bool,
) -> Verdict:
    """Return the verdict unless the topics or the upstream are to blame.

    `control` is what the reference consumer answered over the same offsets, None where it was not
    asked; `moved` says whether the table changed upstream meanwhile.
    """
    if found.judgement is Judgement.NOT_APPLICABLE:
        return found
    if moved:
        why = f"{name} changed upstream during the run: its SELECT is no truth"
        return inconclusive(live, name, found, why)
    if control is None or found.judgement not in DISPUTED:
        return found
    theirs, _ = verdict(live, truth, name, control)
    if theirs.judgement not in FINDINGS:
        return found
    first = theirs.findings[0].message
    why = (
        f"the topics do not hold what {name} is upstream: the {CONTROL} consumer, too, reads "
        f"something else: {first}"
    )
    return inconclusive(live, name, found, why)


def declared_or_not(
    live: LiveFile, truth: Snapshot, name: TableId, found: Verdict, declared: Declared
) -> Verdict:
    """Return the verdict in the light of what the consumer declares, unless nothing was judged.

    A pattern of known failures is held against the case's id, its table and its protocol.
    """
    if found.judgement is Judgement.INCONCLUSIVE:
        return found
    tables = expected(live, truth, name).tables
    return settled(Subject(_judged(live, name), tables, words_of(live, name)), found, declared)


def shapes_for(live: LiveFile, truth: Snapshot, feed: str) -> Shapes:
    """Return what a sink needs for the file's tables: their schemas, and what the wire carries."""
    tables = {
        visible: state.source_table
        for name in live.tables
        for visible, state in expected(live, truth, name).tables.items()
    }
    return Shapes(feed, tuple(sorted({name.schema for name in tables})), tables)


def _row(table: SourceTable, row: Row, origin: Origin) -> RowEvent:
    return RowEvent(Op.INSERT, table, None, row, 1, "", 0, origin)


def _judged(live: LiveFile, name: TableId) -> Judged:
    return Judged(case_id(live, name), live.protocol, (), live.lines[name], {})


def inconclusive(live: LiveFile, name: TableId, found: Verdict, why: str) -> Verdict:
    """Return the verdict on a table that cannot be judged; what differed follows the reason."""
    first = Finding(FindingKind.CONSUMER, why, "", live.lines[name], table=str(name))
    return Verdict(found.case, Judgement.INCONCLUSIVE, (first, *found.findings), why)

"""One table of the upstream as the truth of one case, and the verdict on what a consumer has of it.

Law: nobody is blamed for what the topics do not hold. What differs is asked of the reference
consumer as well, over the same offsets; where it differs there, too, or where the upstream changed
meanwhile, the case is inconclusive.
"""

from __future__ import annotations

from dataclasses import replace

from harness.engine.real.document import LiveFile
from harness.engine.real.upstream import Snapshot
from harness.model.change import Op
from harness.model.exhibit import Exhibit
from harness.model.finding import FINDINGS, Finding, FindingKind, Judgement, Verdict
from harness.model.mounted import MountedRow
from harness.model.observed import Observed, Outcome
from harness.model.record import Origin
from harness.model.table import TableId
from harness.protocols import PROTOCOLS
from harness.upstream.mount import mounted_table
from harness.verdict.by_record import fold_rows
from harness.verdict.case import Judged
from harness.verdict.expected import Expected, TableState
from harness.verdict.judge import judge
from harness.verdict.table_diff import table_diffs

TITLE = "The table is what the upstream's SELECT says"


def case_id(live: LiveFile, table: TableId) -> str:
    """Return the name of a table's case."""
    return f"live.{table}[{live.protocol}]"


def expected(live: LiveFile, truth: Snapshot, name: TableId) -> Expected:
    """Return a table as far as the wire can tell it; virtual columns are never sent."""
    table = mounted_table(truth.tables[name])
    tell = PROTOCOLS[live.protocol].teller(live.settings)
    line = live.lines[name]
    rows = [
        MountedRow(Op.INSERT, table, None, row, 1, "", 0, Origin(line, 0, number, "insert"))
        for number, row in enumerate(sorted(truth.rows[name].elements(), key=repr))
    ]
    told = [one for one in map(tell, rows) if one is not None]
    state = fold_rows(told, lambda _: False)
    state.tables.setdefault(name, TableState(table))
    return state


def verdict(
    live: LiveFile, truth: Snapshot, name: TableId, observed: Observed
) -> tuple[Verdict, Exhibit | None]:
    """Return the verdict on one table of a consumer's answer, and what to show beside it."""
    judged = Judged(case_id(live, name), live.protocol, (), live.lines[name], {})
    answer = observed
    wanted = expected(live, truth, name)
    if observed.outcome is Outcome.DONE:
        rows = (observed.tables or {}).get(name, ())
        answer = replace(observed, tables={name: rows}, events=None, ddl=None)
    found = judge(judged, wanted, answer)
    if found.judgement not in FINDINGS or answer.tables is None:
        return found, None
    return found, Exhibit(tables=tuple(table_diffs(judged, wanted, answer.tables)))


def inconclusive(live: LiveFile, name: TableId, found: Verdict, why: str) -> Verdict:
    """Return the verdict on a table that cannot be judged; what differed follows the reason."""
    first = Finding(FindingKind.CONSUMER, why, "", live.lines[name], table=str(name))
    return Verdict(found.case, Judgement.INCONCLUSIVE, (first, *found.findings), why)

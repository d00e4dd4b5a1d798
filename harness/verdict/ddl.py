"""DDL statements: each exactly once, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from harness.errors import plural
from harness.model.finding import Finding, FindingKind
from harness.model.observed import ObservedDdl
from harness.model.source_events import DdlEvent
from harness.protocols.clauses import cause_clause
from harness.verdict.case import Judged
from harness.verdict.expected import Expected


def compare_ddl(
    judged: Judged, expected: Expected, answer: Sequence[ObservedDdl]
) -> Iterator[Finding]:
    """Yield a finding for each DDL that ran not at all, too often, unasked, or out of order."""
    clause = cause_clause(judged.protocol, "ddl") or judged.main_clause()
    wanted = [(event.commit_ts, event.query) for event in expected.ddl]
    got = _named(expected, answer)
    by_name = dict(zip(wanted, expected.ddl, strict=True))
    counted, asked = Counter(got), Counter(wanted)
    for name in dict.fromkeys(wanted):
        event = by_name[name]
        if counted[name] < asked[name]:
            yield _finding(judged, FindingKind.DDL_MISSING, clause, event, "was not executed")
        elif counted[name] > asked[name]:
            times = f"was executed {plural(counted[name], 'time')}"
            yield _finding(judged, FindingKind.DDL_REPEATED, clause, event, times)
    # A TRUNCATE among rows is one of them; who executes it may report it.
    rows = {event.query for event in expected.applied if isinstance(event, DdlEvent)}
    among = rows if expected.unordered else set[str]()
    for commit_ts, query in dict.fromkeys(got):
        if (commit_ts, query) not in by_name and query not in among:
            yield Finding(
                FindingKind.DDL_UNEXPECTED,
                f"a DDL ran that the stream does not complete: {query} (commit ts {commit_ts})",
                clause,
                judged.line,
                actual=query,
            )
    if counted == asked and got != wanted:
        yield Finding(
            FindingKind.DDL_ORDER,
            "the DDL statements were executed in another order",
            cause_clause(judged.protocol, "order") or clause,
            expected.ddl[0].origin.line,
            expected="; ".join(query for _, query in wanted),
            actual="; ".join(query for _, query in got),
        )


def _named(expected: Expected, answer: Sequence[ObservedDdl]) -> list[tuple[int, str]]:
    """Return commit ts and restored text of each answer.

    The user's own text counts as the restored one. Where a consumer reports no commit ts, its n-th
    statement of a text is the stream's n-th of that text.
    """
    texts = {(event.commit_ts, event.source): event.query for event in expected.ddl}
    undated: dict[str, list[tuple[int, str]]] = {}
    for event in expected.ddl:
        for text in dict.fromkeys((event.query, event.source)):
            undated.setdefault(text, []).append((event.commit_ts, event.query))
    got: list[tuple[int, str]] = []
    for ddl in answer:
        if ddl.commit_ts is not None:
            got.append((ddl.commit_ts, texts.get((ddl.commit_ts, ddl.query), ddl.query)))
            continue
        left = undated.get(ddl.query, [(0, ddl.query)])
        got.append(left.pop(0) if len(left) > 1 else left[0])
    return got


def _finding(judged: Judged, kind: FindingKind, clause: str, event: DdlEvent, what: str) -> Finding:
    return Finding(
        kind,
        f"the DDL of commit ts {event.commit_ts} {what}: {event.query}",
        clause,
        event.origin.line,
        table=event.table,
        expected="executed once",
        actual=what,
        places=judged.places.get(event.origin.event, ()),
    )

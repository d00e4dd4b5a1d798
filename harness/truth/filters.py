"""What a changefeed lets through: DDL, row changes, and configurations that the vendor refuses.

`pre_sql` ran before the changefeed started, `setup_sql` while it watched. A changefeed that failed
in between keeps its snapshot and goes on with the next statement, as the vectors' own did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.ddl import Catalogue, DdlJob, referenced_schemas
from harness.errors import SourceStopped
from harness.model.table import Table
from harness.sources.decision import Decision, Outcome
from harness.sources.tidb.changefeed import Changefeed, changefeed
from harness.sources.tidb.ddl_filter import filter_ddl
from harness.sources.tidb.eligibility import UNCODED
from harness.sources.tidb.mounter import source_table
from harness.sources.tidb.puller import Puller
from harness.sources.tidb.refusal import ChangefeedError
from harness.sources.tidb.split import split_updates
from harness.sources.tidb.store import NetChange
from harness.sources.tidb.value_filter import SYNTAX
from harness.truth.result import Difference, Result, Vector, codes_of, section
from harness.truth.ticdc_config import dotted
from harness.truth.ticdc_rows import net_change
from harness.truth.ticdc_session import Session, statements

# Every vector starts in TiDB's own database `test`; the others are there as well.
SCHEMA = "test"
SCHEMAS = (SCHEMA, "mysql", "sys", "information_schema", "performance_schema", "metrics_schema")


@dataclass(slots=True)
class Watched:
    """A session, and the changefeed that has followed it so far."""

    feed: Changefeed
    session: Session
    puller: Puller

    def ddl(self, sql: str) -> list[tuple[DdlJob, Decision]]:
        """Run a statement; return what becomes of each of its DDL jobs."""
        self.session, jobs = self.session.run(sql)
        return list(filter_ddl(self.puller.judge(jobs), self.feed, 0))


def watched(vector: Vector) -> Watched:
    """Return the changefeed after a vector's setup; ChangefeedError where it is refused."""
    feed = changefeed(dotted(section(vector, "filter_config")), 1)
    session = Session(Catalogue.with_schemas(*SCHEMAS))
    for sql in statements(vector.get("pre_sql")):
        session, _ = session.run(sql)
    rules = feed.rules()
    puller = Puller(feed.filters, session.catalogue, rules, force_replicate=feed.force_replicate)
    found = Watched(feed, session, puller)
    for sql in statements(vector.get("setup_sql")):
        found.ddl(sql)
    return found


Judged = Sequence[tuple[DdlJob, Decision]]
# What a vector calls our outcomes.
_WORDS = {Outcome.REPLICATE: "replicate", Outcome.IGNORE: "ignore", Outcome.STOP: "error"}


def compare_eligibility(vector: Vector) -> Result:
    """Compare what becomes of a vector's DDL."""
    judged = watched(vector).ddl(vector["ddl"])
    return Result(vector["id"], tuple(ddl_differences(vector, judged)))


def ddl_differences(vector: Vector, judged: Judged) -> Iterator[Difference]:
    """Yield where our decisions about a statement are not the vector's."""
    # TiCDC drops pairs of a RENAME TABLE without a word when others of it remain.
    found = [
        d for _, d in judged if d.sent or d.stage != "ddl puller" or len(judged) == 1 or d.code
    ]
    found = found or [decision for _, decision in judged][:1]
    ours = [_WORDS[decision.outcome] for decision in found]
    yield from different("per_event", ours, vector["per_event"])
    worst = next((word for word in ("error", "replicate") if word in ours), "ignore")
    yield from different("expected", worst, vector["expected"])
    stages = [decision.stage for decision in found if not decision.sent]
    yield from different("where", stages, vector["where"])
    sent = [
        {"t": int(job.action), "q": job.query, "scm": job.schema, "tbl": job.table}
        for job, decision in judged
        if decision.sent
    ]
    yield from different("sent", sent, list(vector["sent"]))
    codes = [code for d in found if d.code for code in (d.code, d.cause) if code]
    theirs = codes_of(vector.get("error_text") or "")
    if vector.get("error_text") and not theirs:
        theirs = (UNCODED,)
    yield from different("error_text", codes, list(theirs))


def different(where: str, ours: object, theirs: object) -> Iterator[Difference]:
    """Yield a difference when the two are not equal."""
    if ours != theirs:
        yield Difference(where, str(ours), str(theirs))


CONSTRUCTION = "filter construction"
_NOT_VERIFIED = ("expression-not-verified",)
_NOT_REPLICATED = "ignore (table not replicated)"


def compare(vector: Vector) -> Result:
    """Compare what becomes of a vector's statement, or the refusal of its configuration."""
    try:
        found = watched(vector)
    except ChangefeedError as refusal:
        late = refusal.code == SYNTAX and "per_row" in vector
        wrong = _refusal_differences(vector, refusal, "error" if late else CONSTRUCTION)
        return Result(vector["id"], tuple(wrong), _NOT_VERIFIED if late else ())
    return Result(vector["id"], tuple(_differences(vector, found)))


def _refusal_differences(
    vector: Vector, refusal: ChangefeedError, where: str
) -> Iterator[Difference]:
    yield from different("where", where, vector.get("where") or vector.get("expected"))
    yield from different("error_text", (refusal.code,), codes_of(vector.get("error_text", "")))


def _differences(vector: Vector, found: Watched) -> Iterator[Difference]:
    if vector.get("where") == CONSTRUCTION:
        yield Difference("where", "accepted", CONSTRUCTION)
    elif "ddl" in vector:
        yield from ddl_differences(vector, found.ddl(vector["ddl"]))
    else:
        yield from _dml_differences(vector, found)


def _dml_differences(vector: Vector, found: Watched) -> Iterator[Difference]:
    passed: dict[str, tuple[Table, list[NetChange]]] = {}
    words: list[str] = []
    codes: tuple[str, ...] = ()
    for row in vector.get("rows") or ():
        table = found.session.catalogue.find(row["schema"], row["table"])
        assert table is not None
        net = net_change(source_table(table), row)
        try:
            words.append(_word(found, table, net))
        except SourceStopped as error:
            words.append("error")
            codes = (error.code,)
            break
        if words[-1].startswith("replicate"):
            passed.setdefault(str(table.id), (table, []))[1].append(net)
    if "rows" not in vector:
        words = _of_schemas(vector, found)
    yield from different("per_row", words, vector["per_row"])
    replicated = "replicate" if passed else "ignore"
    yield from different("expected", "error" if codes else replicated, vector["expected"])
    yield from different("error_text", codes, codes_of(vector.get("error_text") or ""))
    kinds = [
        change.op.value
        for table, changes in passed.values()
        for change in (changes if found.feed.raw_changes else split_updates(table, changes))
    ]
    sent = [] if codes else kinds
    yield from different("sent_row_kinds", sent, list(vector["sent_row_kinds"]))


def _word(found: Watched, table: Table, net: NetChange) -> str:
    if not found.puller.replicates(table).sent:
        return _NOT_REPLICATED
    images = (net.before, net.after)
    decision = found.feed.filters.row(net.op, table, images, 0)
    return f"replicate:{net.op.value}" if decision.sent else "ignore"


def _of_schemas(vector: Vector, found: Watched) -> list[str]:
    """Return what becomes of rows that the vector does not list: those of system schemas."""
    schemas = referenced_schemas(vector["dml"]) or frozenset({SCHEMA})
    out = not any(found.feed.filters.schema(schema) for schema in schemas)
    return [_NOT_REPLICATED if out else "replicate"] * len(vector["per_row"])

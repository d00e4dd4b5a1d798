"""DDL of tables with and without a valid index, and what filters do to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.ddl import DdlJob
from harness.sources.decision import Decision, Outcome
from harness.sources.tidb.eligibility import UNCODED
from harness.truth.decisions import watched
from harness.truth.result import Difference, Result, Vector
from harness.truth.vendor_errors import codes_of

Judged = Sequence[tuple[DdlJob, Decision]]
# What a vector calls our outcomes.
_WORDS = {Outcome.REPLICATE: "replicate", Outcome.IGNORE: "ignore", Outcome.STOP: "error"}


def compare(vector: Vector) -> Result:
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

"""What filters let through: DDL, row changes, and configurations that the vendor refuses."""

from __future__ import annotations

from collections.abc import Iterator

from harness.ddl import referenced_schemas
from harness.errors import SourceStopped
from harness.model.table import Table
from harness.sources.tidb.mounter import source_table
from harness.sources.tidb.refusal import ChangefeedError
from harness.sources.tidb.split import split_updates
from harness.sources.tidb.store import NetChange
from harness.truth.decisions import SCHEMA, Watched, watched
from harness.truth.eligibility import ddl_differences, different
from harness.truth.result import Difference, Result, Vector
from harness.truth.ticdc_rows import net_change
from harness.truth.vendor_errors import codes_of

CONSTRUCTION = "filter construction"
_NOT_REPLICATED = "ignore (table not replicated)"


def compare(vector: Vector) -> Result:
    """Compare what becomes of a vector's statement, or the refusal of its configuration."""
    return Result(vector["id"], tuple(_differences(vector)))


def _differences(vector: Vector) -> Iterator[Difference]:
    try:
        found = watched(vector)
    except ChangefeedError as refusal:
        yield from different("where", CONSTRUCTION, vector.get("where"))
        yield from different("error_text", (refusal.code,), codes_of(vector.get("error_text", "")))
        return
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

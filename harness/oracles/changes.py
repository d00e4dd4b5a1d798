"""The page of what changed between versions: oracles' results, our dialects, clauses' releases.

`python -m harness.oracles.changes > docs/reference/changes-by-version.md`
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from harness.codecs.debezium_vitess.dialect import DIALECTS, ContextHeaders, VitessDialect
from harness.errors import plural
from harness.oracles.page import KEPT, kept
from harness.oracles.result import OracleResult, Status
from harness.oracles.vitess.lock import VERSIONS
from harness.protocols.clauses import CLAUSES, DIALECT_OF
from harness.report.escapes import cell
from harness.spec import Clause

HEAD: Final = """\
# What changed between versions

Written by `python -m harness.oracles.changes` from the results in `docs/reference/oracles`, the
dialects, and the releases that clauses name. A run is of the catalogue of its day; counts differ by
the cases that were asked about, which [the page of the results](oracle-vitess.md) names.
[Documents and versions](../explanation/versions.md) says where documents and programs differ.

## Debezium's Vitess connector

Each release was asked about the catalogue by `harness oracle vitess --version`, its records
compared with those of our encoder in the dialect of the release. So what a release does otherwise
is in its dialect, or is a known difference; [the page of the results](oracle-vitess.md) has each of
them.
"""
TICDC: Final = """\
## TiCDC

No release of TiCDC is run here, and no recording of one is kept: what follows is what clauses say,
each with its source in TiCDC's code or in its documents. The vectors that our encoders are held
against are of one commit, tiflow c7b2588 (`current`), and of pingcap/ticdc b813e76f9d (`newarch`).
[A recording of a cluster](../guides/record-a-cluster.md) compares any other release.

The dialect is the one in which a scenario has what the row says; where there is none, no scenario
can show it.
"""
LAYERS: Final[Mapping[str, str]] = {
    "open": "Open Protocol",
    "avro": "Avro",
    "changefeed": "Changefeeds",
}
# What a clause says of its releases where it names none.
UNDATED: Final = frozenset({"newest", "all", "current", "documented", "new architecture"})
CURRENT: Final = "current"
NO_DIALECT: Final = "none"
HEADERS: Final[Mapping[ContextHeaders, str]] = {
    ContextHeaders.NEVER: "without context headers",
    ContextHeaders.ALWAYS: "with context headers, and no setting against them",
    ContextHeaders.AS_SET: "with context headers, unless `extended.headers.enabled` is false",
}


def page(results: Sequence[OracleResult]) -> str:
    """Return the page from results of the Vitess connector; the widest of a release counts."""
    found = {one.version: one for one in sorted(results, key=lambda one: one.total)}
    return "\n".join((HEAD, *_releases(found), *_steps(found), TICDC, *_by_clauses())) + "\n"


def _releases(found: Mapping[str, OracleResult]) -> Iterator[str]:
    yield (
        "| release | dialect | asked on | asked about | equal | with a known difference "
        "| not played |"
    )
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: |"
    for release, dialect in VERSIONS.items():
        one = found.get(release)
        if one is None:
            yield f"| {release} | `{dialect}` | not asked | | | | |"
            continue
        differing, unplayed = (len(one.of(s)) for s in (Status.DIFFERS, Status.UNPLAYABLE))
        yield (
            f"| {release} | `{dialect}` | {one.date} | {plural(one.total, 'case')} | {one.equal} "
            f"| {differing} | {unplayed} |"
        )
    yield ""


def _steps(found: Mapping[str, OracleResult]) -> Iterator[str]:
    yield "| from | to | what changed | before | since |"
    yield "| --- | --- | --- | --- | --- |"
    for (old, before), (new, since) in pairwise(VERSIONS.items()):
        changes = list(_of_dialects(DIALECTS[before], DIALECTS[since]))
        if old in found and new in found:
            past, present = _known(found[old]), _known(found[new])
            changes += (f"no more: {cell(one)}" for one in sorted(past - present))
            changes += (f"new: {cell(one)}" for one in sorted(present - past))
            changes = changes or ["nothing but the version in the source block"]
        else:
            changes.append("more is not known")
        yield f"| {old} | {new} | {'; '.join(changes)} | `{before}` | `{since}` |"
    yield ""


def _of_dialects(before: VitessDialect, since: VitessDialect) -> Iterator[str]:
    """Yield in words what one dialect does otherwise than another, its name and version apart."""
    if before.context is not since.context:
        yield f"{HEADERS[before.context]} → {HEADERS[since.context]}"
    if before.run_id is not since.run_id:
        ends = "" if since.run_id else "no more: "
        yield f"{ends}the header `__debezium.context.runId` is last"
    old, new = _snapshots(before), _snapshots(since)
    if old != new:
        yield f"the schema of `snapshot` allows `{old}` → `{new}`"
    if before.source.version != since.source.version:
        first, then = (one.source.version or "none" for one in (before, since))
        yield f"the version of the source block's schema: {first} → {then}"
    yield from _of_ordering(before, since)
    if before.bytes_cut is not since.bytes_cut:
        yield "`column.truncate.to.N.chars` cuts bytes in JSON as in Avro"
    came = {name: values for name, values in before.lacks.items() if name not in since.lacks}
    if came:
        listed = (f"`{name}`" + _valued(values) for name, values in came.items())
        yield f"settings that came: {', '.join(listed)}"


def _of_ordering(before: VitessDialect, since: VitessDialect) -> Iterator[str]:
    """Yield in words what one dialect does otherwise with epochs than another."""
    old, new = before.epochs, since.epochs
    if old.first is not new.first:
        yield f"epochs are counted {old.first.value} → {new.first.value}"
    if old.exchange_stops is not new.exchange_stops:
        ends = "" if new.exchange_stops else "no more: "
        yield f"{ends}a GTID set that exchanges servers stops the task, with ordered metadata"


def _snapshots(dialect: VitessDialect) -> str:
    """Return what the schema of the source block's `snapshot` allows."""
    (found,) = (one.schema for one in dialect.source.fields if one.name == "snapshot")
    return dict(found.parameters)["allowed"]


def _valued(values: Sequence[str]) -> str:
    return " with " + ", ".join(one.rpartition(".")[2] for one in values) if values else ""


def _known(result: OracleResult) -> set[str]:
    return {one.reason for one in result.of(Status.DIFFERS)}


def _by_clauses() -> Iterator[str]:
    for layer, title in LAYERS.items():
        dated = [
            one
            for one in CLAUSES.values()
            if one.id.partition(".")[0] == layer and one.versions not in UNDATED
        ]
        yield f"### {title}"
        yield ""
        yield "| releases | what holds | clause | dialect |"
        yield "| --- | --- | --- | --- |"
        for one in sorted(dated, key=lambda one: (_first(one), one.id)):
            yield f"| {one.versions} | {cell(one.text)} | `{one.id}` | {_dialect(one)} |"
        yield ""


def _first(clause: Clause) -> tuple[int, ...]:
    """Return the first release that a clause names, for the order of rows."""
    found = re.search(r"\d+(?:\.\d+)+", clause.versions)
    return tuple(map(int, found[0].split("."))) if found else ()


def _dialect(clause: Clause) -> str:
    if clause.versions in DIALECT_OF:
        return f"`{DIALECT_OF[clause.versions]}`"
    return f"`{CURRENT}`" if clause.versions.startswith("from ") else NO_DIALECT


if __name__ == "__main__":
    sys.stdout.write(page(kept(KEPT)))

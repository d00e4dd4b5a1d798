"""The page about an oracle's runs, from the results that were kept: one a release.

`python -m harness.oracles.page NAME > docs/reference/oracle-NAME.md`
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from harness.oracles import freedoms
from harness.oracles.compare import KEYLESS, TASKS, TIMER
from harness.oracles.mariadb import configuration as followers
from harness.oracles.result import RESTARTS, CaseResult, OracleResult, Status, read_result
from harness.oracles.vitess.lock import VERSIONS
from harness.report.escapes import cell

KEPT: Final = Path("docs/reference/oracles")
HEAD: Final = """\
# {title} beside our encoder

Written by `python -m harness.oracles.page {name}` from the results in `docs/reference/oracles`;
[the guide](../guides/check-against-vendors.md) says how such a run is made. A run is of the
catalogue of its day.
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """An oracle as its page has it: whom it asks, and what may be free there.

    `dialects` has our dialect by release; `again` says why a stream is played again, "" where none
    is.
    """

    name: str
    title: str
    dialects: Mapping[str, str]
    freedoms: Sequence[str]
    again: str = ""


VITESS: Final = Asked(
    "vitess",
    "Debezium's Vitess connector",
    VERSIONS,
    (
        freedoms.PROCESSING_TIME,
        KEYLESS,
        TASKS,
        TIMER,
        freedoms.SCHEMA_ID,
        freedoms.RUN_ID,
        freedoms.UNACKNOWLEDGED,
        freedoms.VERSION,
    ),
    "A stream is played again where the connector's transport broke: gRPC 1.75.0, which 3.3.1 "
    "brings, now and then takes the header of an HTTP/2 frame for a message and fails with "
    "`gRPC message exceeds maximum size` ([grpc-java 12307]"
    "(https://github.com/grpc/grpc-java/issues/12307)).",
)
DEBEZIUM_MARIADB: Final = Asked(
    followers.MARIADB.oracle,
    "Debezium's MariaDB connector",
    {followers.MARIADB.version: followers.MARIADB.dialect},
    (
        freedoms.PROCESSING_TIME,
        freedoms.COPY_TIME,
        freedoms.LOG_POSITION,
        freedoms.COLLECTION_ORDER,
        TIMER,
        freedoms.QUEUED,
    ),
)
DEBEZIUM_MYSQL: Final = Asked(
    followers.MYSQL.oracle,
    "Debezium's MySQL connector",
    {followers.MYSQL.version: followers.MYSQL.dialect},
    (freedoms.PROCESSING_TIME, freedoms.LOG_POSITION, TIMER, freedoms.QUEUED),
)
ASKED: Final = MappingProxyType(
    {one.name: one for one in (VITESS, DEBEZIUM_MARIADB, DEBEZIUM_MYSQL)}
)


def page(results: Sequence[OracleResult], asked: Asked = VITESS) -> str:
    """Return an oracle's page; the newest run of the default release comes first."""
    parts = (*_head(results, asked), *_freedoms(results, asked), *_each(results))
    return "\n".join(parts).rstrip() + "\n"


def _head(results: Sequence[OracleResult], asked: Asked) -> Iterator[str]:
    yield HEAD.format(title=asked.title, name=asked.name)
    yield "## Releases"
    yield ""
    yield "| release | asked on | cases | equal | compared | total | dialect | took | again |"
    yield "| --- | --- | --- | ---: | ---: | ---: | --- | ---: | ---: |"
    for one in results:
        yield (
            f"| {one.version} | {one.date} | {_code(one.chosen) or 'all'} "
            f"| {one.equal} | {one.compared} | {one.total} "
            f"| `{asked.dialects[one.version]}` | {one.seconds} s | {one.replayed} |"
        )
    yield ""
    if asked.again:
        yield asked.again
        yield ""


def _freedoms(results: Sequence[OracleResult], asked: Asked) -> Iterator[str]:
    yield "## Freedoms"
    yield ""
    yield "What two right producers may write differently; all else is compared byte for byte."
    yield ""
    widest = max(results, key=lambda one: one.total, default=None)
    yield f"| freedom | reason | cases{f' of {widest.version}' if widest else ''} |"
    yield "| --- | --- | ---: |"
    counts: Mapping[str, int] = widest.freedoms() if widest else {}
    for name in asked.freedoms:
        yield f"| {name} | {freedoms.REASONS[name]} | {counts.get(name, 0)} |"
    yield ""


def _each(results: Sequence[OracleResult]) -> Iterator[str]:
    for one in results:
        stopped = one.chosen.startswith(RESTARTS)
        yield f"## {one.version}{', stopped and started again' if stopped else ''}"
        yield ""
        yield "; ".join(f"{name} {version}" for name, version in sorted(one.versions.items())) + "."
        yield ""
        yield from _differing(one.of(Status.DIFFERS))
        yield from _unplayed(one.of(Status.UNPLAYABLE))


def _differing(cases: Sequence[CaseResult]) -> Iterator[str]:
    if not cases:
        yield "No case differs."
        yield ""
        return
    yield "| scenario | cases | why | first difference |"
    yield "| --- | ---: | --- | --- |"
    for scenario, same in _by_scenario(cases):
        first = same[0].differences[0] if same[0].differences else ""
        reason = same[0].reason or "**not explained**"
        yield f"| {scenario} | {len(same)} | {cell(reason)} | {_code(first)} |"
    yield ""


def _unplayed(cases: Sequence[CaseResult]) -> Iterator[str]:
    reasons = dict.fromkeys(case.reason for case in cases)
    for reason in reasons:
        same = [case for case in cases if case.reason == reason]
        names = ", ".join(f"{name} ({len(those)})" for name, those in _by_scenario(same))
        yield f"Not played, {reason}: {names}."
        yield ""


def _by_scenario(cases: Sequence[CaseResult]) -> list[tuple[str, list[CaseResult]]]:
    found: dict[str, list[CaseResult]] = {}
    for case in cases:
        found.setdefault(case.case.partition("[")[0], []).append(case)
    return list(found.items())


def _code(text: str) -> str:
    """Return a text as code in a table's cell, on one line."""
    line = cell(" ".join(text.split())).replace("`", "'")
    return f"`{line}`" if line else ""


def kept(directory: Path, name: str = VITESS.name) -> list[OracleResult]:
    """Return an oracle's results, the newest release first, the widest of one first."""
    found = [read_result(file) for file in directory.glob(f"{name}-*.json")]

    def number(one: OracleResult) -> tuple[list[int], int]:
        return [int(part) for part in re.findall(r"\d+", one.version)], one.total

    return sorted(found, key=number, reverse=True)


if __name__ == "__main__":
    named = ASKED[sys.argv[1]]
    sys.stdout.write(page(kept(KEPT, named.name), named))

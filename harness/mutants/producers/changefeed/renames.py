"""RENAME TABLE: which names decide, of one table and of several at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from harness.ddl import ActionType, DdlJob
from harness.mutants.producers.changefeed.edits import (
    LEFT_OUT,
    PULLER_CLASS,
    STOPPED,
    Judge,
    all_sent,
    judged,
    renames,
)
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, patch
from harness.sources.decision import REPLICATE, Decision
from harness.sources.tidb.puller import Puller

Judged = list[tuple[DdlJob, Decision]]
_RENAME: Final = f"{PULLER_CLASS}._rename"
# What the puller says where it stops.
_INTO: Final = "is not in filter.rules, but its new name"
_TWICE: Final = "is renamed twice"
_NO_SCHEMA: Final = "not found in TiCDC's schema snapshot"


def _of_one(change: Judge) -> Patch:
    """Return the patch that changes what is decided of a rename of one table."""
    renamed = ActionType.RENAME_TABLE
    return judged(
        lambda job, decision: change(job, decision) if job.action is renamed else decision
    )


def _sent_as(inside: bool, instead: Decision) -> Patch:  # noqa: FBT001
    """Return the patch that changes what becomes of a rename that is sent, by its new name."""

    def changed(original: Callable[..., Decision]) -> Callable[..., Decision]:
        def rename(puller: Any, job: DdlJob, start: int) -> Decision:  # noqa: ANN401
            found = original(puller, job, start)
            covered = puller._filters.table(job.schema, job.table)  # noqa: SLF001
            return instead if found.sent and covered is inside else found

        return rename

    return patch(_RENAME, changed)


def _outside(instead: Decision) -> Patch:
    """Return the patch that changes what becomes of a rename between two excluded names."""
    return _of_one(
        lambda _, found: (
            instead if not found.sent and not found.code and "and" in found.reason else found
        )
    )


def _stop_as(words: str, instead: Decision) -> Patch:
    """Return the patch that does something else where a changefeed stops with these words."""

    def judge(_: DdlJob, found: Decision) -> Decision:
        return instead if found.code and words in found.reason else found

    return judged(judge)


def _by_the_old_name(original: Callable[..., Decision]) -> Callable[..., Decision]:
    """Return a `_rename` after which the table is still known by its old name."""

    def rename(puller: Any, job: DdlJob, start: int) -> Decision:  # noqa: ANN401
        assert job.before is not None
        known = puller._tables.get(job.before.physical_id)  # noqa: SLF001
        found = original(puller, job, start)
        if known is not None and job.after is not None:
            puller._tables[job.after.physical_id] = known  # noqa: SLF001
        return found

    return rename


def _forgotten(original: Callable[..., Decision]) -> Callable[..., Decision]:
    """Return a `_rename` after which the table is not known any more."""

    def rename(puller: Any, job: DdlJob, start: int) -> Decision:  # noqa: ANN401
        found = original(puller, job, start)
        if job.after is not None:
            puller._tables.pop(job.after.physical_id, None)  # noqa: SLF001
        return found

    return rename


def _sent(found: Judged) -> bool:
    return any(decision.sent for _, decision in found)


def _stops(found: Judged, words: str) -> bool:
    return any(decision.code and words in decision.reason for _, decision in found)


def _many(which: Callable[[Puller, Sequence[DdlJob], Judged], bool], instead: Decision) -> Patch:
    """Return the patch that does something else with some statements of several pairs."""

    def changed(original: Callable[..., Judged]) -> Callable[..., Judged]:
        def judge(puller: Any, jobs: Sequence[DdlJob], start: int) -> Judged:  # noqa: ANN401
            found = original(puller, jobs, start)
            if not which(puller, jobs, found):
                return found
            return all_sent(jobs) if instead is REPLICATE else [(jobs[0], instead)]

        return judge

    return patch(f"{PULLER_CLASS}._rename_tables", changed)


def _new_name_out(puller: Puller, jobs: Sequence[DdlJob], found: Judged) -> bool:
    tables = puller._filters.table  # noqa: SLF001
    return _sent(found) and not all(tables(job.schema, job.table) for job in jobs)


def _chained(_: Puller, jobs: Sequence[DdlJob], found: Judged) -> bool:
    old = {(job.old_schema, job.old_table) for job in jobs}
    return _sent(found) and any((job.schema, job.table) in old for job in jobs)


def _some_pairs_out(_: Puller, __: Sequence[DdlJob], found: Judged) -> bool:
    return _sent(found) and not all(decision.sent for _, decision in found)


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "feed-rename-inside-left-out",
        "changefeed.rename.in-in",
        "It does not send a rename between two names that the rules cover.",
        _sent_as(inside=True, instead=LEFT_OUT),
    ),
    WrongProducer(
        "feed-rename-inside-stops",
        "changefeed.rename.in-in",
        "It stops at a rename between two names that the rules cover.",
        _sent_as(inside=True, instead=STOPPED),
    ),
    WrongProducer(
        "feed-rename-out-left-out",
        "changefeed.rename.in-out",
        "It does not send a rename to a name outside the rules.",
        _sent_as(inside=False, instead=LEFT_OUT),
    ),
    WrongProducer(
        "feed-rename-out-stops",
        "changefeed.rename.in-out",
        "It stops at a rename to a name outside the rules.",
        _sent_as(inside=False, instead=STOPPED),
    ),
    WrongProducer(
        "feed-rename-outside-sent",
        "changefeed.rename.out-out",
        "It sends a rename between two names outside the rules.",
        _outside(REPLICATE),
    ),
    WrongProducer(
        "feed-rename-outside-stops",
        "changefeed.rename.out-out",
        "It stops at a rename between two names outside the rules.",
        _outside(STOPPED),
    ),
    WrongProducer(
        "feed-rename-into-left-out",
        "changefeed.rename.out-in",
        "It leaves a rename into the rules out and goes on.",
        _stop_as(_INTO, LEFT_OUT),
    ),
    WrongProducer(
        "feed-rename-into-sent",
        "changefeed.rename.out-in",
        "It sends a rename into the rules.",
        _stop_as(_INTO, REPLICATE),
    ),
    WrongProducer(
        "feed-rows-by-the-old-name",
        "changefeed.rename.rows-after",
        "It goes on to judge rows by the name before a rename.",
        patch(_RENAME, _by_the_old_name),
    ),
    WrongProducer(
        "feed-rows-lost-in-a-rename",
        "changefeed.rename.rows-after",
        "It sends no rows of a table after a rename.",
        patch(_RENAME, _forgotten),
    ),
    WrongProducer(
        "feed-renames-left-out",
        "changefeed.rename.many",
        "It does not send a statement that renames several tables.",
        _many(lambda _, __, found: _sent(found), LEFT_OUT),
    ),
    WrongProducer(
        "feed-first-rename-alone",
        "changefeed.rename.many",
        "It sends the first pair alone of a statement that renames several tables.",
        renames(lambda _, found: found[:1]),
    ),
    WrongProducer(
        "feed-renames-to-a-name-outside-left-out",
        "changefeed.rename.many-new-table-out",
        "It leaves a statement out of which one new table name is outside the rules.",
        _many(_new_name_out, LEFT_OUT),
    ),
    WrongProducer(
        "feed-renames-to-a-name-outside-stop",
        "changefeed.rename.many-new-table-out",
        "It stops at a statement of which one new table name is outside the rules.",
        _many(_new_name_out, STOPPED),
    ),
    WrongProducer(
        "feed-renames-to-a-database-outside-left-out",
        "changefeed.rename.many-new-database-out",
        "It leaves a statement out of which one new database is outside the rules.",
        _many(lambda _, __, found: _stops(found, _NO_SCHEMA), LEFT_OUT),
    ),
    WrongProducer(
        "feed-renames-to-a-database-outside-sent",
        "changefeed.rename.many-new-database-out",
        "It sends a statement of which one new database is outside the rules.",
        _many(lambda _, __, found: _stops(found, _NO_SCHEMA), REPLICATE),
    ),
    WrongProducer(
        "feed-pairs-all-or-none",
        "changefeed.rename.many-pairs",
        "It leaves all pairs out where one has both names outside the rules.",
        _many(_some_pairs_out, LEFT_OUT),
    ),
    WrongProducer(
        "feed-pairs-stop",
        "changefeed.rename.many-pairs",
        "It stops where one pair has both names outside the rules, as the page says.",
        _many(_some_pairs_out, STOPPED),
    ),
    WrongProducer(
        "feed-pairs-outside-sent",
        "changefeed.rename.many-pairs",
        "It sends the pairs too that have both names outside the rules.",
        _many(_some_pairs_out, REPLICATE),
        also="open.ddl.rename-names",
        protocols=("open",),
    ),
    WrongProducer(
        "feed-pair-into-left-out",
        "changefeed.rename.many-out-in",
        "It leaves a statement out of which one pair goes into the rules.",
        _many(lambda _, __, found: _stops(found, _INTO), LEFT_OUT),
    ),
    WrongProducer(
        "feed-pair-into-sent",
        "changefeed.rename.many-out-in",
        "It sends a statement of which one pair goes into the rules.",
        _many(lambda _, __, found: _stops(found, _INTO), REPLICATE),
    ),
    WrongProducer(
        "feed-swap-left-out",
        "changefeed.rename.swap",
        "It leaves a swap of names out.",
        _many(lambda _, __, found: _stops(found, _TWICE), LEFT_OUT),
    ),
    WrongProducer(
        "feed-swap-sent",
        "changefeed.rename.swap",
        "It sends a swap of names.",
        _many(lambda _, __, found: _stops(found, _TWICE), REPLICATE),
    ),
    WrongProducer(
        "feed-chain-left-out",
        "changefeed.rename.chain",
        "It leaves a statement out that hands names on.",
        _many(_chained, LEFT_OUT),
    ),
    WrongProducer(
        "feed-chain-stops",
        "changefeed.rename.chain",
        "It stops at a statement that hands names on.",
        _many(_chained, STOPPED),
    ),
)

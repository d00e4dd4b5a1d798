"""The newer architecture: what it sends and leaves out otherwise than the older one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from harness.model.change import Op
from harness.model.table import Table
from harness.mutants.producers.changefeed.edits import FILTERS
from harness.mutants.producers.changefeed.expressions import leaving_out, reading_all, tolerant
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, adjusted, patch, returns
from harness.sources.decision import REPLICATE, Decision
from harness.sources.tidb.server_zone import printer

ELIGIBLE: Final = "harness.sources.tidb.mounter:eligible"
IGNORES: Final = "harness.sources.tidb.value_filter:ValueFilter.ignores"
UPDATES: Final = "harness.sources.tidb.simulator:TiDB._updates_judged"
VALUE_FILTER: Final = "harness.sources.tidb.value_filter:value_filter"
SPLITS_FIRST: Final = "harness.sources.tidb.changefeed:Changefeed.splits_first"


def _unasked(op: Op) -> Patch:
    """Return the patch by which no expression sees changes of a kind."""

    def changed(original: Callable[..., str]) -> Callable[..., str]:
        return lambda values, kind, *rest: "" if kind is op else original(values, kind, *rest)

    return patch(IGNORES, changed)


def _of_any_kind(op: Op) -> Patch:
    """Return the patch by which `ignore-event` leaves out no change of a kind."""

    def changed(original: Callable[..., Decision]) -> Callable[..., Decision]:
        return lambda filters, kind, table: (
            REPLICATE if kind is op else original(filters, kind, table)
        )

    return patch(f"{FILTERS}.kind", changed)


def _refusing(original: Callable[..., object]) -> Callable[..., object]:
    """Return a `value_filter` that reads each expression at once, as the older architecture."""
    return lambda expressions, **_: original(expressions)


def _as_before(original: Callable[..., bool]) -> Callable[..., bool]:
    """Return an `eligible` that takes an index over a virtual column for none."""
    return lambda table, *, force_replicate, **_: original(table, force_replicate=force_replicate)


def _any_unique(found: bool, table: Table | None) -> bool:  # noqa: FBT001
    """Take any unique index for a valid one."""
    return found or (table is not None and any(index.unique for index in table.indexes))


def _named_parts(found: bool, table: Table | None) -> bool:  # noqa: FBT001
    """Take a unique index over NOT NULL columns and expressions for a valid one."""
    if found or table is None:
        return found
    return any(
        index.unique and not any(table.column(name).nullable for name in index.columns)
        for index in table.indexes
        if len(index.columns) < len(index.parts)
    )


def _none_as_updates(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return an `_updates_judged` that leaves nothing out."""
    del original
    return lambda tidb, step, table, changes: changes  # noqa: ARG005 - as patched


def _asked_as_updates(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return an `_updates_judged` that asks the value expressions of updates as well."""

    def judged(tidb: Any, step: int, table: Table, changes: Any) -> Any:  # noqa: ANN401 - patched
        feed = tidb._feed  # noqa: SLF001
        printed = printer(table, feed.zone)
        return [
            net
            for net in original(tidb, step, table, changes)
            if net.op is not Op.UPDATE
            or feed.filters.row(net.op, table, (printed(net.before), printed(net.after)), 0).sent
        ]

    return judged


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "feed-filters-before-the-split-anew",
        "changefeed.event-filter.split-anew",
        "It asks no event filter about the halves of an update in the newer architecture.",
        returns(SPLITS_FIRST, value=False),
    ),
    WrongProducer(
        "feed-halves-alone-are-judged-anew",
        "changefeed.event-filter.split-anew",
        "It does not ask event filters about the update that it splits.",
        patch(UPDATES, _none_as_updates),
    ),
    *(
        WrongProducer(
            f"feed-{words}-half-of-any-kind-anew",
            "changefeed.event-filter.split-anew",
            f"It judges the {words} half of a split update by no `ignore-event`.",
            _of_any_kind(op),
        )
        for words, op in (("delete", Op.DELETE), ("insert", Op.INSERT))
    ),
    WrongProducer(
        "feed-expressions-before-the-split-anew",
        "changefeed.expression.split-anew",
        "It asks the expressions of updates, too, about one that it splits.",
        patch(UPDATES, _asked_as_updates),
    ),
    *(
        WrongProducer(
            f"feed-{words}-half-unasked-anew",
            "changefeed.expression.split-anew",
            f"It asks no expression about the {words} half of a split update.",
            _unasked(op),
        )
        for words, op in (("delete", Op.DELETE), ("insert", Op.INSERT))
    ),
    WrongProducer(
        "feed-unreadable-expression-passes-anew",
        "changefeed.expression.syntax-anew",
        "It lets rows pass whose expression does not parse.",
        patch(IGNORES, tolerant),
    ),
    WrongProducer(
        "feed-unreadable-expression-stops-at-any-row-anew",
        "changefeed.expression.syntax-anew",
        "It stops at the next row of any kind where an expression does not parse.",
        patch(IGNORES, reading_all),
    ),
    WrongProducer(
        "feed-unreadable-expression-leaves-out-anew",
        "changefeed.expression.syntax-anew",
        "It leaves out the row that an expression is asked about that does not parse, and goes on.",
        patch(IGNORES, leaving_out),
    ),
    WrongProducer(
        "feed-unreadable-expression-refused-anew",
        "changefeed.expression.syntax-anew",
        "It refuses an expression that does not parse when the changefeed is created.",
        patch(VALUE_FILTER, _refusing),
    ),
    WrongProducer(
        "feed-virtual-index-is-none-anew",
        "changefeed.table.virtual-index-anew",
        "It sends nothing of a table whose only unique index is over a virtual column.",
        patch(ELIGIBLE, _as_before),
    ),
    WrongProducer(
        "feed-nullable-index-is-one-anew",
        "changefeed.table.virtual-index-anew",
        "It takes a unique index over columns that may be NULL for a valid one.",
        adjusted(ELIGIBLE, _any_unique),
    ),
    WrongProducer(
        "feed-index-over-an-expression-is-one-anew",
        "changefeed.table.virtual-index-anew",
        "It takes a unique index over an expression for a valid one.",
        adjusted(ELIGIBLE, _named_parts),
    ),
)

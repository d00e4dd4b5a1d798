"""Value expressions of event filters: which image they see, and which result leaves a row out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, Final

from harness.ddl import ColumnRef, Expr
from harness.errors import SourceStopped
from harness.model.change import Op
from harness.model.columns import ColumnKind
from harness.model.table import Table
from harness.model.values import Row
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, entry, patch
from harness.sources.tidb import value_filter
from harness.sources.tidb.expressions import evaluate
from harness.sources.tidb.expressions.datum import Text
from harness.sources.tidb.expressions.numbers import number
from harness.sources.tidb.value_filter import DELETE, INSERT, KEYS, UPDATE_NEW, UPDATE_OLD

VALUES: Final = "harness.sources.tidb.value_filter"
EVALUATE: Final = "harness.sources.tidb.expressions.evaluate"
Result = Any
_CLAUSES: Mapping[str, str] = {
    INSERT: "changefeed.expression.insert",
    DELETE: "changefeed.expression.delete",
    UPDATE_OLD: "changefeed.expression.update-old",
    UPDATE_NEW: "changefeed.expression.update-new",
}


def _ignored(key: str) -> WrongProducer:
    def changed(original: Callable[..., object]) -> Callable[..., object]:
        return lambda given, **named: original(
            {name: given[name] for name in given if name != key}, **named
        )

    return WrongProducer(
        f"feed-{key.removeprefix('ignore-')}-ignored",
        _CLAUSES[key],
        f"It ignores `{key}`.",
        patch(f"{VALUES}:value_filter", changed),
    )


def _image(op: Op, *images: tuple[str, bool]) -> Patch:
    """Return the patch by which changes of a kind show their expressions other images."""
    return entry(f"{VALUES}:_IMAGES", op, lambda _: images)


def _deciding(holds: Callable[[Result], bool]) -> Patch:
    """Return the patch by which another result leaves a row out."""

    def changed(_: object) -> Callable[..., bool]:
        def ignores(expr: Expr, table: Table, row: Row) -> bool:
            if evaluate._bits_alone(expr, table):  # noqa: SLF001  # type: ignore[attr-defined]
                return holds(0)
            value = evaluate._evaluate(expr, table, row)  # noqa: SLF001  # type: ignore[attr-defined]
            return holds(getattr(value, "number", value))

        return ignores

    return patch(f"{EVALUATE}:ignores", changed)


def _in_utc(original: Callable[..., object]) -> Callable[..., object]:
    def filtered(self: Any, *given: object) -> object:  # noqa: ANN401
        feed = self._feed
        self._feed = replace(feed, zone=None)
        try:
            return original(self, *given)
        finally:
            self._feed = feed

    return filtered


def _one(value: Result) -> bool:
    return isinstance(value, int) and value == 1


def _one_or(kind: type[Decimal | float | Text], value: Result) -> bool:
    return _one(value) or (isinstance(value, kind) and number(value) == 1)


def _no_member(kind: ColumnKind, original: Callable[..., bool]) -> Callable[..., bool]:
    """Return an `ignores` to which no ENUM, or no SET, is a number."""

    def ignores(expr: Expr, table: Table, row: Row) -> bool:
        bare = isinstance(expr, ColumnRef) and table.column(expr.path[-1]).kind is kind
        return not bare and original(expr, table, row)

    return ignores


def tolerant(original: Callable[..., str]) -> Callable[..., str]:
    """Return an `ignores` that lets a row pass where its expression does not fit the table."""

    def ignores(values: object, *given: object) -> str:
        try:
            return original(values, *given)
        except SourceStopped:
            return ""

    return ignores


def leaving_out(original: Callable[..., str]) -> Callable[..., str]:
    """Return an `ignores` that leaves a row out where its expression does not fit the table."""

    def ignores(values: object, *given: object) -> str:
        try:
            return original(values, *given)
        except SourceStopped:
            return INSERT

    return ignores


def reading_all(original: Callable[..., str]) -> Callable[..., str]:
    """Return an `ignores` that reads a rule's expressions at each row, of whatever kind."""

    def ignores(values: Any, op: Op, table: Table, *given: object) -> str:  # noqa: ANN401
        for text in values.expressions.values():
            value_filter._fitting(text, table)  # noqa: SLF001  # type: ignore[attr-defined]
        return original(values, op, table, *given)

    return ignores


def _as_update(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `_filtered` to which a changed clustered key is an update."""

    def filtered(tidb: Any, step: int, table: Table, changes: Any, commit_ts: int) -> Any:  # noqa: ANN401
        kept = original(tidb, step, table, changes, commit_ts)
        filters = tidb._feed.filters  # noqa: SLF001
        gone = [one for one in changes if one.op is Op.DELETE]
        come = [one for one in changes if one.op is Op.INSERT]
        for old, new in zip(gone, come, strict=False):
            images = (old.before, new.after)
            judged = filters.row(Op.UPDATE, table, images, commit_ts - 1)
            if not judged.sent:
                kept = [one for one in kept if one is not old and one is not new]
            else:  # both halves, as of an update that the sink splits
                kept = [one for one in changes if one is old or one is new or one in kept]
        return kept

    return filtered


def _half_unasked(op: Op) -> Patch:
    """Return the patch that lets one half of a moved clustered key pass, whatever it holds."""

    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        def filtered(tidb: Any, step: int, table: Table, changes: Any, commit_ts: int) -> Any:  # noqa: ANN401
            kept = original(tidb, step, table, changes, commit_ts)
            moved = {one.op for one in changes} >= {Op.DELETE, Op.INSERT}
            return [one for one in changes if one in kept or (moved and one.op is op)]

        return filtered

    return patch("harness.sources.tidb.simulator:TiDB._filtered", changed)


ROWS: tuple[WrongProducer, ...] = (
    *map(_ignored, KEYS),
    *(
        WrongProducer(
            f"feed-clustered-key-{half}-unasked",
            "changefeed.expression.clustered-key",
            f"It asks no filter about the {half} of a changed clustered key.",
            _half_unasked(op),
        )
        for half, op in (("delete", Op.DELETE), ("insert", Op.INSERT))
    ),
    WrongProducer(
        "feed-insert-expression-for-updates",
        "changefeed.expression.insert",
        "It asks `ignore-insert-value-expr` about updates as well.",
        _image(Op.UPDATE, (UPDATE_OLD, False), (UPDATE_NEW, True), (INSERT, True)),
    ),
    WrongProducer(
        "feed-delete-expression-for-updates",
        "changefeed.expression.delete",
        "It asks `ignore-delete-value-expr` about updates as well.",
        _image(Op.UPDATE, (UPDATE_OLD, False), (UPDATE_NEW, True), (DELETE, False)),
    ),
    WrongProducer(
        "feed-old-expression-sees-the-new-row",
        "changefeed.expression.update-old",
        "It evaluates `ignore-update-old-value-expr` over the row after the change.",
        _image(Op.UPDATE, (UPDATE_OLD, True), (UPDATE_NEW, True)),
    ),
    WrongProducer(
        "feed-new-expression-sees-the-old-row",
        "changefeed.expression.update-new",
        "It evaluates `ignore-update-new-value-expr` over the row before the change.",
        _image(Op.UPDATE, (UPDATE_OLD, False), (UPDATE_NEW, False)),
    ),
    WrongProducer(
        "feed-expression-true-by-any-number",
        "changefeed.expression.exactly-one",
        "It leaves a row out by any number other than 0.",
        _deciding(lambda value: isinstance(value, int) and value != 0),
    ),
    *(
        WrongProducer(
            f"feed-expression-true-by-a-{kind.__name__.lower()}",
            "changefeed.expression.exactly-one",
            f"It leaves a row out by a {words} that is 1 as well.",
            _deciding(partial(_one_or, kind)),
        )
        for kind, words in ((Decimal, "DECIMAL"), (float, "DOUBLE"), (Text, "text"))
    ),
    *(
        WrongProducer(
            f"feed-expression-true-by-no-{kind.value}",
            "changefeed.expression.exactly-one",
            f"It lets a row pass whose expression is of type {kind.value.upper()}.",
            patch(f"{EVALUATE}:ignores", partial(_no_member, kind)),
        )
        for kind in (ColumnKind.ENUM, ColumnKind.SET)
    ),
    WrongProducer(
        "feed-bit-alone-is-a-number",
        "changefeed.expression.exactly-one",
        "It takes a BIT column that stands alone for its number.",
        patch(f"{EVALUATE}:_bits_alone", lambda _: lambda *_: False),
    ),
    WrongProducer(
        "feed-expression-true-by-null",
        "changefeed.expression.exactly-one",
        "It leaves a row out by NULL.",
        _deciding(lambda value: value is None or _one(value)),
    ),
    WrongProducer(
        "feed-expression-true-by-zero",
        "changefeed.expression.exactly-one",
        "It leaves the rows out that do not satisfy the expression.",
        _deciding(lambda value: isinstance(value, int) and value == 0),
    ),
    WrongProducer(
        "feed-clustered-key-updated",
        "changefeed.expression.clustered-key",
        "It shows filters a changed clustered key as an update.",
        patch("harness.sources.tidb.simulator:TiDB._filtered", _as_update),
        also="changefeed.event-filter.before-split",
    ),
    WrongProducer(
        "feed-expression-in-utc",
        "changefeed.expression.server-zone",
        "It shows expressions TIMESTAMPs in UTC.",
        patch("harness.sources.tidb.simulator:TiDB._filtered", _in_utc),
    ),
    WrongProducer(
        "feed-unknown-column-passes",
        "changefeed.expression.unknown-column",
        "It lets rows pass where an expression names a column that their table lacks.",
        patch(f"{VALUES}:ValueFilter.ignores", tolerant),
    ),
    WrongProducer(
        "feed-unknown-column-stops-at-any-row",
        "changefeed.expression.unknown-column",
        "It stops at the next row of any kind where its table lacks an expression's column.",
        patch(f"{VALUES}:ValueFilter.ignores", reading_all),
    ),
    WrongProducer(
        "feed-unknown-column-leaves-out",
        "changefeed.expression.unknown-column",
        "It leaves rows out where an expression names a column that their table lacks.",
        patch(f"{VALUES}:ValueFilter.ignores", leaving_out),
    ),
)

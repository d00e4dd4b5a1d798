"""The value expressions of one event filter rule, over the rows of the tables that it matches.

A changefeed is refused for an expression that does not parse. It is read against a table at that
table's first row: there TiCDC finds an unknown column, and stops. The newer architecture refuses
nothing, and stops there for an expression that does not parse as well.

Source: tiflow c7b2588 pkg/filter/expr_filter.go `verify` (called by cdc/api/v2/api_helpers.go),
`shouldSkipDML`, `getSimpleExprOfTable`; ticdc b813e76 pkg/filter/filter.go `Verify`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from harness.ddl import ColumnRef, Compound, DdlError, Expr, parse_expression
from harness.errors import SourceStopped, UsageError
from harness.model.change import Op
from harness.model.table import Table
from harness.model.values import Row
from harness.sources.tidb.expressions.datum import Inexpressible
from harness.sources.tidb.expressions.evaluate import ignores
from harness.sources.tidb.expressions.supported import SUPPORTED, unsupported
from harness.sources.tidb.refusal import ChangefeedError

# TiCDC's names for an expression that does not parse: refused, and met at a row.
SYNTAX = "ErrInvalidFilterExpression"
UNREADABLE = "ErrExpressionParseFailed"
INSERT = "ignore-insert-value-expr"
UPDATE_OLD = "ignore-update-old-value-expr"
UPDATE_NEW = "ignore-update-new-value-expr"
DELETE = "ignore-delete-value-expr"
KEYS = (INSERT, UPDATE_NEW, UPDATE_OLD, DELETE)
# Which expressions see which image of a change: True is the row after it.
_IMAGES: Mapping[Op, tuple[tuple[str, bool], ...]] = {
    Op.INSERT: ((INSERT, True),),
    Op.UPDATE: ((UPDATE_OLD, False), (UPDATE_NEW, True)),
    Op.DELETE: ((DELETE, False),),
}


@dataclass(frozen=True, slots=True)
class ValueFilter:
    """The expressions of one rule by their keys; a key without an expression is absent."""

    expressions: Mapping[str, str]

    def ignores(self, op: Op, table: Table, before: Row | None, after: Row | None) -> str:
        """Return the key whose expression ignores a change, the empty string when none does.

        Raises SourceStopped for an expression that does not fit the table.
        """
        present = [
            (key, text, after if is_after else before)
            for key, is_after in _IMAGES[op]
            if (text := self.expressions.get(key))
        ]
        # Both expressions of an update are read before either is evaluated.
        read = [(key, text, _fitting(text, table), image) for key, text, image in present]
        for key, text, expr, image in read:
            if image is not None and _holds(text, expr, table, image):
                return key
        return ""


def value_filter(expressions: Mapping[str, str], *, newer: bool = False) -> ValueFilter:
    """Return the filter of a rule's keys; what does not parse is met at a row where `newer`.

    Raises ChangefeedError for what does not parse, and for operators that we do not evaluate.
    """
    for key, text in expressions.items():
        try:
            names = list(dict.fromkeys(unsupported(parse_expression(text))))
        except DdlError as error:
            if newer:
                continue
            raise ChangefeedError(
                SYNTAX,
                f"{key} {text!r} does not parse: {error.what}",
                expected=error.expected,
                path=(key,),
            ) from error
        if names:
            raise ChangefeedError(
                "",
                f"{key} uses {', '.join(names)}, which the harness does not evaluate",
                expected="an expression of " + ", ".join(SUPPORTED),
                path=(key,),
            )
    return ValueFilter({key: text for key, text in expressions.items() if text})


def _fitting(text: str, table: Table) -> Expr:
    try:
        expr = parse_expression(text)
    except DdlError as error:
        raise SourceStopped(
            UNREADABLE,
            f"the filter expression {text!r} does not parse: {error.what}",
            expected=error.expected,
        ) from error
    names = {column.name.lower() for column in table.columns}
    for path in _columns(expr):
        *qualifiers, name = (part.lower() for part in path)
        qualified = qualifiers in ([], [table.id.name.lower()])
        if not qualified or name not in names:
            raise SourceStopped(
                "ErrExpressionColumnNotFound",
                f"the filter expression {text!r} names {'.'.join(path)!r}, "
                f"which {table.id} does not have",
                expected="one of " + ", ".join(table.column_names),
            )
    return expr


def _columns(expr: Expr) -> Iterator[tuple[str, ...]]:
    match expr:
        case ColumnRef():
            yield expr.path
        case Compound():
            for part in expr.parts:
                if not isinstance(part, str):
                    yield from _columns(part)
        case _:
            return


def _holds(text: str, expr: Expr, table: Table, row: Row) -> bool:
    try:
        return ignores(expr, table, row)
    except Inexpressible as error:
        raise UsageError(
            f"the harness does not evaluate the filter expression {text!r} over {table.id}: "
            f"it meets {error}",
            hint="simplify the expression, or leave such rows out of the scenario",
        ) from error

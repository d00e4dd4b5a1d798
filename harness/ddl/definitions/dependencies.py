"""What computes from a column: generated columns and keys over expressions must keep finding it.

Source: TiDB pkg/ddl/generated_column.go, `verifyColumnGeneration`,
`checkDropColumnWithGeneratedDependency`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from harness.ddl.errors import Refused, unknown_column
from harness.ddl.sql.lexer import TokenKind, tokenize
from harness.model.columns import Column
from harness.model.table import Table


def refuse_broken(before: Table | None, after: Table, places: Mapping[str, int]) -> None:
    """Raise Refused when something in `after` computes from a column that it cannot use.

    `places` maps where the statement speaks of a column or key, by its lower-cased name; a key
    that it leaves nameless is "".
    """
    for what, owner, name in _uses(after):
        if after.find_column(name) is not None:
            continue
        if before is None or before.find_column(name) is None:
            place = places.get(owner.lower(), places.get("", 0))
            raise unknown_column(place, name, f"{what} function", after.column_names)
        raise Refused(
            places.get(name, 0),
            f"Column '{name}' has a {what} dependency and cannot be dropped or renamed",
            hint=f"drop or change {owner} first",
        )
    for ordinal, column in enumerate(after.columns):
        _refuse_order(after, ordinal, column, places.get(column.name.lower(), 0))


def _refuse_order(table: Table, ordinal: int, column: Column, at: int) -> None:
    names = mentioned(column.generated.expression) if column.generated else ()
    for used, other in enumerate(table.columns):
        if other.name.lower() not in names:
            continue
        if other.generated is not None and used >= ordinal:
            what = "Generated column can refer only to generated columns defined prior to it"
            raise Refused(at, what, hint=f"define {other.name} before {column.name}")
        if other.auto_increment:
            what = f"Generated column '{column.name}' cannot refer to auto-increment column"
            raise Refused(at, what)


def _uses(table: Table) -> Iterator[tuple[str, str, str]]:
    for column in table.columns:
        if column.generated is not None:
            for name in mentioned(column.generated.expression):
                yield "generated column", column.name, name
    for index in table.indexes:
        for part in index.parts:
            for name in mentioned(part.expression or ""):
                yield "functional index", index.name, name


def mentioned(expression: str) -> tuple[str, ...]:
    """Return the lower-cased columns of a restored expression, where every name is quoted."""
    return tuple(
        token.text.lower()
        for token, after in pairwise(tokenize(expression))
        if token.kind is TokenKind.QUOTED_NAME and after.text != "."
    )

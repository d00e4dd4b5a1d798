"""What the connector knows of columns and tables by the words of statements, and a server does not.

Source: Debezium connector-mariadb 3.3.0.Final, antlr listeners; debezium-ddl-parser,
DataTypeResolver.java.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from harness.errors import UsageError
from harness.model.binlog import LogTable
from harness.model.columns import Column, ColumnKind
from harness.model.table import Table, TableId
from harness.sources.mysql.declared import (
    changed_columns,
    declared_comments,
    declared_null,
    declared_signs,
    defined_columns,
    filled_columns,
    table_comment,
)
from harness.sources.mysql.show_create import escaped
from harness.sources.mysql.texts import code

_SPELLED: Final = re.compile(
    r"`?(\w+)`?\s+((?:BOOL|BOOLEAN|INT1|INT2|INT3|INT4|INT8|INTEGER|MIDDLEINT|DEC|NUMERIC|FIXED|REAL"
    r"|FLOAT4|FLOAT8|DOUBLE\s+PRECISION|LONG\s+VARCHAR|LONG\s+VARBINARY|LONG"
    r"|(?:NATIONAL\s+)?(?:CHARACTER|CHAR)\s+VARYING|NATIONAL\s+(?:VARCHAR|CHARACTER|CHAR)"
    r"|CHARACTER|CHAR(?!\s*\()|BINARY(?!\s*\()|NCHAR\s+(?:VARYING|VARCHAR)|NCHAR|NVARCHAR)\b"
    r"|(?:FLOAT|BLOB|TEXT|YEAR)\s*\(\s*\d+\s*\)|(?:TIME|DATETIME|TIMESTAMP)\s*\(\s*0\s*\))"
    r"(\s*\()?",
    re.IGNORECASE,
)
_SIZED: Final = frozenset({"CHAR", "CHARACTER", "BINARY"})  # "CHAR()" is one without a length
# Types behind which the parser takes no BINARY for a part of their name.
_WITHOUT_BINARY: Final = re.compile(r"CHARACTER\b|LONG\b|.* VARYING")
_MEMBERS: Final = frozenset({ColumnKind.ENUM, ColumnKind.SET})

Place = tuple[TableId, int]  # of a column, by its id, which stays when it is renamed
_T = TypeVar("_T")


@dataclass(slots=True)
class Known:
    """What is known of each column, and of the comments of tables.

    `spelled`: the words of its type; `optional`: whether it may be NULL, where the server has it
    otherwise; `signs`: SIGNED or BINARY behind the type; `comments` as statements have them;
    `filled`: that the server fills it in, by AUTO_INCREMENT or ON UPDATE; `members`: those of an
    ENUM or a SET that CHANGE COLUMN made another type of.
    """

    spelled: dict[Place, str] = field(default_factory=dict[Place, str])
    optional: dict[Place, bool] = field(default_factory=dict[Place, bool])
    signs: dict[Place, str] = field(default_factory=dict[Place, str])
    comments: dict[Place, str] = field(default_factory=dict[Place, str])
    filled: dict[Place, bool] = field(default_factory=dict[Place, bool])
    members: dict[Place, tuple[str, ...]] = field(default_factory=dict[Place, tuple[str, ...]])
    tables: dict[TableId, str] = field(default_factory=dict[TableId, str])

    @classmethod
    def shown(cls, tables: Iterable[Table]) -> Known:
        """Return what is known of tables by their SHOW CREATE TABLE."""
        found = cls()
        for table in tables:
            if table.comment:
                found.tables[table.id] = escaped(table.comment)
            for column in table.columns:
                place = table.id, column.id
                clock = column.default is not None and column.default.is_expression
                updated = column.on_update is not None and not clock
                year = column.kind is ColumnKind.YEAR
                _put(found.spelled, place, "YEAR(4)" if year else None)
                _put(found.comments, place, escaped(column.comment) or None)
                _put(found.filled, place, (column.auto_increment or updated) or None)
        return found

    def may_be_null(self, table: Table, column: Column) -> bool:
        """Return whether a column may be NULL to the connector."""
        return self.optional.get((table.id, column.id), column.nullable)

    def version(self, table: Table, key: tuple[str, ...]) -> LogTable:
        """Return a table as it is known now."""
        return LogTable(
            table,
            key,
            spelled=_of(table, self.spelled),
            optional=_of(table, self.optional),
            signs=_of(table, self.signs),
            comments=_of(table, self.comments),
            filled=tuple(name for name, _ in _of(table, self.filled)),
            members=_of(table, self.members),
            comment=self.tables.get(table.id),
        )

    def copy(self, original: Table, made: Table) -> None:
        """Take what is known of a table for one that was made LIKE it, but for its comment."""
        self.tables.pop(made.id, None)
        for column, same in zip(original.columns, made.columns, strict=True):
            old, new = (original.id, column.id), (made.id, same.id)
            for known in (self.spelled, self.signs, self.comments):
                _put(known, new, known.get(old))
            _put(self.optional, new, self.optional.get(old))
            _put(self.filled, new, self.filled.get(old))
            _put(self.members, new, self.members.get(old))

    def learn(self, sql: str, before: Table | None, after: Table) -> None:
        """Keep what a statement says of a table."""
        comment = table_comment(sql)
        if comment is None and before is not None:
            comment = self.tables.get(before.id)
        self.tables.pop(after.id, None)
        if comment is not None:
            self.tables[after.id] = comment
        self.spell(sql, before, after)
        self._declare(sql, before, after)
        self._sign(sql, before, after)
        self._keep(sql, before, after)

    def spell(self, sql: str, before: Table | None, after: Table) -> None:
        """Keep how a statement spells the types of the columns that it makes."""
        found = _SPELLED.findall(code(sql))
        words = {
            name.lower(): ("" if "(" in word else " ").join(word.upper().split())
            + ("()" if word.upper() in _SIZED and not sized else "")
            for name, word, sized in found
        }
        old = frozenset[int]() if before is None else {column.id for column in before.columns}
        defined = defined_columns(sql)
        for column in after.columns:
            word = words.get(column.name.lower())
            untouched = column.id in old and column.name.lower() not in defined
            if word is None and before is not None and untouched:
                word = self.spelled.get((before.id, column.id))
            _put(self.spelled, (after.id, column.id), word)

    def _declare(self, sql: str, before: Table | None, after: Table) -> None:
        """Keep where the connector takes a column for nullable or not, and the server does not."""
        said = declared_null(sql)
        old = {} if before is None else {c.id: self.may_be_null(before, c) for c in before.columns}
        for column in after.columns:
            former = old.get(column.id, old.get(column.former_id or 0, column.nullable))
            found = said.get(column.name.lower(), former)
            may = former if found is None else found
            _put(self.optional, (after.id, column.id), may if may != column.nullable else None)

    def _sign(self, sql: str, before: Table | None, after: Table) -> None:
        """Keep SIGNED, which the server takes for nothing, and BINARY."""
        said = declared_signs(sql)
        for column in after.columns:
            place = after.id, column.id
            former = None if before is None else self.signs.get((before.id, column.id))
            words = said.get(column.name.lower(), former)
            if words == "BINARY" and _WITHOUT_BINARY.match(self.spelled.get(place, "")):
                words = None
            _put(self.signs, place, words if words in {"SIGNED", "BINARY"} else None)

    def _keep(self, sql: str, before: Table | None, after: Table) -> None:
        """Keep comments, what is filled in, and members, those too that CHANGE COLUMN leaves."""
        said, defined, changed = declared_comments(sql), defined_columns(sql), changed_columns(sql)
        filled = filled_columns(sql)
        old = {} if before is None else {one.id: one for one in before.columns}
        for column in after.columns:
            name, place = column.name.lower(), (after.id, column.id)
            former = old.get(column.id, old.get(column.former_id or 0))
            own = said.get(name)
            is_filled: bool | None = name in filled or None
            members: tuple[str, ...] | None = None
            kept = name in changed or name not in defined
            if before is not None and former is not None and kept:
                left = before.id, former.id
                own = self.comments.get(left) if own is None else own
                is_filled = is_filled or self.filled.get(left)
                members = self.members.get(left, former.written or None)
            _put(self.comments, place, own)
            _put(self.filled, place, is_filled)
            _put(self.members, place, None if column.kind in _MEMBERS else members)

    def refuse_floats(self, after: Table) -> None:
        """Refuse a FLOAT of whose values the connector makes none for the schema that it has."""
        for column in after.columns:
            place = after.id, column.id
            odd = place in self.signs or self.spelled.get(place) == "FLOAT4"
            if column.kind is ColumnKind.FLOAT and column.scale is None and odd:
                raise UsageError(
                    f"{after.id}.{column.name} is declared FLOAT4 or FLOAT SIGNED, of which the "
                    "connector leaves every value out",
                    expected="FLOAT, FLOAT UNSIGNED or FLOAT ZEROFILL",
                )


def _put(known: dict[Place, _T], place: Place, one: _T | None) -> None:
    """Keep what is known of a column; None for nothing."""
    known.pop(place, None)
    if one is not None:
        known[place] = one


def _of(table: Table, known: Mapping[Place, _T]) -> tuple[tuple[str, _T], ...]:
    """Return what is known of a table's columns, by their names."""
    places = ((column.name, (table.id, column.id)) for column in table.columns)
    return tuple((name, known[place]) for name, place in places if place in known)

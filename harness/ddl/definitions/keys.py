"""Keys, foreign keys and checks, whether of a table, a column or ALTER TABLE.

Source: TiDB pkg/parser/parser.y, `ConstraintElem`, `IndexOption`, `ReferDef`;
pkg/parser/ast/ddl.go, `Constraint`, `IndexOption`, `ReferenceDef`; MySQL 8.0 reference manual
§13.1.20.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from harness.ddl.sql.cursor import Cursor
from harness.ddl.sql.expressions import parse_expression
from harness.ddl.sql.tree import (
    NULL,
    Expr,
    TableRef,
    quote_name,
    quote_string,
    restore_all,
    special,
)


class Clustering(StrEnum):
    """Whether a primary key was asked to be the row's handle."""

    UNSAID = ""
    CLUSTERED = "CLUSTERED"
    NONCLUSTERED = "NONCLUSTERED"


# ---- the parts of a key --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KeyPart:
    """One part of a key as written: a column with a prefix length, or an expression."""

    column: str
    length: int | None = None
    expr: Expr | None = None
    descending: bool = False
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the part as TiDB writes it."""
        if self.expr is not None:
            text = f"({self.expr.restore()})"
        else:
            text = quote_name(self.column) + (f"({self.length})" if self.length else "")
        return text + (" DESC" if self.descending else "")


def parse_key_parts(cursor: Cursor) -> tuple[KeyPart, ...]:
    """Return the parts of a key, in parentheses, that must stand here."""
    return cursor.parenthesised(lambda: _key_part(cursor))


def _key_part(cursor: Cursor) -> KeyPart:
    at = cursor.offset
    if cursor.sees("("):
        expr = cursor.enclosed(parse_expression)
        return KeyPart("", expr=expr, descending=_descending(cursor), at=at)
    name = cursor.column()
    length = None
    if cursor.sees("("):
        length = cursor.enclosed(lambda each: each.number("a prefix length"))
    return KeyPart(name, length, descending=_descending(cursor), at=at)


def _descending(cursor: Cursor) -> bool:
    return cursor.take_any("ASC", "DESC") == "DESC"


def restore_key_parts(parts: tuple[KeyPart, ...]) -> str:
    """Return the parts of a key in parentheses, as TiDB writes them."""
    return f"({', '.join(part.restore() for part in parts)})"


# ---- the options of a key ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexOption:
    """The options after a key's parts."""

    clustering: Clustering = Clustering.UNSAID
    key_block_size: int = 0
    using: str = ""
    parser: str = ""
    comment: str = ""
    is_global: bool = False
    visible: bool | None = None
    pre_split: str = ""
    columnar: bool = False
    engine_attribute: str = ""
    where: Expr | None = None

    def restore(self) -> str:
        """Return the options, each after a space; nothing when all are at their defaults."""
        split, attribute = self.pre_split, self.engine_attribute
        found = (
            special("clustered_index", self.clustering) if self.clustering else "",
            f"KEY_BLOCK_SIZE={self.key_block_size}" if self.key_block_size else "",
            f"USING {self.using}" if self.using else "",
            f"WITH PARSER {quote_name(self.parser)}" if self.parser else "",
            f"COMMENT {quote_string(self.comment)}" if self.comment else "",
            special("global_index", "GLOBAL") if self.is_global else "",
            {None: "", True: "VISIBLE", False: "INVISIBLE"}[self.visible],
            special("pre_split", f"PRE_SPLIT_REGIONS = {split}") if split else "",
            f"SECONDARY_ENGINE_ATTRIBUTE = {quote_string(attribute)}" if attribute else "",
            f"WHERE {self.where.restore()}" if self.where is not None else "",
        )
        said = [text for text in found if text]
        # Of a key without any other option TiDB forgets this one (`IndexOption.IsEmpty`).
        columnar = ["ADD_COLUMNAR_REPLICA_ON_DEMAND"] if self.columnar and said else []
        return "".join(f" {text}" for text in columnar + said)


def parse_index_options(cursor: Cursor) -> IndexOption:
    """Return the options after a key's parts (all default when there are none)."""
    option = IndexOption()
    while rule := _INDEX_OPTIONS.get(cursor.token.upper):
        if cursor.sees("WITH") and not cursor.sees("WITH", "PARSER"):
            break
        option = rule(cursor, option)
    return option


def parse_using(cursor: Cursor) -> str:
    """Return the kind of index after USING or TYPE, empty when neither stands here."""
    if cursor.take_any("USING", "TYPE"):
        return cursor.expect_any("BTREE", "HASH", "RTREE", "HNSW", "HYPO", "INVERTED")
    return ""


def take_locality(cursor: Cursor) -> bool:
    """Step over GLOBAL or LOCAL; return whether it was GLOBAL."""
    return cursor.take_any("GLOBAL", "LOCAL") == "GLOBAL"


def _pre_split(cursor: Cursor) -> str:
    if cursor.sees("("):
        return f"({cursor.enclosed(_split_points)})"
    return str(cursor.number("a number of regions"))


def _split_points(cursor: Cursor) -> str:
    if not cursor.take("BETWEEN"):
        cursor.expect("BY")
        return f"BY {','.join(cursor.list(lambda: _split_values(cursor)))}"
    low = _split_values(cursor)
    high = _split_values(cursor.expect("AND"))
    cursor.expect("REGIONS")
    return f"BETWEEN {low} AND {high} REGIONS {cursor.number('a number of regions')}"


def _split_values(cursor: Cursor) -> str:
    return f"({restore_all(cursor.parenthesised(lambda: parse_expression(cursor)), ',')})"


_IndexRule = Callable[[Cursor, IndexOption], IndexOption]
_INDEX_RULES: tuple[tuple[str, _IndexRule], ...] = (
    ("CLUSTERED NONCLUSTERED", lambda c, o: replace(o, clustering=Clustering(c.next().upper))),
    ("VISIBLE INVISIBLE", lambda c, o: replace(o, visible=c.next().upper == "VISIBLE")),
    ("GLOBAL LOCAL", lambda c, o: replace(o, is_global=take_locality(c))),
    ("USING TYPE", lambda c, o: replace(o, using=parse_using(c))),
    (
        "KEY_BLOCK_SIZE",
        lambda c, o: replace(o, key_block_size=c.assigned().number("a block size")),
    ),
    (
        "SECONDARY_ENGINE_ATTRIBUTE",
        lambda c, o: replace(o, engine_attribute=c.assigned().string("an attribute")),
    ),
    ("ADD_COLUMNAR_REPLICA_ON_DEMAND", lambda c, o: replace(o, columnar=bool(c.next()))),
    ("COMMENT", lambda c, o: replace(o, comment=c.expect("COMMENT").string("a comment"))),
    ("PRE_SPLIT_REGIONS", lambda c, o: replace(o, pre_split=_pre_split(c.assigned()))),
    ("WHERE", lambda c, o: replace(o, where=parse_expression(c.expect("WHERE")))),
    ("WITH", lambda c, o: replace(o, parser=c.expect("WITH", "PARSER").name("a parser"))),
)
_INDEX_OPTIONS = {word: rule for words, rule in _INDEX_RULES for word in words.split()}


# ---- foreign keys and checks ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reference:
    """What a foreign key points at; actions are empty when unsaid."""

    table: TableRef
    parts: tuple[KeyPart, ...] | None
    match: str = ""
    on_delete: str = ""
    on_update: str = ""

    def restore(self) -> str:
        """Return the REFERENCES clause as TiDB writes it."""
        text = f"REFERENCES {self.table.restore()}"
        text += "" if self.parts is None else restore_key_parts(self.parts)
        text += f" MATCH {self.match}" if self.match else ""
        text += f" ON DELETE {self.on_delete}" if self.on_delete else ""
        return text + (f" ON UPDATE {self.on_update}" if self.on_update else "")


def parse_reference(cursor: Cursor) -> Reference:
    """Return the REFERENCES clause that must stand here."""
    table = cursor.expect("REFERENCES").table()
    parts = parse_key_parts(cursor) if cursor.sees("(") else None
    match = cursor.expect_any("FULL", "PARTIAL", "SIMPLE") if cursor.take("MATCH") else ""
    actions = {"DELETE": "", "UPDATE": ""}
    while cursor.sees("ON") and cursor.peek().upper in actions:
        cursor.next()
        word = cursor.next().upper
        actions[word] = _refer_action(cursor)
    return Reference(table, parts, match, actions["DELETE"], actions["UPDATE"])


def _refer_action(cursor: Cursor) -> str:
    for action in ("SET NULL", "SET DEFAULT", "NO ACTION", "RESTRICT", "CASCADE"):
        if cursor.take(*action.split()):
            return action
    raise cursor.fail("RESTRICT, CASCADE, SET NULL, NO ACTION or SET DEFAULT")


def parse_check(cursor: Cursor) -> tuple[Expr, bool]:
    """Return the expression of a CHECK, whose word is read, and whether it is enforced."""
    expr = cursor.enclosed(parse_expression)
    enforced = not cursor.take("NOT", "ENFORCED")
    if enforced:
        cursor.take("ENFORCED")
    return expr, enforced


def restore_check(name: str, expr: Expr, *, enforced: bool) -> str:
    """Return a CHECK, of a column or of a table, as TiDB writes it."""
    start = f"CONSTRAINT {quote_name(name)} " if name else ""
    return f"{start}CHECK({expr.restore()}) {'' if enforced else 'NOT '}ENFORCED"


# ---- constraints ---------------------------------------------------------------------------------


class ConstraintKind(StrEnum):
    """The table constraints; the value is how a definition of it starts when written back."""

    PRIMARY = "PRIMARY KEY"
    INDEX = "INDEX"
    UNIQUE = "UNIQUE"
    FULLTEXT = "FULLTEXT"
    SPATIAL = "SPATIAL"
    VECTOR = "VECTOR INDEX"
    COLUMNAR = "COLUMNAR INDEX"
    FOREIGN = "FOREIGN KEY"
    CHECK = "CHECK"


_GUARDABLE = frozenset({ConstraintKind.INDEX, ConstraintKind.VECTOR, ConstraintKind.COLUMNAR})


@dataclass(frozen=True, slots=True)
class Constraint:
    """A key, foreign key or check that stands by itself."""

    kind: ConstraintKind
    name: str = ""
    parts: tuple[KeyPart, ...] = ()
    option: IndexOption = IndexOption()
    reference: Reference | None = None
    expr: Expr = NULL
    enforced: bool = True
    if_not_exists: bool = False
    at: int = field(default=0, compare=False)

    def restore(self) -> str:
        """Return the constraint as TiDB writes it."""
        if self.kind is ConstraintKind.CHECK:
            return restore_check(self.name, self.expr, enforced=self.enforced)
        parts = restore_key_parts(self.parts)
        if self.kind is ConstraintKind.FOREIGN:
            name = f"{quote_name(self.name)} " if self.name else ""
            guard = special("", "IF NOT EXISTS ") if self.if_not_exists else ""
            target = f" {self.reference.restore()}" if self.reference else ""
            return f"CONSTRAINT {name}FOREIGN KEY {guard}{parts}{target}"
        guarded = self.if_not_exists and self.kind in _GUARDABLE
        guard = special("", " IF NOT EXISTS") if guarded else ""
        name = f" {quote_name(self.name)}" if self.name else ""
        return f"{self.kind.value}{guard}{name}{parts}{self.option.restore()}"


def sees_constraint(cursor: Cursor) -> bool:
    """Return whether a constraint, and not a column, is defined here."""
    if cursor.sees_any("VECTOR", "COLUMNAR"):
        return cursor.peek().upper in ("INDEX", "KEY")
    return cursor.sees_any("CONSTRAINT", *_CONSTRAINTS)


def parse_constraint(cursor: Cursor) -> Constraint:
    """Return the constraint that must stand here."""
    at = cursor.offset
    symbol = ""
    if cursor.take("CONSTRAINT") and cursor.sees_name() and not cursor.sees_any("VECTOR"):
        symbol = cursor.name("a constraint")
    word = cursor.expect_any(*_CONSTRAINTS)
    constraint = _CONSTRAINTS[word](cursor)
    return replace(constraint, name=symbol or constraint.name, at=at)


def _index(cursor: Cursor) -> Constraint:
    guarded = cursor.if_not_exists()
    return replace(_key(cursor, ConstraintKind.INDEX), if_not_exists=guarded)


def _special_key(kind: ConstraintKind) -> Callable[[Cursor], Constraint]:
    def rule(cursor: Cursor) -> Constraint:
        cursor.take_any("KEY", "INDEX")
        guarded = cursor.if_not_exists()
        return replace(_key(cursor, kind), if_not_exists=guarded)

    return rule


def _key(cursor: Cursor, kind: ConstraintKind) -> Constraint:
    name = "" if cursor.sees_any("(", "USING") else cursor.name("an index")
    using = parse_using(cursor)
    parts = parse_key_parts(cursor)
    option = parse_index_options(cursor)
    return Constraint(kind, name, parts, replace(option, using=using or option.using))


def _foreign_key(cursor: Cursor) -> Constraint:
    guarded = cursor.expect("KEY").if_not_exists()
    name = "" if cursor.sees("(") else cursor.name("a foreign key")
    parts = parse_key_parts(cursor)
    reference = parse_reference(cursor)
    kind = ConstraintKind.FOREIGN
    return Constraint(kind, name, parts, reference=reference, if_not_exists=guarded)


def _table_check(cursor: Cursor) -> Constraint:
    expr, enforced = parse_check(cursor)
    return Constraint(ConstraintKind.CHECK, expr=expr, enforced=enforced)


_CONSTRAINTS: Mapping[str, Callable[[Cursor], Constraint]] = {
    "PRIMARY": lambda cursor: _key(cursor.expect("KEY"), ConstraintKind.PRIMARY),
    "KEY": _index,
    "INDEX": _index,
    "UNIQUE": _special_key(ConstraintKind.UNIQUE),
    "FULLTEXT": _special_key(ConstraintKind.FULLTEXT),
    "SPATIAL": _special_key(ConstraintKind.SPATIAL),
    "VECTOR": _special_key(ConstraintKind.VECTOR),
    "COLUMNAR": _special_key(ConstraintKind.COLUMNAR),
    "FOREIGN": _foreign_key,
    "CHECK": _table_check,
}

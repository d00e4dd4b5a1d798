"""Reads one column definition of CREATE TABLE and ALTER TABLE: name, type, attributes.

Two tables, one of type names and one of attributes; what stands in neither is refused, because
it might say something about rows. Source: MySQL 8.0 Reference Manual, §15.1.20 CREATE TABLE and
§13.1 Numeric Data Types (synonyms).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cdc_spark.apply.schema import Column, Expression, Literal
from cdc_spark.apply.words import WordKind, Words

TYPES: Mapping[str, str] = {
    **dict.fromkeys(("TINYINT", "INT1", "BOOL", "BOOLEAN"), "tinyint"),
    **dict.fromkeys(("SMALLINT", "INT2"), "smallint"),
    **dict.fromkeys(("MEDIUMINT", "INT3", "MIDDLEINT"), "mediumint"),
    **dict.fromkeys(("INT", "INTEGER", "INT4"), "int"),
    **dict.fromkeys(("BIGINT", "INT8", "SERIAL"), "bigint"),
    **dict.fromkeys(("FLOAT", "FLOAT4"), "float"),
    **dict.fromkeys(("DOUBLE", "FLOAT8", "REAL"), "double"),
    **dict.fromkeys(("DECIMAL", "DEC", "NUMERIC", "FIXED"), "decimal"),
    "BIT": "bit",
    "YEAR": "year",
    "DATE": "date",
    "TIME": "time",
    "DATETIME": "datetime",
    "TIMESTAMP": "timestamp",
    **dict.fromkeys(("CHAR", "CHARACTER", "NCHAR"), "char"),
    **dict.fromkeys(("VARCHAR", "VARCHARACTER", "NVARCHAR"), "varchar"),
    "BINARY": "binary",
    "VARBINARY": "varbinary",
    "TINYTEXT": "tinytext",
    "TEXT": "text",
    **dict.fromkeys(("MEDIUMTEXT", "LONG"), "mediumtext"),
    "LONGTEXT": "longtext",
    "TINYBLOB": "tinyblob",
    "BLOB": "blob",
    "MEDIUMBLOB": "mediumblob",
    "LONGBLOB": "longblob",
    "ENUM": "enum",
    "SET": "set",
    "JSON": "json",
    "VECTOR": "vector",
}
_BINARY_TWINS: Mapping[str, str] = {
    "char": "binary",
    "varchar": "varbinary",
    "tinytext": "tinyblob",
    "text": "blob",
    "mediumtext": "mediumblob",
    "longtext": "longblob",
}
_TEMPORALS = frozenset({"time", "datetime", "timestamp"})
_DOUBLE_FROM_DIGITS = 25  # FLOAT(p) is a double from this precision on


@dataclass(slots=True)
class _Draft:
    """What is known of a column while its attributes are read."""

    nullable: bool = True
    default: Literal | Expression | None = None
    virtual: bool = False
    stored: bool = False
    binary: bool = False
    unsigned: bool = False


def column(words: Words) -> Column:
    """Read one definition up to the end, or to the `FIRST` or `AFTER name` that ALTER allows."""
    name = words.name()
    draft = _Draft(unsigned=words.sees("SERIAL"))
    kind, arguments = _type(words)
    while not words.done and not words.sees("FIRST") and not words.sees("AFTER"):
        _attribute(words, draft)
    if words.take("AFTER"):
        words.name()
    words.take("FIRST")
    if not words.done:
        words.refuse("the end of the column")
    numbers = [int(text) for text in arguments if text.isdigit()]
    if kind == "float" and len(numbers) == 1 and numbers[0] >= _DOUBLE_FROM_DIGITS:
        kind = "double"
    is_list = kind in ("enum", "set")
    return Column(
        name=name,
        kind=_BINARY_TWINS.get(kind, kind) if draft.binary else kind,
        length=None if is_list or kind in _TEMPORALS or not numbers else numbers[0],
        scale=_scale(kind, numbers),
        members=tuple(arguments) if is_list else (),
        nullable=draft.nullable,
        default=draft.default,
        virtual=draft.virtual,
        stored=draft.stored,
        unsigned=draft.unsigned,
    )


def _scale(kind: str, numbers: list[int]) -> int | None:
    if kind in _TEMPORALS:
        return numbers[0] if numbers else 0
    if kind == "decimal":
        return numbers[1] if len(numbers) > 1 else 0
    return None


def _type(words: Words) -> tuple[str, list[str]]:
    """Read a type with its arguments; returns the canonical kind and the arguments' texts."""
    words.take("NATIONAL")
    spelled = words.here.text.upper()
    kind = TYPES.get(spelled)
    if kind is None or words.here.form is not WordKind.PLAIN:
        words.refuse("a type")
    words.next()
    words.take("PRECISION")
    if kind == "char" and words.take("VARYING"):
        kind = "varchar"
    if spelled == "LONG" and words.take("VARBINARY"):
        kind = "mediumblob"
    elif spelled == "LONG":
        words.take("VARCHAR")
    arguments: list[str] = []
    if words.sees("("):
        arguments = [part.next().text for part in words.group().split()]
    return kind, arguments


def _attribute(words: Words, draft: _Draft) -> None:
    keyword = words.here.text.upper()
    if words.here.form is not WordKind.PLAIN or keyword not in ATTRIBUTES:
        words.refuse("an attribute of a column")
    words.next()
    ATTRIBUTES[keyword](words, draft)


def literal(words: Words) -> Literal | Expression | None:
    """Read what follows DEFAULT; None for NULL."""
    if words.sees("("):
        inner = words.group()
        value = literal(inner)
        return value if inner.done else Expression(words.sql)
    if words.here.form is WordKind.INTRODUCER:
        words.next()
    sign = "-" if words.take("-") else ""
    words.take("+")
    word = words.next()
    if word.form in _LITERAL_FORMS:
        return Literal(_LITERAL_FORMS[word.form], sign + word.text)
    constant = word.text.upper()
    if word.form is WordKind.PLAIN and constant in _CONSTANTS:
        return _CONSTANTS[constant]
    if words.sees("("):
        words.group()
    return Expression(word.text)


_LITERAL_FORMS: Mapping[WordKind, str] = {
    WordKind.STRING: "text",
    WordKind.NUMBER: "number",
    WordKind.HEX: "hex",
    WordKind.BITS: "bits",
}
_CONSTANTS: Mapping[str, Literal | None] = {
    "NULL": None,
    "TRUE": Literal("number", "1"),
    "FALSE": Literal("number", "0"),
}


def _nothing(words: Words, draft: _Draft) -> None:
    """Read an attribute of one word that says nothing about rows."""
    del words, draft


def _unsigned(words: Words, draft: _Draft) -> None:
    """Read UNSIGNED, or ZEROFILL, which implies it."""
    del words
    draft.unsigned = True


def _not(words: Words, draft: _Draft) -> None:
    words.expect("NULL")
    draft.nullable = False


def _default(words: Words, draft: _Draft) -> None:
    draft.default = literal(words)


def _on(words: Words, draft: _Draft) -> None:
    del draft
    words.expect("UPDATE")
    words.name()
    if words.sees("("):
        words.group()


def _word(words: Words, draft: _Draft) -> None:
    del draft
    words.next()


def _character(words: Words, draft: _Draft) -> None:
    words.expect("SET")
    _charset(words, draft)


def _charset(words: Words, draft: _Draft) -> None:
    words.take("=")
    draft.binary = words.next().text.lower() == "binary"


def _key(words: Words, draft: _Draft) -> None:
    """Read PRIMARY [KEY], UNIQUE [KEY] or KEY; a primary key is never NULL."""
    primary = words.found[words.position - 1].text.upper() == "PRIMARY"
    words.take("KEY")
    draft.nullable = draft.nullable and not primary


def _random(words: Words, draft: _Draft) -> None:
    del draft
    if words.sees("("):
        words.group()


def _as(words: Words, draft: _Draft) -> None:
    words.take("ALWAYS")
    words.take("AS")
    words.group()
    draft.stored = words.take("STORED") or words.take("PERSISTENT")
    draft.virtual = not draft.stored
    words.take("VIRTUAL")


def _check(words: Words, draft: _Draft) -> None:
    del draft
    words.group()
    words.take("NOT")
    words.take("ENFORCED")


def _constraint(words: Words, draft: _Draft) -> None:
    del draft
    if not words.sees("CHECK"):
        words.name()


def _references(words: Words, draft: _Draft) -> None:
    """Read REFERENCES table (columns) with its actions, which are the last of a definition."""
    del draft
    while not words.done:
        words.next()


ATTRIBUTES: Mapping[str, Callable[[Words, _Draft], None]] = {
    **dict.fromkeys(("SIGNED", "AUTO_INCREMENT", "NULL"), _nothing),
    **dict.fromkeys(("UNSIGNED", "ZEROFILL"), _unsigned),
    **dict.fromkeys(("BINARY", "ASCII", "UNICODE", "VISIBLE", "INVISIBLE"), _nothing),
    "NOT": _not,
    "DEFAULT": _default,
    "ON": _on,
    **dict.fromkeys(("COMMENT", "COLLATE", "COLUMN_FORMAT", "STORAGE", "SRID"), _word),
    "CHARACTER": _character,
    "CHARSET": _charset,
    **dict.fromkeys(("PRIMARY", "UNIQUE", "KEY"), _key),
    "AUTO_RANDOM": _random,
    **dict.fromkeys(("GENERATED", "AS"), _as),
    "CHECK": _check,
    "CONSTRAINT": _constraint,
    "REFERENCES": _references,
}

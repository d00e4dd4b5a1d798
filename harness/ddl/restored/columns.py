"""Column definitions, keys and references as TiDB writes them back.

Source: TiDB pkg/parser/ast/ddl.go, `ColumnDef`, `ColumnOption`, `Constraint`, `IndexOption`,
`ReferenceDef`; pkg/parser/types/field_type.go, `FieldType.Restore`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.ddl.expressions import NULL, Compound, Expr, quote_name, quote_string
from harness.ddl.expressions import restore_expression as expression
from harness.ddl.grammar.columns import NOW
from harness.ddl.syntax import (
    ColumnDef,
    ColumnOption,
    Constraint,
    ConstraintKind,
    DataType,
    IndexOption,
    KeyPart,
    OptionKind,
    Reference,
    table_text,
)
from harness.model.columns import TEMPORALS, ColumnKind

_SCALED = frozenset({ColumnKind.FLOAT, ColumnKind.DOUBLE, ColumnKind.DECIMAL})
_MEMBERED = frozenset({ColumnKind.ENUM, ColumnKind.SET})


def special(feature: str, text: str) -> str:
    """Return text in a comment that only TiDB executes; `feature` may be empty."""
    return f"/*T![{feature}] {text} */" if feature else f"/*T! {text} */"


def column(definition: ColumnDef) -> str:
    """Return a column definition."""
    options = "".join(f" {_option(option)}" for option in definition.options)
    return f"{quote_name(definition.name)} {data_type(definition.type)}{options}"


def data_type(written: DataType) -> str:
    """Return a type with its sizes and attributes; ENUM and SET lose their character set."""
    text = written.kind.value.upper() + _sizes(written)
    text += " UNSIGNED" if written.unsigned else ""
    text += " ZEROFILL" if written.zerofill else ""
    text += " BINARY" if written.binary else ""
    if written.charset and written.kind not in _MEMBERED:
        text += f" CHARACTER SET {written.charset.upper()}"
    return text


def _sizes(written: DataType) -> str:
    if written.kind in _MEMBERED:
        return "(" + ",".join(quote_string(member) for member in written.members) + ")"
    if written.kind in TEMPORALS:
        return "" if written.scale is None else f"({written.scale})"
    if written.length is None:
        return ""
    if written.kind in _SCALED and written.scale is not None:
        return f"({written.length},{written.scale})"
    return f"({written.length})"


# ---- column options ---------------------------------------------------------------------------


def _option(option: ColumnOption) -> str:
    rule = _OPTIONS.get(option.kind)
    return rule(option) if rule else option.kind.value


def _needed(expr: Expr | None) -> Expr:
    return NULL if expr is None else expr


def _primary_key(option: ColumnOption) -> str:
    clustering = f" {special('clustered_index', option.clustering)}" if option.clustering else ""
    return f"PRIMARY KEY{clustering}{_global(option)}"


def _unique_key(option: ColumnOption) -> str:
    return f"UNIQUE KEY{_global(option)}"


def _global(option: ColumnOption) -> str:
    return " GLOBAL" if option.flag else ""


def _default(option: ColumnOption) -> str:
    return f"DEFAULT {default_value(_needed(option.expr))}"


def default_value(expr: Expr) -> str:
    """Return a default; every function but CURRENT_TIMESTAMP stands in parentheses."""
    text = expression(expr)
    called = isinstance(expr, Compound) and expr.form.startswith("call ") and expr.form != NOW
    return f"({text})" if called else text


def _auto_random(option: ColumnOption) -> str:
    bits = f"({', '.join(str(number) for number in option.numbers)})" if option.numbers else ""
    return special("auto_rand", f"AUTO_RANDOM{bits}")


def _on_update(option: ColumnOption) -> str:
    return f"ON UPDATE {expression(_needed(option.expr))}"


def _comment(option: ColumnOption) -> str:
    # A column's comment is a value to TiDB, so its backslashes double; a table's is not.
    escaped = option.text.replace("\\", "\\\\")
    return f"COMMENT {quote_string(escaped)}"


def _generated(option: ColumnOption) -> str:
    stored = "STORED" if option.flag else "VIRTUAL"
    return f"GENERATED ALWAYS AS({expression(_needed(option.expr))}) {stored}"


def _reference(option: ColumnOption) -> str:
    return reference(option.reference) if option.reference else ""


def _collate(option: ColumnOption) -> str:
    return f"COLLATE {option.text}"


def _check(option: ColumnOption) -> str:
    name = f"CONSTRAINT {quote_name(option.text)} " if option.text else ""
    enforced = "ENFORCED" if option.flag else "NOT ENFORCED"
    return f"{name}CHECK({expression(_needed(option.expr))}) {enforced}"


def _worded(option: ColumnOption) -> str:
    return f"{option.kind.value} {option.text}"


def _attribute(option: ColumnOption) -> str:
    return f"{option.kind.value} = {quote_string(option.text)}"


_OPTIONS: Mapping[OptionKind, Callable[[ColumnOption], str]] = {
    OptionKind.PRIMARY_KEY: _primary_key,
    OptionKind.UNIQUE_KEY: _unique_key,
    OptionKind.DEFAULT: _default,
    OptionKind.AUTO_RANDOM: _auto_random,
    OptionKind.ON_UPDATE: _on_update,
    OptionKind.COMMENT: _comment,
    OptionKind.GENERATED: _generated,
    OptionKind.REFERENCE: _reference,
    OptionKind.COLLATE: _collate,
    OptionKind.CHECK: _check,
    OptionKind.COLUMN_FORMAT: _worded,
    OptionKind.STORAGE: _worded,
    OptionKind.ENGINE_ATTRIBUTE: _attribute,
}


# ---- keys -------------------------------------------------------------------------------------

_GUARDABLE = frozenset({ConstraintKind.INDEX, ConstraintKind.VECTOR, ConstraintKind.COLUMNAR})


def constraint(written: Constraint) -> str:
    """Return a constraint: a key, a foreign key or a check."""
    if written.kind is ConstraintKind.CHECK:
        return _table_check(written)
    if written.kind is ConstraintKind.FOREIGN:
        return _foreign_key(written)
    guard = written.if_not_exists and written.kind in _GUARDABLE
    name = f" {quote_name(written.name)}" if written.name else ""
    return (
        written.kind.value
        + (special("", " IF NOT EXISTS") if guard else "")
        + name
        + key_parts(written.parts)
        + options_after_key(written.option)
    )


def _table_check(written: Constraint) -> str:
    name = f"CONSTRAINT {quote_name(written.name)} " if written.name else ""
    enforced = "ENFORCED" if written.enforced else "NOT ENFORCED"
    return f"{name}CHECK({expression(_needed(written.expr))}) {enforced}"


def _foreign_key(written: Constraint) -> str:
    name = f"{quote_name(written.name)} " if written.name else ""
    guard = special("", "IF NOT EXISTS ") if written.if_not_exists else ""
    target = f" {reference(written.reference)}" if written.reference else ""
    return f"CONSTRAINT {name}FOREIGN KEY {guard}{key_parts(written.parts)}{target}"


def key_parts(parts: tuple[KeyPart, ...]) -> str:
    """Return the parts of a key in parentheses."""
    return "(" + ", ".join(_key_part(part) for part in parts) + ")"


def _key_part(part: KeyPart) -> str:
    if part.expr is not None:
        text = f"({expression(part.expr)})"
    else:
        text = quote_name(part.column) + (f"({part.length})" if part.length else "")
    return text + (" DESC" if part.descending else "")


def options_after_key(option: IndexOption) -> str:
    """Return a key's options, each after a space; nothing when all are at their defaults."""
    found = (
        special("clustered_index", option.clustering) if option.clustering else "",
        f"KEY_BLOCK_SIZE={option.key_block_size}" if option.key_block_size else "",
        f"USING {option.using}" if option.using else "",
        f"WITH PARSER {quote_name(option.parser)}" if option.parser else "",
        f"COMMENT {quote_string(option.comment)}" if option.comment else "",
        special("global_index", "GLOBAL") if option.is_global else "",
        {None: "", True: "VISIBLE", False: "INVISIBLE"}[option.visible],
        special("pre_split", f"PRE_SPLIT_REGIONS = {option.pre_split}") if option.pre_split else "",
        _engine_attribute(option.engine_attribute),
        f"WHERE {expression(option.where)}" if option.where is not None else "",
    )
    said = [text for text in found if text]
    # Of a key without any other option TiDB forgets this one (`IndexOption.IsEmpty`).
    columnar = ["ADD_COLUMNAR_REPLICA_ON_DEMAND"] if option.columnar and said else []
    return "".join(f" {text}" for text in columnar + said)


def _engine_attribute(text: str) -> str:
    return f"SECONDARY_ENGINE_ATTRIBUTE = {quote_string(text)}" if text else ""


def reference(written: Reference) -> str:
    """Return a REFERENCES clause."""
    text = f"REFERENCES {table_text(written.table)}"
    if written.parts is not None:
        text += key_parts(written.parts)
    text += f" MATCH {written.match}" if written.match else ""
    text += f" ON DELETE {written.on_delete}" if written.on_delete else ""
    text += f" ON UPDATE {written.on_update}" if written.on_update else ""
    return text

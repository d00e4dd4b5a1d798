"""What statements say of columns beside their types: NULL, SIGNED, defaults, comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from harness.codecs.connect.schema import UNSET
from harness.codecs.debezium.columns import ColumnType, Conversion
from harness.ddl.definitions.columns import ColumnDef, OptionKind
from harness.model.binlog import LogTable
from harness.model.columns import INTEGERS, ColumnKind
from harness.mutants.producers.mysql.edits import (
    CODEC,
    CONVERSION,
    conversions,
    kind_of,
    of,
    row,
    schemas,
    without_escapes,
)
from harness.mutants.producers.patch import adjusted, instead, patch, result, returns

_SIMULATOR: Final = "harness.sources.mysql.simulator"
_KNOWN: Final = "harness.sources.mysql.known"
_DECLARED: Final = "harness.sources.mysql.declared"
_TRUTHS: Final = {"true", "false"}
_KEPT: Final = f"{CODEC}.defaults:_kept"


def _number(column: ColumnType) -> bool:
    return kind_of(column) in INTEGERS | {ColumnKind.DECIMAL}


def _truth(column: ColumnType) -> bool:
    """Return whether a number's default is TRUE or FALSE."""
    default = None if column.upstream is None else column.upstream.default
    return _number(column) and default is not None and default.written.lower() in _TRUTHS


def _without_signs(original: Callable[..., str]) -> Callable[..., str]:
    """Write a type without the word SIGNED, as the server has it."""
    return lambda column, spelled, _: original(column, spelled, None)


def _as_the_server(original: Callable[[LogTable], Any]) -> Callable[[LogTable], Any]:
    return lambda table: original(replace(table, optional=()))


def _bits_read(original: Callable[[str], Any]) -> Callable[[str], Any]:
    bits = re.compile(r"b'([01]+)'")

    def kept(written: str) -> object:
        found = bits.fullmatch(written)
        return original(written) if found is None else str(int(found[1], 2))

    return kept


def _digits(original: Callable[[str], Any]) -> Callable[[str], Any]:
    based = re.compile(r"(?:0x|x')([0-9A-F]+)'?", re.IGNORECASE)

    def kept(written: str) -> object:
        found = based.fullmatch(written)
        return original(written) if found is None else found[1].lower()

    return kept


def commented(original: Callable[..., Any]) -> Callable[..., Any]:
    """Keep the comment of a column for its schema, whatever connector and settings say."""
    return lambda column, found: original(column, replace(found, comments=True))


def _uncommented(columns: tuple[ColumnType, ...], _: LogTable) -> tuple[ColumnType, ...]:
    return tuple(replace(column, comment=None) for column in columns)


def _as_shown(original: Callable[[str], dict[str, str | None]]) -> Callable[[str], Any]:
    """Take the escapes of a comment for those that SHOW CREATE TABLE has."""

    def comments(sql: str) -> dict[str, str | None]:
        found = original(sql).items()
        return {name: text and text.replace("\\'", "''") for name, text in found}

    return comments


def _unsaid(original: Callable[[ColumnDef], bool | None]) -> Callable[[ColumnDef], bool | None]:
    """Take PRIMARY KEY at a column for no word on NULL."""

    def said(column: ColumnDef) -> bool | None:
        options = (one for one in column.options if one.kind is not OptionKind.PRIMARY_KEY)
        return original(replace(column, options=tuple(options)))

    return said


def _last_with_default(original: Callable[..., Any]) -> Callable[..., Any]:
    """Let a NOT NULL of the last column in parentheses count wherever it has a DEFAULT."""

    def listed(columns: Sequence[ColumnDef]) -> Mapping[str, bool]:
        kinds = {option.kind for option in columns[-1].options}
        counts = {OptionKind.DEFAULT, OptionKind.NOT_NULL} <= kinds
        return {**original(columns), **({columns[-1].name.lower(): False} if counts else {})}

    return listed


def _not_filled(found: Conversion) -> Conversion:
    """Return the conversion whose default has the digits of the statement, without more zeros."""
    default = found.schema.default
    if not isinstance(default, Decimal):
        return found
    sign, digits, scale = default.as_tuple()
    assert isinstance(scale, int)
    written = "".join(map(str, digits)).rstrip("0").ljust(len(digits) + scale, "0")
    short = Decimal(f"{'-' * sign}{written or 0}e{scale}")
    return replace(found, schema=replace(found.schema, default=short))


def _bare(default: object) -> object:
    """Return N'x' as x."""
    found = re.fullmatch(r"[Nn]'(.*)'", default) if isinstance(default, str) else None
    return default if found is None else found[1]


def _in_quotes(default: object) -> object:
    """Return the default of a text in its quotes, that of a national one as it is."""
    text = isinstance(default, str) and not default.startswith(("N'", "n'"))
    return f"'{default}'" if text else default


ROWS: Final = (
    row(
        "signed-left-out",
        "ddl.columns",
        "It writes a type that was declared SIGNED without that word.",
        patch(f"{CODEC}.columns:_words", _without_signs),
    ),
    row(
        "all-optional",
        "value.optional",
        "It says of each column that it may be null.",
        schemas(lambda _: True, optional=True),
    ),
    row(
        "optional-as-the-server-has-it",
        "value.optional",
        "It says of a column that it may be null where the server says so.",
        patch(f"{CODEC}.columns:column_types", _as_the_server),
    ),
    row(
        "like-as-the-server-has-it",
        "value.optional",
        "It describes a table that was made LIKE another as the server has it.",
        patch(f"{_SIMULATOR}:original_of", lambda _: lambda *_: None),
    ),
    row(
        "none-optional",
        "value.optional",
        "It says of each column that it is never null.",
        schemas(lambda _: True, optional=False),
    ),
    row(
        "primary-keys-optional",
        "value.optional",
        "It says of a column with PRIMARY KEY and without NOT NULL that it may be null.",
        patch(f"{_DECLARED}:_said", _unsaid),
    ),
    row(
        "keys-of-tables-optional",
        "value.optional",
        "It says that a column may be null which only a PRIMARY KEY of the table forbids.",
        returns(f"{_DECLARED}:_not_null", {}),
    ),
    row(
        "last-listed-column-with-a-default",
        "value.optional-listed",
        "It counts NOT NULL of the last column in parentheses behind its DEFAULT as well.",
        patch(f"{_DECLARED}:_in_parentheses", _last_with_default),
    ),
    row(
        "default-of-another-scale",
        "value.default",
        "It writes the digits of a DECIMAL's default without filling them up to its scale.",
        conversions(of(ColumnKind.DECIMAL), _not_filled),
    ),
    row(
        "defaults-of-national-texts-bare-in-schemas",
        "value.default",
        "It writes the default N'x' into a schema without its letter and its quotes.",
        result(f"{CODEC}.defaults:schema_default", _bare),
    ),
    row(
        "defaults-in-quotes-in-schemas",
        "value.default",
        "It writes the default of a text into a schema with its quotes.",
        result(f"{CODEC}.defaults:schema_default", _in_quotes),
    ),
    row(
        "defaults-without-escapes",
        "value.default",
        "It takes the escapes out of the default of a text.",
        result(_KEPT, without_escapes),
    ),
    row(
        "bits-of-defaults",
        "value.default",
        "It takes a bit literal for its number.",
        patch(_KEPT, _bits_read),
    ),
    row(
        "defaults-of-digits",
        "value.default",
        "It takes the digits of a hexadecimal default for a text.",
        patch(_KEPT, _digits),
    ),
    row(
        "no-defaults",
        "value.default",
        "It leaves the defaults out of schemas.",
        schemas(lambda _: True, default=UNSET),
    ),
    row(
        "no-defaults-of-numbers",
        "value.default",
        "It leaves the defaults of integers and decimals out of schemas.",
        schemas(_number, default=UNSET),
    ),
    row(
        "no-defaults-of-truths",
        "value.default",
        "It leaves TRUE and FALSE, as defaults of integers and decimals, out of schemas.",
        schemas(_truth, default=UNSET),
    ),
    row(
        "no-comments",
        "value.comment",
        "It keeps no comment of a column.",
        adjusted(f"{CODEC}.columns:column_types", _uncommented),
    ),
    row(
        "schemas-without-comments",
        "value.comment",
        "It leaves the comments of columns out of schemas.",
        schemas(lambda _: True, doc=None),
    ),
    row(
        "comments-whatever-is-asked",
        "value.comment",
        "It writes comments into schemas where include.schema.changes is false, too.",
        patch(CONVERSION, commented),
    ),
    row(
        "comments-as-shown",
        "value.comment",
        "It takes a comment as SHOW CREATE TABLE has it.",
        patch(f"{_KNOWN}:declared_comments", _as_shown),
    ),
    row(
        "comments-of-the-server",
        "value.comment",
        "It takes a comment away where CHANGE COLUMN has no word on it.",
        instead(f"{_KNOWN}:changed_columns", lambda _: frozenset()),
    ),
)

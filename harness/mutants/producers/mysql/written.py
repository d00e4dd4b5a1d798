"""What statements say in their own words: members, moments, comments of tables, BINARY."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord
from harness.codecs.debezium.columns import ColumnType, Conversion
from harness.model.binlog import LogTable
from harness.model.columns import Column, ColumnKind
from harness.model.table import Table
from harness.mutants.producers.mysql.edits import (
    CODEC,
    cells,
    conversions,
    each,
    kind_of,
    of,
    row,
    values,
)
from harness.mutants.producers.patch import Patch, adjusted, patch, result
from harness.mutants.producers.records import SCHEMA_CHANGE, Records, Values, kind
from harness.sources.mysql.known import Known

_DEFAULTS: Final = f"{CODEC}.defaults"
_KNOWN: Final = "harness.sources.mysql.known"


def _of_kind(kind: ColumnKind, change: Callable[[str], str]) -> Patch:
    """Return the patch that changes the members of the columns of a kind."""

    def changed(columns: tuple[ColumnType, ...], _: LogTable) -> tuple[ColumnType, ...]:
        return tuple(
            replace(one, members=tuple(map(change, one.members))) if kind_of(one) is kind else one
            for one in columns
        )

    return adjusted(f"{CODEC}.columns:column_types", changed)


def _read_escapes(member: str) -> str:
    return member.replace(r"\n", "\n").replace(r"\t", "\t")


def _as_in_quotes(original: Callable[[str], str]) -> Callable[[str], str]:
    """Keep two quotes of a member for two."""
    return lambda member: original(member.replace("''", "''''"))


def _escaped_quotes(original: Callable[[str], str]) -> Callable[[str], str]:
    """Keep the backslash before a quote of a member."""
    return lambda member: original(member.replace(r"\'", r"\\'"))


def _anew(original: Callable[[Column], tuple[str, ...]]) -> Callable[[Column], tuple[str, ...]]:
    """Take members for those of SHOW CREATE TABLE."""
    return lambda column: original(replace(column, written=()))


def _sets_anew(
    original: Callable[[Column], tuple[str, ...]],
) -> Callable[[Column], tuple[str, ...]]:
    """Take members of a SET for those of SHOW CREATE TABLE."""
    return lambda column: original(
        replace(column, written=()) if column.kind is ColumnKind.SET else column
    )


def _unquoted(value: Values) -> None:
    """Take the quotes from around the members of what a statement changed."""
    for change in value["tableChanges"]:
        table = change["table"] or {"columns": []}
        for column in table["columns"]:
            listed = column["enumValues"]
            column["enumValues"] = listed and [member[1:-1] for member in listed]


def _in_schemas(found: Conversion) -> Conversion:
    """Take the escapes of members for what they stand for, in a schema alone."""
    parameters = tuple((name, _read_escapes(text)) for name, text in found.schema.parameters)
    return replace(found, schema=replace(found.schema, parameters=parameters))


def _listed(value: Values) -> None:
    """List the sequence that a statement is about."""
    verb, _, rest = value["ddl"].partition(" SEQUENCE ")
    if rest and not value["tableChanges"]:
        name = rest.split()[0].replace("`", "").replace(".", '"."')
        value["tableChanges"] = [{"type": verb, "id": f'"{name}"', "table": None}]


def _comment_copied(original: Callable[..., None]) -> Callable[..., None]:
    """Take the comment of a table for one that is made LIKE it as well."""

    def copy(known: Known, same: Table, made: Table) -> None:
        original(known, same, made)
        if same.id in known.tables:
            known.tables[made.id] = known.tables[same.id]

    return copy


def _without(verb: str) -> Patch:
    """Return the patch that leaves the records of one verb of sequences out."""

    def changed(record: ConnectRecord) -> Records:
        left_out = kind(record) == SCHEMA_CHANGE and f"{verb} SEQUENCE" in record.value["ddl"]
        return () if left_out else (record,)

    return each(changed)


def _known(change: Callable[[LogTable], LogTable]) -> Patch:
    """Return the patch by which tables are known otherwise."""
    return result(f"{_KNOWN}:Known.version", change)


def _filled_by_the_server(table: LogTable) -> LogTable:
    columns = (one for one in table.table.columns if one.auto_increment or one.on_update)
    return replace(table, filled=tuple(one.name for one in columns))


def _optional(*, optional: bool) -> Callable[..., Callable[..., Any]]:
    def changed(original: Callable[..., Any]) -> Callable[..., Any]:
        def moment(column: Column, text: str, **_: bool) -> object:
            return original(column, text, optional=optional)

        return moment

    return changed


def _with_a_time(original: Callable[..., Any]) -> Callable[..., Any]:
    def moment(column: Column, text: str, *, optional: bool) -> object:
        bare = column.kind is ColumnKind.DATETIME and ":" not in text
        return original(column, "" if bare else text, optional=optional)

    return moment


def _in_quotes(member: str) -> str:
    return f"'{member}'"


ROWS: Final = (
    row(
        "members-without-escapes",
        "value.member-escapes",
        "It takes the escapes of an ENUM's members for what they stand for.",
        _of_kind(ColumnKind.ENUM, _read_escapes),
    ),
    row(
        "members-of-sets-without-escapes",
        "value.member-escapes",
        "It takes the escapes of a SET's members for what they stand for.",
        _of_kind(ColumnKind.SET, _read_escapes),
    ),
    row(
        "backslashes-of-members-read",
        "value.member-escapes",
        "It takes two backslashes of a member for one.",
        _of_kind(ColumnKind.ENUM, lambda member: member.replace(r"\\", "\\")),
    ),
    *(
        row(
            f"{members}-in-quotes",
            "value.member-escapes",
            f"It keeps the quotes around the members of {article} {kind.name}.",
            _of_kind(kind, _in_quotes),
        )
        for members, article, kind in (
            ("members", "an", ColumnKind.ENUM),
            ("members-of-sets", "a", ColumnKind.SET),
        )
    ),
    row(
        "double-quotes-of-members-read",
        "value.member-escapes",
        "It takes two double quotes of a member for one.",
        _of_kind(ColumnKind.ENUM, lambda member: member.replace('""', '"')),
    ),
    row(
        "members-with-two-quotes",
        "value.member-escapes",
        "It keeps two quotes within a member.",
        patch(f"{CODEC}.columns:_option", _as_in_quotes),
    ),
    row(
        "members-with-escaped-quotes",
        "value.member-escapes",
        "It keeps the backslash before a quote within a member.",
        patch(f"{CODEC}.columns:_option", _escaped_quotes),
    ),
    row(
        "members-anew",
        "ddl.members",
        "It lists the members of a table as SHOW CREATE TABLE has them.",
        patch(f"{CODEC}.columns:_written", _anew),
    ),
    row(
        "members-of-sets-anew",
        "ddl.members",
        "It lists the members of a SET as SHOW CREATE TABLE has them.",
        patch(f"{CODEC}.columns:_written", _sets_anew),
    ),
    row(
        "members-listed-without-quotes",
        "ddl.members",
        "It lists the members of a table without the quotes around them.",
        values(SCHEMA_CHANGE, _unquoted),
    ),
    row(
        "members-without-escapes-in-schemas",
        "value.member-escapes",
        "It takes the escapes of an ENUM's members for what they stand for in schemas.",
        conversions(of(ColumnKind.ENUM), _in_schemas),
    ),
    row(
        "members-without-escapes-in-values",
        "value.member-escapes",
        "It takes the escapes of an ENUM's members for what they stand for in values.",
        cells(of(ColumnKind.ENUM), lambda text: text and _read_escapes(text)),
    ),
    row(
        "sequences-among-tables",
        "ddl.sequence",
        "It lists a sequence among the tables of its statement.",
        values(SCHEMA_CHANGE, _listed),
    ),
    row(
        "comments-of-tables-copied",
        "ddl.table-comment",
        "It takes the comment of a table over to one that is made LIKE it.",
        patch(f"{_KNOWN}:Known.copy", _comment_copied),
    ),
    row(
        "changed-members-forgotten",
        "ddl.left-by-change",
        "It forgets the members of a column that CHANGE COLUMN makes another type of.",
        _known(lambda table: replace(table, members=())),
    ),
    row(
        "changed-members-but-the-first-forgotten",
        "ddl.left-by-change",
        "It forgets the members of each such column but the first, as of a SET behind an ENUM.",
        _known(lambda table: replace(table, members=table.members[:1])),
    ),
    row(
        "changed-numbers-forgotten",
        "ddl.left-by-change",
        "It says of a column what the server has of AUTO_INCREMENT and ON UPDATE.",
        _known(_filled_by_the_server),
    ),
    row(
        "tables-without-comments",
        "ddl.table-comment",
        "It keeps no comment of a table.",
        _known(lambda table: replace(table, comment=None)),
    ),
    row(
        "comments-of-tables-read",
        "ddl.table-comment",
        "It writes the comment of a table without escapes, as the server has it.",
        _known(lambda table: replace(table, comment=table.table.comment or None)),
    ),
    row(
        "comments-of-tables-in-quotes",
        "ddl.table-comment",
        "It keeps the quotes around the comment of a table.",
        _known(lambda table: replace(table, comment=table.comment and f"'{table.comment}'")),
    ),
    row(
        "binary-left-out",
        "ddl.columns",
        "It writes a text's type without the word BINARY.",
        _known(
            lambda table: replace(table, signs=tuple(s for s in table.signs if s[1] != "BINARY"))
        ),
    ),
    row(
        "unread-defaults-left-out",
        "value.default-moment",
        "It takes no default from a literal that Java cannot read.",
        patch(f"{_DEFAULTS}:_moment", _optional(optional=True)),
    ),
    row(
        "unread-defaults-of-all",
        "value.default-moment",
        "It takes the first moment of 1970 for a default that Java cannot read, NULL or not.",
        patch(f"{_DEFAULTS}:_moment", _optional(optional=False)),
    ),
    row(
        "defaults-need-a-time",
        "value.default-moment",
        "It cannot read the default of a DATETIME without a time.",
        patch(f"{_DEFAULTS}:_moment", _with_a_time),
    ),
    *(
        row(
            f"no-{verb.lower()}-sequence",
            "ddl.sequence",
            f"It sends no record of {verb} SEQUENCE.",
            _without(verb),
        )
        for verb in ("CREATE", "ALTER", "DROP")
    ),
)

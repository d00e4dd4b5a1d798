"""Debezium Vitess: which row events are sent, which columns they have, and which values are masked.

Source: vitess NOTES §5, §7; clauses `vitess.type.*`, `vitess.filter.*`, `vitess.mask.*`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from harness.contracts import DEFAULT_DIALECT, Projection
from harness.errors import UsageError
from harness.model.change import Op
from harness.model.columns import BINARIES, CHARACTERS, Column, ColumnKind
from harness.model.settings import Settings
from harness.model.source_events import RowEvent, SourceTable
from harness.model.values import Row, Value
from harness.projections.vitess_quotes import Misplace, as_it_is, misplacer
from harness.projections.vitess_values import (
    BINARY_TEXTS,
    UNSUPPORTED,
    VitessModes,
    modes_of,
    visible_value,
)
from harness.wire.java_regex import compiled

Matches = Callable[[str], bool]
Rewrite = Callable[[Value], Value]

_LETTERS: Final[Mapping[Op, str]] = {Op.INSERT: "c", Op.UPDATE: "u", Op.DELETE: "d"}
_LIST_ENTRY: Final = re.compile(r"(?:\\.|[^\\,])+", re.DOTALL)
_SYSTEM: Final = frozenset(("mysql", "performance_schema", "sys", "information_schema"))
# Rules for texts by the column's full name: stars, the first UTF-16 units, or a digest.
_MASK: Final = re.compile(r"column\.mask\.with\.(\d+)\.chars\Z")
_CUT: Final = re.compile(r"column\.truncate\.to\.(\d+)\.chars\Z")
_HASH: Final = re.compile(r"column\.mask\.hash\.(v2\.)?([^.]+)\.with\.salt\.(.+)\Z")
# Dialects in which JSON has bytes whole that are to be cut; Avro has them cut.
_BYTES_WHOLE: Final = frozenset({"2.7"})
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_]")
_ESCAPED: Final = re.compile(r"\A[0-9]|[^A-Za-z0-9]")
_LONGEST_SHORT_STRING: Final = 0xFFFF
_TEXT_ON_THE_WIRE: Final = frozenset(
    (
        ColumnKind.DECIMAL,
        ColumnKind.ENUM,
        ColumnKind.SET,
        ColumnKind.JSON,
        ColumnKind.TIMESTAMP,
    )
)


def projection(values: Settings, dialect: str = DEFAULT_DIALECT) -> Projection:
    """Return what removes from a row event what is not sent; None where nothing is sent."""
    modes = modes_of(values)
    captured, included = _tables(values), _columns(values)
    rewrite = _rewriter(values, modes, bytes_cut=_bytes_cut(values, dialect))
    # By identity, which is kept beside: a table that is gone would lend its id to another.
    tables: dict[int, tuple[SourceTable, SourceTable | None, frozenset[int], Misplace]] = {}

    def visible_table(source: SourceTable) -> SourceTable | None:
        """Return a captured table as a consumer knows it, None for any other."""
        name = source.table.id
        if not captured(str(name)) or name.schema.lower() in _SYSTEM:
            return None
        emitted = tuple(
            ordinal
            for ordinal in source.emitted
            for column in [source.table.columns[ordinal]]
            if included(f"{name}.{column.name}")
            and (column.kind not in UNSUPPORTED or modes.unknown)
        )
        for column in (source.table.columns[ordinal] for ordinal in source.handle):
            if not included(f"{name}.{column.name}"):
                raise _without_key(f"{name}.{column.name}", "left out of rows")
        columns = tuple(_visible_column(column, modes) for column in source.table.columns)
        return replace(source, table=replace(source.table, columns=columns), emitted=emitted)

    def project(row: RowEvent) -> RowEvent | None:
        if id(row.table) not in tables:
            table = visible_table(row.table)
            sent = frozenset((*table.emitted, *table.handle)) if table else frozenset[int]()
            misplace = misplacer(row.table) if table else as_it_is
            tables[id(row.table)] = (row.table, table, sent, misplace)
        _, table, sent, misplaced = tables[id(row.table)]
        if table is None or _LETTERS[row.op] in modes.skipped:
            return None
        if modes.tolerant and _unreadable(row):
            return None
        image = partial(_image, row.table, sent, modes)
        before = rewrite(row.table, image(misplaced(row.before)))
        after = rewrite(row.table, image(misplaced(row.after)))
        found = replace(row, table=table, before=before, after=after)
        # The connector compares what it would send: two masked texts are equal.
        skipped = modes.unchanged_skipped and row.op is Op.UPDATE and _unchanged(found)
        return None if skipped else found

    return project


def _without_key(column: str, what: str) -> UsageError:
    """Return the error for rows without whole keys: the message's key has them, no answer may."""
    return UsageError(
        f"key column {column} is {what}, by which answers are compared",
        hint="leave key columns out of the column lists and rules",
    )


def _visible_column(column: Column, modes: VitessModes) -> Column:
    """Return a column as a consumer knows it by its name and the kind of its values."""
    column = replace(column, name=_FIELD_NAMES[modes.field_names](column.name))
    if column.kind in UNSUPPORTED:
        return replace(column, kind=ColumnKind.BLOB, nullable=True)
    if "" in column.members:  # the connector misreads the members: they are only texts
        return replace(column, kind=ColumnKind.VARCHAR, members=())
    # Nothing on the wire distinguishes bytes as text from any other text.
    hidden = modes.binary in BINARY_TEXTS and column.kind in BINARIES
    return replace(column, kind=ColumnKind.VARCHAR) if hidden else column


def _image(
    source: SourceTable, sent: frozenset[int], modes: VitessModes, row: Row | None
) -> Row | None:
    if row is None:
        return None
    return tuple(
        visible_value(column, value, modes) if ordinal in sent else None
        for ordinal, (column, value) in enumerate(zip(source.table.columns, row, strict=True))
    )


def _unreadable(row: RowEvent) -> bool:
    """Return whether the connector fails to parse a cell of a row."""
    return any(
        (column.kind is ColumnKind.SET and isinstance(value, int) and value >= 1 << 63)
        or (
            # A month without a day, or a day without a month.
            column.kind is ColumnKind.DATETIME
            and isinstance(value, str)
            and (value[5:7] == "00") != (value[8:10] == "00")
        )
        for image in (row.before or (), row.after or ())
        for column, value in zip(row.table.table.columns, image, strict=bool(image))
    )


def _unchanged(row: RowEvent) -> bool:
    before, after = row.before or (), row.after or ()
    return all(before[ordinal] == after[ordinal] for ordinal in row.table.emitted)


def _matcher(listed: object) -> Matches:
    """Return whether a whole name matches one of a comma-separated list of Java's expressions."""
    patterns = [
        compiled(text, re.IGNORECASE | re.ASCII)
        for part in _LIST_ENTRY.findall(str(listed))
        if (text := part.strip().replace("\\,", ","))
    ]
    return lambda name: any(pattern.fullmatch(name) for pattern in patterns)


def _tables(values: Settings) -> Matches:
    """Return whether `keyspace.table` is captured: an include list goes first, if not blank."""
    for name, chosen in (("table.include.list", True), ("table.exclude.list", False)):
        if str(values.get(name) or "").strip():
            return _listed(values[name], chosen=chosen)
    return _listed("", chosen=False)


def _columns(values: Settings) -> Matches:
    """Return whether `keyspace.table.column` is part of values: an exclude list goes first."""
    for name, chosen in (("column.exclude.list", False), ("column.include.list", True)):
        if values.get(name) is not None:
            return _listed(values[name], chosen=chosen)
    return _listed("", chosen=False)


def _listed(listed: object, *, chosen: bool) -> Matches:
    """Return whether a name is on a list, or, unless `chosen`, whether it is not."""
    matches = _matcher(listed)
    return lambda name: matches(name) is chosen


def _rules(values: Settings, *, bytes_cut: bool) -> Iterator[tuple[Matches, Rewrite, bool]]:
    """Yield which columns a rule is for, what it does, and whether it cuts more than texts."""
    shorten = _shortened if bytes_cut else _text_shortened
    for name, listed in values.items():
        if mask := _MASK.match(name):
            yield _matcher(listed), partial(_starred, int(mask[1])), False
        if cut := _CUT.match(name):
            yield _matcher(listed), partial(shorten, int(cut[1])), True
        if salted := _HASH.match(name):
            to_bytes = str.encode if salted[1] else _java_serialised
            yield _matcher(listed), partial(_hashed, salted[2], salted[3], to_bytes), False


def _rewriter(
    values: Settings, modes: VitessModes, *, bytes_cut: bool
) -> Callable[[SourceTable, Row | None], Row | None]:
    """Return what masks and cuts the texts of a row, and may cut its bytes; numbers stay as is.

    What it returns raises UsageError where a key is changed, and where a value is cut that is no
    text to who reads it.
    """
    rules = tuple(_rules(values, bytes_cut=bytes_cut))

    def change_of(source: SourceTable, ordinal: int) -> Rewrite | None:
        column = source.table.columns[ordinal]
        name = f"{source.table.id}.{column.name}"
        # The first rule that matches is the only one.
        found = next(((change, cuts) for matches, change, cuts in rules if matches(name)), None)
        if found is None or not (column.kind in CHARACTERS or found[1]):
            return None
        if _is_text_on_the_wire(column, modes):
            raise UsageError(
                f"column {name} is cut, whose values are text on the wire and no text of its table",
                hint="leave such columns out of `column.truncate.to.N.chars`",
            )
        if ordinal in source.handle and column.kind in CHARACTERS | BINARIES:
            raise _without_key(name, "cut, masked or hashed in rows")
        return found[0]

    def rewrite(source: SourceTable, row: Row | None) -> Row | None:
        if row is None or not rules:
            return row
        changes = (change_of(source, ordinal) for ordinal in range(len(row)))
        return tuple(
            value if change is None else change(value)
            for value, change in zip(row, changes, strict=True)
        )

    return rewrite


def _is_text_on_the_wire(column: Column, modes: VitessModes) -> bool:
    """Return whether a value that is no text to its table is text on the wire."""
    match column.kind:
        case ColumnKind.BIGINT:
            return column.unsigned and modes.unsigned == "string"
        case ColumnKind.DATE | ColumnKind.TIME | ColumnKind.DATETIME:
            return modes.time == "isostring"
        case kind:
            return kind in _TEXT_ON_THE_WIRE


def _starred(length: int, value: Value) -> Value:
    """Return stars in place of a text, and of NULL."""
    del value
    return "*" * length


def _bytes_cut(values: Settings, dialect: str) -> bool:
    return dialect not in _BYTES_WHOLE or "avro" in str(values.get("value.converter", "")).lower()


def _shortened(length: int, value: Value) -> Value:
    """Return a text's first UTF-16 units, or the first bytes; no scenario cuts a pair in two."""
    if isinstance(value, bytes):
        return value[:length]
    return _text_shortened(length, value)


def _text_shortened(length: int, value: Value) -> Value:
    if not isinstance(value, str):
        return value
    return value.encode("utf-16-be")[: 2 * length].decode("utf-16-be", "ignore")


def _hashed(algorithm: str, salt: str, to_bytes: Callable[[str], bytes], value: Value) -> Value:
    """Return the digest of salt and text in hexadecimal; NULL stays NULL."""
    if not isinstance(value, str):
        return value
    digest = hashlib.new(algorithm.lower().replace("-", "", 1), salt.encode() + to_bytes(value))
    return digest.hexdigest()


def _java_serialised(value: str) -> bytes:
    """Return a text as Java's ObjectOutputStream writes it: modified UTF-8 behind its length."""
    text = "".join(map(chr, _units(value))).encode("utf-8", "surrogatepass")
    text = text.replace(b"\0", b"\xc0\x80")
    if len(text) > _LONGEST_SHORT_STRING:
        return b"\xac\xed\x00\x05\x7c" + len(text).to_bytes(8, "big") + text
    return b"\xac\xed\x00\x05\x74" + len(text).to_bytes(2, "big") + text


def _units(text: str) -> Sequence[int]:
    """Return the UTF-16 units of a text."""
    return memoryview(text.encode("utf-16", "surrogatepass")).cast("H").tolist()[1:]


def _avro_name(name: str) -> str:
    """Return a name with `_` for what Avro forbids, and before a first digit."""
    safe = _UNSAFE.sub("_", "".join(map(chr, _units(name))))
    return f"_{name[0]}{safe[1:]}" if name[:1].isdecimal() else safe


def _avro_unicode_name(name: str) -> str:
    """Return a name with `_u` and hexadecimal digits for what Avro forbids, and a first digit."""
    return _ESCAPED.sub(_escape, "".join(map(chr, _units(name))))


def _escape(unit: re.Match[str]) -> str:
    digits = f"{ord(unit[0]):x}"
    return f"_u00{digits}" if len(digits) < 3 else f"_u{digits}"


_FIELD_NAMES: Final[Mapping[str, Callable[[str], str]]] = {
    "none": str,
    "avro": _avro_name,
    "avro_unicode": _avro_unicode_name,
}

"""What all of Debezium's connectors leave out, mask, cut and rename by their settings.

Source: vitess NOTES §5, §7; Debezium reference documentation 3.3, "Connector properties".
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Final

from harness.errors import UsageError
from harness.model.canonical import canonical
from harness.model.columns import BINARIES, CHARACTERS, Column, ColumnKind
from harness.model.settings import Settings
from harness.model.source_events import SourceTable
from harness.model.values import Row, Value
from harness.wire.java_regex import expressions

Matches = Callable[[str], bool]
Rewrite = Callable[[Value], Value]
IsText = Callable[[Column], bool]
# Its place among the kinds of rules, its columns, what it does to a text (None for nothing),
# the length that it cuts texts and bytes to (0 for what cuts nothing), whether it hashes.
Rule = tuple[int, Matches, Rewrite | None, int, bool]

BINARY_TEXTS: Final[Mapping[str, Callable[[bytes], str]]] = {
    "hex": bytes.hex,
    "base64": lambda value: b64encode(value).decode(),
    "base64-url-safe": lambda value: urlsafe_b64encode(value).decode(),
}
# Rules for texts by the column's full name: stars, the first UTF-16 units, or a digest.
_MASK: Final = re.compile(r"column\.mask\.with\.(\d+)\.chars\Z")
_CUT: Final = re.compile(r"column\.truncate\.to\.(\d+)\.chars\Z")
_HASH: Final = re.compile(r"column\.mask\.hash\.(v2\.)?([^.]+)\.with\.salt\.(.+)\Z")
_PROPAGATED: Final = "column.propagate.source.type"
_OF_A_TYPE: Final = "datatype.propagate.source.type"
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_]")
_ESCAPED: Final = re.compile(r"\A[0-9]|[^A-Za-z0-9]")
_OF_A_LENGTH: Final = frozenset(
    {ColumnKind.CHAR, ColumnKind.VARCHAR, ColumnKind.BINARY, ColumnKind.VARBINARY}
)
_LONGEST_SHORT_STRING: Final = 0xFFFF


def captured_tables(values: Settings) -> Matches:
    """Return whether `keyspace.table` is captured: an include list goes first, if not blank."""
    for name, chosen in (("table.include.list", True), ("table.exclude.list", False)):
        if str(values.get(name) or "").strip():
            return _listed(values[name], chosen=chosen)
    return _listed("", chosen=False)


def included_columns(values: Settings) -> Matches:
    """Return whether `keyspace.table.column` is part of values: an exclude list goes first."""
    for name, chosen in (("column.exclude.list", False), ("column.include.list", True)):
        if values.get(name) is not None:
            return _listed(values[name], chosen=chosen)
    return _listed("", chosen=False)


def _listed(listed: object, *, chosen: bool) -> Matches:
    """Return whether a name is on a list, or, unless `chosen`, whether it is not."""
    matches = _matcher(listed)
    return lambda name: matches(name) is chosen


def _matcher(listed: object) -> Matches:
    """Return whether a whole name matches one of a comma-separated list of Java's expressions."""
    patterns = expressions(str(listed))
    return lambda name: any(pattern.fullmatch(name) for pattern in patterns)


def without_key(column: str, what: str) -> UsageError:
    """Return the error for rows without whole keys: the message's key has them, no answer may."""
    return UsageError(
        f"key column {column} is {what}, by which answers are compared",
        hint="leave key columns out of the column lists and rules",
    )


def rewriter(
    values: Settings,
    is_text: IsText,
    is_masked: IsText,
    *,
    bytes_cut: bool = True,
    lengths_known: bool = False,
) -> Callable[[SourceTable, Row | None], Row | None]:
    """Return what masks and cuts the texts of a row, and may cut its bytes; numbers stay as is.

    `is_text` says of a column that its values are text on the wire, and no text of its table;
    `is_masked` that they are masked and hashed as texts all the same. With `lengths_known` the
    connector knows how long a column is: a digest is no longer, and what is not too long by that is
    not cut, however long its text.
    What it returns raises UsageError where a key is changed, where a value is cut or masked that is
    no text to who reads it, and where nothing here says which rule counts.
    """
    rules = sorted(_rules(values, bytes_cut=bytes_cut), key=itemgetter(0))
    included = included_columns(values)
    rule_of = partial(_rule_of, rules, by_type=bool(values.get(_OF_A_TYPE)))

    def change_of(source: SourceTable, ordinal: int) -> Rewrite | None:
        column = source.table.columns[ordinal]
        name = f"{source.table.id}.{column.name}"
        if not included(name):
            return None
        change, cut_to, hashed = rule_of(name)
        if change is None:
            return None
        if (is_text if cut_to else is_masked)(column):
            raise _no_text(name, cut=cut_to > 0)
        length = column.length if lengths_known and column.kind in _OF_A_LENGTH else None
        kinds = CHARACTERS | BINARIES if cut_to else CHARACTERS
        if column.kind not in kinds or (length is not None and length <= cut_to):
            return None
        if ordinal in source.handle and column.kind in CHARACTERS | BINARIES:
            raise without_key(name, "cut, masked or hashed in rows")
        if hashed and length is not None:
            return lambda value: _text_shortened(length, change(value))
        return partial(_fitted, column, change)

    def rewrite(source: SourceTable, row: Row | None) -> Row | None:
        if row is None or not rules:
            return row
        changes = (change_of(source, ordinal) for ordinal in range(len(row)))
        return tuple(
            value if change is None else change(value)
            for value, change in zip(row, changes, strict=True)
        )

    return rewrite


def _no_text(column: str, *, cut: bool) -> UsageError:
    what, rule = ("cut", "truncate.to.N") if cut else ("masked", "mask")
    return UsageError(
        f"column {column} is {what}, whose values are text on the wire and no text of its table",
        hint=f"leave such columns out of `column.{rule}…`",
    )


def _rule_of(
    rules: Sequence[Rule], name: str, *, by_type: bool
) -> tuple[Rewrite | None, int, bool]:
    """Return what the first rule that matches a column says, which is the only one.

    UsageError where the connector goes by what is not known here: the order of a HashMap, or, with
    `by_type`, its own names of types, by which a column may be out of a hash's reach.
    """
    found = [rule for rule in rules if rule[1](name)]
    if len(found) > 1 and found[0][0] == found[1][0]:
        raise UsageError(
            f"column {name} has two rules of one kind, and the order of a Java HashMap says which "
            "of them counts",
            hint="name a column in one setting of each kind",
        )
    change, cut_to, hashed = found[0][2:] if found else (None, 0, False)
    if hashed and by_type:
        raise UsageError(
            f"column {name} is hashed or not by the name that the connector has for its type",
            hint=f"leave `{_OF_A_TYPE}` out, or the hash",
        )
    return change, cut_to, hashed


def _rules(values: Settings, *, bytes_cut: bool) -> Iterator[Rule]:
    """Yield rules as they are set; `debezium-core` tries kind by kind, ColumnMappers.java create.

    What propagates the types of columns leaves their texts alone, and no hash gets at them.
    """
    shorten = _shortened if bytes_cut else _text_shortened
    for name, listed in values.items():
        if cut := _CUT.match(name):
            yield 0, _matcher(listed), partial(shorten, int(cut[1])), int(cut[1]), False
        if mask := _MASK.match(name):
            yield 1, _matcher(listed), partial(_starred, int(mask[1])), 0, False
        if name == _PROPAGATED:
            yield 2, _matcher(listed), None, 0, False
        if salted := _HASH.match(name):
            to_bytes = str.encode if salted[1] else _java_serialised
            hashed = partial(_hashed, salted[2], salted[3], to_bytes)
            yield 4 if salted[1] else 3, _matcher(listed), hashed, 0, True


def _starred(length: int, value: Value) -> Value:
    """Return stars in place of a text, and of NULL."""
    del value
    return "*" * length


def _shortened(length: int, value: Value) -> Value:
    """Return a text's first UTF-16 units, or the first bytes; no scenario cuts a pair in two."""
    if isinstance(value, bytes):
        return value[:length]
    return _text_shortened(length, value)


def _text_shortened(length: int, value: Value) -> Value:
    if not isinstance(value, str):
        return value
    return value.encode("utf-16-be")[: 2 * length].decode("utf-16-be", "ignore")


def _fitted(column: Column, change: Rewrite, value: Value) -> Value:
    """Return what is left of a value in its column: bytes of a BINARY are filled up again."""
    left = change(value)
    return canonical(column, left) if isinstance(left, bytes) else left


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


FIELD_NAMES: Final[Mapping[str, Callable[[str], str]]] = {
    "none": str,
    "avro": _avro_name,
    "avro_unicode": _avro_unicode_name,
}


def field_names(values: Settings) -> str:
    """Return how names of fields are adjusted: as for Avro where a converter writes that."""
    mode = str(values.get("field.name.adjustment.mode") or "none").strip().lower()
    classes = (str(values.get(f"{part}.converter")) for part in ("key", "value"))
    unasked = any(one.endswith(".AvroConverter") for one in classes)
    return "avro" if mode == "none" and unasked else mode

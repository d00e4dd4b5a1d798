"""Keys: which columns, in which struct, and the names of fields and schemas."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.connect.schema import ConnectRecord, Field, Schema, SchemaType
from harness.codecs.debezium.columns import ColumnType
from harness.mutants.producers.field_names import BY_CONVERTER
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, adjusted, entry, instead, patch, result, returns
from harness.mutants.producers.records import CHANGE, Records, kind
from harness.mutants.producers.vitess.edits import by_default, each, key_schema, keys, with_settings

TABLES: Final = "harness.codecs.debezium.tables"
PRIMARY: Final = f"{TABLES}:_primary"
KEY_COLUMNS: Final = f"{TABLES}:TableShaper._key_columns"
LISTED: Final = "harness.codecs.debezium.selection:message_keys"
NAMES: Final = "harness.codecs.debezium.adjustment"
CHECK: Final = "harness.codecs.debezium_vitess.task:_check_name"
QUOTED: Final = "harness.codecs.debezium_vitess.quoted_names:cell_sources"
# What a regex naming strategy adds to each key by default.
ADDED: Final = "__dbz__physicalTableIdentifier"
EMPTY: Final = Schema(SchemaType.STRUCT, optional=True, name="none.Key")
# What a name of Avro's has not, but for the points of a schema's name.
_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_.]")
MODES: Final = {
    "field": "field.name.adjustment.mode",
    "schema": "schema.name.adjustment.mode",
}


def _of_unique(choose: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Patch:
    """Return the patch that chooses otherwise among the unique columns of a table without a key."""

    def primary(columns: Sequence[ColumnType]) -> tuple[str, ...]:
        own = tuple(column.name for column in columns if column.primary)
        return own or choose(tuple(column.name for column in columns if column.unique))

    return instead(PRIMARY, primary)


def _fields(change: Callable[[Field], Field]) -> Patch:
    """Return the patch that changes the schema of each field of a key."""
    return key_schema(lambda schema: replace(schema, fields=tuple(map(change, schema.fields))))


def _whole_or_none(original: Callable[..., Any]) -> Callable[..., Any]:
    """Find no columns of a key where one of them is not supported."""

    def columns(self: Any, *given: object) -> Any:  # noqa: ANN401 a method of any instance
        found = original(self, *given)
        return found if all(self.conversion(column) for _, column in found) else []

    return columns


def _kind(of: SchemaType, field: Field) -> Field:
    if field.schema.kind is not SchemaType.INT32:
        return field
    return replace(field, schema=replace(field.schema, kind=of))


def _as_text(record: ConnectRecord) -> Records:
    """Yield a record with the whole numbers of its key as text."""
    schema = record.key_schema
    if schema is None or kind(record) != CHANGE:
        return (record,)
    fields = tuple(_kind(SchemaType.STRING, field) for field in schema.fields)
    key = {n: str(v) if isinstance(v, int) else v for n, v in record.key.items()}
    return (replace(record, key_schema=replace(schema, fields=fields), key=key),)


def _keyless(schema: Schema | None, key: Any) -> Patch:  # noqa: ANN401 a key is of any kind
    def changed(record: ConnectRecord) -> Records:
        if kind(record) != CHANGE or record.key_schema is not None:
            return (record,)
        return (replace(record, key_schema=schema, key=key),)

    return each(changed)


def _without_added_field(record: ConnectRecord) -> Records:
    """Yield a record without the key that has no column of its table."""
    if record.key is None or set(record.key) != {ADDED}:
        return (record,)
    return (replace(record, key=None, key_schema=None),)


def _as_without_a_strategy(record: ConnectRecord) -> Records:
    """Yield a record without the field that is added to a key of columns."""
    if record.key is None or record.key_schema is None or set(record.key) == {ADDED}:
        return (record,)
    fields = tuple(field for field in record.key_schema.fields if field.name != ADDED)
    key = {name: value for name, value in record.key.items() if name != ADDED}
    return (replace(record, key=key, key_schema=replace(record.key_schema, fields=fields)),)


def _listed(change: Callable[[str], str]) -> Patch:
    """Return the patch that changes what `message.key.columns` says."""
    return patch(LISTED, lambda original: lambda listed: original(listed and change(listed)))


def _plain_names(listed: str) -> str:
    """Return the list with its columns as names that are no expressions."""
    parts = [part.partition(":") for part in listed.split(";")]
    return ";".join(f"{table}:{','.join(map(re.escape, c.split(',')))}" for table, _, c in parts)


def _of_every_table(listed: str) -> str:
    """Return the list with an expression for every table, a point behind it, in each entry."""
    return ";".join(f".*\\:{part.partition(':')[2]}" for part in listed.split(";"))


def _prefixes(listed: str) -> str:
    return re.sub(r"\^(\w+)", r"\1.*", listed)


def _no_own_key(original: Callable[..., Any]) -> Callable[..., Any]:
    def columns(self: Any, key: Any, given: Any, primary: Any) -> Any:  # noqa: ANN401 see patch
        return original(self, key, given, () if self.message_keys else primary)

    return columns


def _keyed_alone(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, key, given, primary: original(self, key, given, primary) if primary else []


def _second_renamed(pairs: Sequence[tuple[str, Schema]]) -> tuple[Field, ...]:
    met: list[str] = []
    for name, _ in pairs:
        met.append(f"{name}_" if name in met else name)
    return tuple(Field(name, schema) for name, (_, schema) in zip(met, pairs, strict=True))


def _digit_lost(original: Callable[[str], str]) -> Callable[[str], str]:
    return lambda name: re.sub(r"^_\d", "_", original(name))


def _digit_kept(original: Callable[[str], str]) -> Callable[[str], str]:
    return lambda name: re.sub(r"^_(?=\d)", "", original(name))


def _underline_kept(original: Callable[[str], str]) -> Callable[[str], str]:
    return lambda name: original(name).replace("_u005f", "_")


def _padded(original: Callable[[str], str]) -> Callable[[str], str]:
    return lambda name: original(name).replace("_u00", "_u")


def _adjusted() -> tuple[WrongProducer, ...]:
    """Return, for each mode of names, one that ignores it and others that err in it."""
    return tuple(
        row
        for part, setting in MODES.items()
        for table in [f"{NAMES}:{part.upper()}_NAMES"]
        for row in (
            WrongProducer(
                f"vitess-{part}-names-in-small-letters",
                f"vitess.name.{part}-avro",
                f"It writes adjusted names of {part}s in small letters.",
                entry(table, "avro", lambda made: lambda name: made(name).lower()),
            ),
            WrongProducer(
                f"vitess-{part}-names-underlined",
                f"vitess.name.{part}-avro-unicode",
                f"It writes `_` for each character that a {part}'s name may not have.",
                with_settings(partial(_instead, setting, "avro_unicode", "avro")),
            ),
            WrongProducer(
                f"vitess-{part}-names-keep-underline",
                f"vitess.name.{part}-avro-unicode",
                f"It leaves `_` in names of {part}s as it is.",
                entry(table, "avro_unicode", _underline_kept),
            ),
            WrongProducer(
                f"vitess-{part}-names-with-short-codes",
                f"vitess.name.{part}-avro-unicode",
                f"It writes codes in names of {part}s without zeros before them.",
                entry(table, "avro_unicode", _padded),
            ),
        )
    )


def _once(mode: str) -> tuple[WrongProducer, ...]:
    """Return, for each part, one that adjusts the first character alone of those that it has to."""
    return tuple(
        WrongProducer(
            f"vitess-{part}-names-adjusted-once{'-in-unicode' if 'unicode' in mode else ''}",
            f"vitess.name.{part}-{mode.replace('_', '-')}",
            f"It replaces the first character alone of those that a {part}'s name may not have.",
            entry(f"{NAMES}:{part.upper()}_NAMES", mode, _first_alone),
        )
        for part in MODES
    )


def _first_alone(original: Callable[[str], str]) -> Callable[[str], str]:
    def adjusted(name: str) -> str:
        found = _FOREIGN.search(name, 1)
        return original(name[: found.end()]) + name[found.end() :] if found else original(name)

    return adjusted


def _letters_kept(original: Callable[[str], str]) -> Callable[[str], str]:
    def adjusted(name: str) -> str:
        made = original(name)
        if len(made) != len(name):  # `_` before a leading digit
            return made
        return "".join(a if a.isalpha() else b for a, b in zip(name, made, strict=True))

    return adjusted


def _runs_as_one(original: Callable[[str], str]) -> Callable[[str], str]:
    return lambda name: re.sub(r"_{2,}", "_", original(name))


def _of_four_digits(original: Callable[[str], str]) -> Callable[[str], str]:
    return lambda name: re.sub(r"_u(?=[1-9a-f][0-9a-f]{2}(?![0-9a-f]))", "_u0", original(name))


def _own_alone(number: int, source: int | None) -> int | None:
    return source if source is None else number


def _always_given(
    found: Sequence[int | None] | None, columns: Sequence[ColumnType]
) -> tuple[int | None, ...] | None:
    if found is None:
        return None
    given = {
        f"{quote}{column.name}{quote}": n for n, column in enumerate(columns) for quote in "'\""
    }
    sources = [*found]
    for number, column in enumerate(columns):
        if column.name in given:
            sources[given[column.name]] = number
    return tuple(sources)


def _instead(name: str, old: str, new: str, own: dict[str, Any]) -> None:
    if own.get(name) == old:
        own[name] = new


def _stem(schema: Schema) -> str:
    """Return a schema's name without its last part."""
    return (schema.name or "").rpartition(".")[0]


ROWS: tuple[WrongProducer, ...] = (
    *_adjusted(),
    *_once("avro"),
    *_once("avro_unicode"),
    *(
        WrongProducer(
            f"vitess-{part}-names-of-single-underlines",
            f"vitess.name.{part}-avro",
            f"It writes one `_` for several characters in a row that a {part}'s name may not have.",
            entry(f"{NAMES}:{part.upper()}_NAMES", "avro", _runs_as_one),
        )
        for part in MODES
    ),
    WrongProducer(
        "vitess-field-names-with-codes-of-four-digits",
        "vitess.name.field-avro-unicode",
        "It writes a code of three digits in names of fields with a zero before it.",
        entry(f"{NAMES}:FIELD_NAMES", "avro_unicode", _of_four_digits),
    ),
    WrongProducer(
        "vitess-key-of-last-unique",
        "vitess.key.first-unique",
        "It takes the last column with a unique key for the key.",
        _of_unique(lambda names: names[-1:]),
    ),
    WrongProducer(
        "vitess-key-of-all-unique",
        "vitess.key.first-unique",
        "It takes all columns with unique keys for the key.",
        _of_unique(lambda names: names),
    ),
    WrongProducer(
        "vitess-key-of-primary-alone",
        "vitess.key.first-unique",
        "It knows no key but a primary key.",
        _of_unique(lambda _: ()),
    ),
    WrongProducer(
        "vitess-keyless-has-empty-key",
        "vitess.key.keyless",
        "It gives a row without a key an empty struct as its key.",
        _keyless(replace(EMPTY, optional=False), {}),
    ),
    WrongProducer(
        "vitess-keyless-under-a-regex-too",
        "vitess.key.keyless",
        "It adds no field to the null key of a table without one, whatever the naming strategy.",
        each(_without_added_field),
        also="vitess.key.topic-field",
    ),
    WrongProducer(
        "vitess-keyed-as-they-are-under-a-regex",
        "vitess.key.topic-field",
        "It adds no field to the key of a table with a key of its own.",
        each(_as_without_a_strategy),
    ),
    WrongProducer(
        "vitess-keyless-has-schema",
        "vitess.key.keyless-schema",
        "It gives the null key of a row without a key an optional schema.",
        _keyless(EMPTY, None),
    ),
    WrongProducer(
        "vitess-key-optional",
        "vitess.key.struct",
        "It calls the key's struct optional.",
        key_schema(lambda schema: replace(schema, optional=True)),
    ),
    WrongProducer(
        "vitess-key-without-name",
        "vitess.key.struct",
        "It gives the key's struct no name.",
        key_schema(lambda schema: replace(schema, name=None)),
    ),
    WrongProducer(
        "vitess-keys-named-value",
        "vitess.key.struct",
        "It ends the name of the key's struct with `.Value`.",
        key_schema(lambda schema: replace(schema, name=f"{_stem(schema)}.Value")),
    ),
    WrongProducer(
        "vitess-keys-named-without-prefix",
        "vitess.key.struct",
        "It leaves the topic's prefix out of the name of the key's struct.",
        key_schema(lambda schema: replace(schema, name=(schema.name or "").partition(".")[2])),
    ),
    WrongProducer(
        "vitess-key-of-wider-numbers",
        "vitess.key.struct",
        "It calls int32 int64 in keys.",
        _fields(partial(_kind, SchemaType.INT64)),
        also="vitess.key.schema-text",
    ),
    WrongProducer(
        "vitess-key-reversed",
        "vitess.key.primary-key",
        "It writes the fields of a key from the last to the first.",
        key_schema(lambda schema: replace(schema, fields=schema.fields[::-1])),
    ),
    WrongProducer(
        "vitess-no-key-by-halves",
        "vitess.key.primary-key",
        "It gives rows no key where a column of the primary key is not supported.",
        patch(KEY_COLUMNS, _whole_or_none),
    ),
    WrongProducer(
        "vitess-key-as-text",
        "vitess.key.schema-text",
        "It writes whole numbers of keys as text, as the page's sample does.",
        each(_as_text),
    ),
    WrongProducer(
        "vitess-key-fields-optional",
        "vitess.key.schema-text",
        "It calls the fields of a key optional.",
        _fields(lambda field: replace(field, schema=replace(field.schema, optional=True))),
    ),
    WrongProducer(
        "vitess-message-key-in-column-order",
        "vitess.key.message-key-columns",
        "It writes the columns of `message.key.columns` in the table's order.",
        result(KEY_COLUMNS, sorted),
    ),
    WrongProducer(
        "vitess-message-key-of-every-table",
        "vitess.key.message-key-columns",
        "It takes the columns of an entry of `message.key.columns` for the key of every table.",
        _listed(_of_every_table),
    ),
    WrongProducer(
        "vitess-message-key-of-plain-names",
        "vitess.key.message-key-expression",
        "It takes the columns of `message.key.columns` for plain names.",
        _listed(_plain_names),
    ),
    WrongProducer(
        "vitess-message-key-of-beginnings",
        "vitess.key.message-key-expression",
        "It takes `^l` for all columns that begin with l, as the page does.",
        _listed(_prefixes),
    ),
    WrongProducer(
        "vitess-message-key-or-none",
        "vitess.key.message-key-unknown",
        "It gives no key to a table of which `message.key.columns` names no column.",
        patch(KEY_COLUMNS, _no_own_key),
    ),
    WrongProducer(
        "vitess-message-key-of-keyed-alone",
        "vitess.key.message-key-columns",
        "It pays no heed to `message.key.columns` for a table without a key.",
        patch(KEY_COLUMNS, _keyed_alone),
        also="vitess.key.keyless",
    ),
    WrongProducer(
        "vitess-message-key-twice-once",
        "vitess.key.message-key-twice",
        "It takes a column once into the key that two expressions match.",
        result(KEY_COLUMNS, lambda found: list(dict(found).items())),
    ),
    WrongProducer(
        "vitess-key-topic-field-empty",
        "vitess.key.topic-field",
        "It leaves the field that tells the tables of one topic apart empty.",
        keys(lambda key: key.update({name: "" for name in key if name == ADDED})),
    ),
    WrongProducer(
        "vitess-names-adjusted-by-default",
        "vitess.name.untouched",
        "It adjusts the names of fields for Avro by default.",
        by_default(field_name_adjustment_mode="avro"),
    ),
    WrongProducer(
        "vitess-schema-names-adjusted-by-default",
        "vitess.name.untouched",
        "It adjusts the names of schemas for Avro by default.",
        by_default(schema_name_adjustment_mode="avro"),
    ),
    *(
        WrongProducer(f"vitess-{name}", "vitess.name.field-by-converter", what, edit)
        for name, what, edit in BY_CONVERTER
    ),
    WrongProducer(
        "vitess-quoted-names-as-they-are",
        "vitess.name.in-quotes",
        "It gives a column whose name stands in quotes its own value.",
        returns(QUOTED, None),
    ),
    WrongProducer(
        "vitess-values-of-quoted-names-lost",
        "vitess.name.in-quotes",
        "It gives the value of a column whose name stands in quotes to no column.",
        result(QUOTED, lambda found: found and tuple(map(_own_alone, range(len(found)), found))),
    ),
    WrongProducer(
        "vitess-values-of-quoted-names-always-given",
        "vitess.name.in-quotes",
        "It gives the value of a column whose name stands in quotes to one that stands behind it.",
        adjusted(QUOTED, _always_given),
    ),
    *(
        WrongProducer(
            f"vitess-{part}-digit-{what}",
            f"vitess.name.{part}-avro",
            f"It {does} a {part} name's leading digit.",
            entry(f"{NAMES}:{part.upper()}_NAMES", "avro", change),
        )
        for part in MODES
        for what, does, change in (
            ("lost", "writes `_` in the place of", _digit_lost),
            ("kept", "puts nothing before", _digit_kept),
        )
    ),
    WrongProducer(
        "vitess-field-names-with-letters-of-all-alphabets",
        "vitess.name.field-avro",
        "It leaves letters beyond ASCII in names of fields.",
        entry(f"{NAMES}:FIELD_NAMES", "avro", _letters_kept),
    ),
    WrongProducer(
        "vitess-second-field-renamed",
        "vitess.name.field-conflict",
        "It gives the second of two columns another name that are adjusted to one.",
        instead(f"{TABLES}:_unique", _second_renamed),
    ),
    WrongProducer(
        "vitess-at-column-sent",
        "vitess.name.at-column",
        "It sends a column whose name begins with `@`.",
        returns(CHECK, None),
    ),
    WrongProducer(
        "vitess-lost-name-sent",
        "vitess.stop.at-column",
        "It goes on with `@` and a number as the name of a column whose name was lost.",
        returns(CHECK, None),
    ),
)

"""Lists and rules of the configuration: tables, columns, operations, DDL."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from harness.codecs.debezium.columns import TEXTS, ColumnType
from harness.codecs.debezium.mappers import ColumnRule, Mapper, Parameters
from harness.codecs.debezium.selection import expressions
from harness.codecs.debezium.tables import TableShape
from harness.codecs.debezium.topics import TableKey
from harness.mutants.producers.column_rules import EVERY_RULE, LAST_RULE
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, instead, patch, result, returns
from harness.mutants.producers.records import SCHEMA_CHANGE
from harness.mutants.producers.vitess.edits import by_default, one, valued, with_settings

SELECTION: Final = "harness.codecs.debezium.selection"
NAMED: Final = "harness.sources.vitess.simulator:Cluster._named"
SENDS: Final = "harness.sources.vitess.simulator:Cluster._sends"
MAPPERS: Final = "harness.codecs.debezium.mappers"
TABLES: Final = "harness.codecs.debezium.tables:TableShaper"
TASK: Final = "harness.codecs.debezium_vitess.task"
SKIPPED: Final = "skipped.operations"
TRUNCATE: Final = "column.truncate.to."
# Name of a row, a rule's beginning, its clause.
RULES: Final = (
    ("truncation", TRUNCATE, "vitess.column.truncate"),
    ("mask", "column.mask.with.", "vitess.column.mask"),
    ("hash", "column.mask.hash.", "vitess.column.hash"),
    ("second-hash", "column.mask.hash.v2.", "vitess.column.hash"),
)


def _without_rules(beginning: str, kept: int = 0) -> Patch:
    """Return the patch that ignores rules whose names begin so, but the first few."""

    def change(own: dict[str, Any]) -> None:
        for name in [name for name in own if name.startswith(beginning)][kept:]:
            del own[name]

    return with_settings(change)


def _of_one_length(own: dict[str, Any]) -> None:
    """Put the columns of all truncations under the first length."""
    names = [name for name in own if name.startswith(TRUNCATE)]
    listed = ",".join(own.pop(name) for name in names)
    own.update(dict.fromkeys(names[:1], listed))


def _sending(op: str) -> Patch:
    """Return the patch that takes one operation off the list of those that are skipped."""

    def change(own: dict[str, Any]) -> None:
        listed = str(own.get(SKIPPED, "")).split(",")
        if op in listed:
            own[SKIPPED] = ",".join(each for each in listed if each != op) or "none"

    return with_settings(change)


def _only_what_is_there(original: Callable[..., Any], cluster: Any) -> Any:  # noqa: ANN401 see patch
    """Ask by name even where the list names no table that is there."""
    found = original(cluster)
    listed = cluster._topology.listed  # noqa: SLF001 what the connector was given
    return frozenset() if found is None and listed is not None else found


def _searching(listed: str) -> Callable[[str], bool]:
    patterns = expressions(listed)
    return lambda name: any(pattern.search(name) for pattern in patterns)


def _exact(listed: str) -> Callable[[str], bool]:
    patterns = [re.compile(pattern.pattern) for pattern in expressions(listed)]
    return lambda name: any(pattern.fullmatch(name) for pattern in patterns)


def _folding(listed: str) -> Callable[[str], bool]:
    """Match letters of another case whatever their alphabet."""
    patterns = [re.compile(pattern.pattern, re.IGNORECASE) for pattern in expressions(listed)]
    return lambda name: any(pattern.fullmatch(name) for pattern in patterns)


def _by_the_first_point(_: object, table: str, shard: str) -> TableKey:
    """Take all that stands behind a keyspace for the table's name."""
    keyspace, _, name = table.partition(".")
    return TableKey(shard, keyspace, name)


def _listed_with_points(original: Callable[..., Any]) -> Callable[..., Any]:
    """Take a point for a part of a table's name where an include list leaves tables out."""

    def key(self: Any, *given: str) -> Any:  # noqa: ANN401 a method of any instance
        every = self.emitter.captured("", "")
        return original(self, *given) if every else _by_the_first_point(self, *given)

    return key


def _whole_bytes(value: str, length: int) -> str:
    return value.encode()[:length].decode(errors="ignore")


def _code_points(value: str, length: int) -> str:
    return value[:length]


def _of_numbers(mapper: Mapper) -> Mapper:
    """Return a truncation that leaves a number out that it would cut if it were a text."""

    def change(column: ColumnType) -> Callable[[Any], Any] | None:
        found = mapper.change(column)
        if found is None:
            return None
        return lambda value: None if isinstance(value, int) else found(value)

    return replace(mapper, change=change)


def _of_bytes(mapper: Mapper) -> Mapper:
    """Return a truncation that leaves bytes whole."""

    def change(column: ColumnType) -> Callable[[Any], Any] | None:
        found = mapper.change(column)
        return found and (lambda value: value if isinstance(value, bytes) else found(value))

    return replace(mapper, change=change)


def _null_kept(original: Callable[[int], Callable[[Any], Any]]) -> Callable[..., Any]:
    return lambda length: lambda value: None if value is None else original(length)(value)


def _null_hashed(original: Callable[..., Mapper]) -> Callable[..., Mapper]:
    def hashing(algorithm: str, salt: str, to_bytes: Callable[[str], bytes]) -> Mapper:
        mapper = original(algorithm, salt, to_bytes)

        def change(column: ColumnType) -> Callable[[Any], Any] | None:
            found = mapper.change(column)
            return found and (lambda value: found("" if value is None else value))

        return replace(mapper, change=change)

    return hashing


def _parameter_lost(name: str) -> Patch:
    """Return the patch that leaves out one of the parameters that propagation adds."""

    def change(found: Parameters) -> Parameters:
        return tuple(pair for pair in found if not pair[0].endswith(name))

    return result(f"{MAPPERS}:_propagated", change)


def _every_text(original: Callable[..., Mapper | None]) -> Callable[..., Mapper | None]:
    """Find the last rule for the texts that no rule matches."""

    def found(rules: tuple[ColumnRule, ...], key: TableKey, column: ColumnType) -> Mapper | None:
        rest = rules[-1].mapper if rules and column.jdbc in TEXTS else None
        return original(rules, key, column) or rest

    return found


def _in_keys_too(shape: TableShape) -> TableShape:
    """Give the fields of a key the schemas that they have in the row."""
    if shape.key_schema is None:
        return shape
    row = {field.name: field.schema for field in shape.envelope.fields[0].schema.fields}
    fields = (replace(one, schema=row.get(one.name, one.schema)) for one in shape.key_schema.fields)
    return replace(shape, key_schema=replace(shape.key_schema, fields=tuple(fields)))


def _unqualified(_: object, last: str) -> tuple[str, str]:
    return last, last


def _kept_by_key(original: Callable[..., Any]) -> Callable[..., Any]:
    """Compare nothing but the first column where updates without a change are to be left out."""
    del original

    def same(old: dict[str, Any], new: dict[str, Any]) -> bool:
        return [*old.values()][:1] == [*new.values()][:1]

    return same


def _whole_rows(original: Callable[..., None]) -> Callable[..., None]:
    """Compare the columns that are left out as well."""

    def change(self: Any, shape: TableShape, images: tuple[Any, Any], origin: Any) -> None:  # noqa: ANN401 a method
        asked = self.unchanged_skipped
        self.unchanged_skipped = asked and images[0] == images[1]
        original(self, shape, images, origin)
        self.unchanged_skipped = asked

    return change


ROWS: tuple[WrongProducer, ...] = (
    WrongProducer(
        "vitess-asks-for-all-tables",
        "vitess.filter.include-at-start",
        "It asks VTGate for all tables whatever the include list names, so later ones come.",
        returns(NAMED, None),
    ),
    WrongProducer(
        "vitess-asks-for-no-table",
        "vitess.filter.include-at-start",
        "It asks VTGate for no table where the include list names none of those that are there.",
        patch(NAMED, lambda original: partial(_only_what_is_there, original)),
    ),
    WrongProducer(
        "vitess-statements-of-databases-sent",
        "vitess.ddl.asked-for",
        "It sends the statement that changes a database, as it does those of tables.",
        patch(SENDS, lambda original: lambda cluster, job: not job.table or original(cluster, job)),
    ),
    WrongProducer(
        "vitess-statements-of-every-table-sent",
        "vitess.ddl.asked-for",
        "It sends statements about tables that VTGate was not asked for, too.",
        instead(SENDS, lambda _, job: bool(job.table)),
    ),
    *(
        WrongProducer(
            f"vitess-{name}-ignored",
            clause,
            f"It ignores rules that begin with `{beginning}`.",
            _without_rules(beginning),
        )
        for name, beginning, clause in RULES
    ),
    WrongProducer(
        "vitess-no-table-by-default",
        "vitess.filter.default-all",
        "It captures no table that no list names.",
        by_default(table_include_list="none"),
    ),
    WrongProducer(
        "vitess-one-table-by-default",
        "vitess.filter.default-all",
        "It captures the table `customers` alone where no list names any.",
        by_default(table_include_list=r".*\.customers"),
    ),
    WrongProducer(
        "vitess-lists-match-parts",
        "vitess.filter.anchored",
        "It takes a part of a name for a match of a list's expression.",
        instead(f"{SELECTION}:includes", _searching),
    ),
    WrongProducer(
        "vitess-lists-match-case",
        "vitess.filter.anchored",
        "It takes letters of another case for no match of a list's expression.",
        instead(f"{SELECTION}:includes", _exact),
    ),
    WrongProducer(
        "vitess-lists-fold-all-letters",
        "vitess.filter.anchored",
        "It takes letters beyond ASCII of another case for a match of a list's expression.",
        instead(f"{SELECTION}:includes", _folding),
    ),
    WrongProducer(
        "vitess-points-in-names-captured",
        "vitess.filter.point-in-name",
        "It captures a table with a point in its name.",
        instead(f"{TASK}:Task._key", _by_the_first_point),
        also="vitess.filter.default-all",
    ),
    WrongProducer(
        "vitess-points-in-listed-names-captured",
        "vitess.filter.point-in-name",
        "It captures a table with a point in its name where an include list names it.",
        patch(f"{TASK}:Task._key", _listed_with_points),
    ),
    WrongProducer(
        "vitess-truncation-to-bytes",
        "vitess.column.truncate",
        "It cuts texts to bytes of UTF-8.",
        instead(f"{MAPPERS}:shortened", _whole_bytes),
    ),
    WrongProducer(
        "vitess-truncation-to-code-points",
        "vitess.column.truncate",
        "It cuts texts to code points.",
        instead(f"{MAPPERS}:shortened", _code_points),
    ),
    WrongProducer(
        "vitess-truncation-of-numbers",
        "vitess.column.truncate",
        "It leaves numbers out of columns whose texts are cut.",
        result(f"{MAPPERS}:_truncation", _of_numbers),
    ),
    WrongProducer(
        "vitess-truncation-spares-bytes",
        "vitess.column.truncate",
        "It leaves bytes whole in columns that are cut.",
        result(f"{MAPPERS}:_truncation", _of_bytes),
    ),
    WrongProducer(
        "vitess-one-truncation",
        "vitess.column.truncate-several",
        "It cuts texts to the first length of several alone.",
        _without_rules(TRUNCATE, 1),
    ),
    WrongProducer(
        "vitess-truncation-to-one-length",
        "vitess.column.truncate-several",
        "It cuts the texts of all listed columns to the first length of several.",
        with_settings(_of_one_length),
    ),
    WrongProducer(
        "vitess-mask-keeps-null",
        "vitess.column.mask",
        "It leaves NULL where a text is masked.",
        patch(f"{MAPPERS}:_starred", _null_kept),
    ),
    WrongProducer(
        "vitess-mask-one-longer",
        "vitess.column.mask",
        "It masks a text with one asterisk too many.",
        patch(f"{MAPPERS}:_starred", lambda original: lambda length: original(length + 1)),
    ),
    WrongProducer(
        "vitess-rules-turned-round",
        "vitess.column.first-rule",
        "It takes the last rule that matches a column.",
        LAST_RULE,
    ),
    WrongProducer(
        "vitess-every-rule-counts",
        "vitess.column.first-rule",
        "It does to a text what each rule says that matches its column.",
        EVERY_RULE,
    ),
    WrongProducer(
        "vitess-hash-of-every-text",
        "vitess.column.hash",
        "It hashes texts too that no rule matches.",
        patch(f"{MAPPERS}:mapper_for", _every_text),
    ),
    WrongProducer(
        "vitess-hash-of-null",
        "vitess.column.hash",
        "It hashes NULL like the empty text.",
        patch(f"{MAPPERS}:_hashing", _null_hashed),
    ),
    WrongProducer(
        "vitess-hash-without-salt",
        "vitess.column.hash",
        "It hashes a text without the salt.",
        patch(
            f"{MAPPERS}:_hashing",
            lambda original: lambda algorithm, _, to_bytes: original(algorithm, "", to_bytes),
        ),
    ),
    *(
        WrongProducer(
            f"vitess-propagates-no-{name}",
            "vitess.column.propagate",
            f"It propagates a column's source type without its {name}.",
            _parameter_lost(name),
            also="vitess.datatype.propagate",
        )
        for name in ("type", "length", "name")
    ),
    WrongProducer(
        "vitess-propagates-to-keys",
        "vitess.column.propagate",
        "It adds a column's source type to its field in the key, too.",
        result(f"{TABLES}.shape", _in_keys_too),
        also="vitess.datatype.propagate",
    ),
    WrongProducer(
        "vitess-propagates-no-type-of-a-kind",
        "vitess.datatype.propagate",
        "It looks for a bare type's name where lists name keyspace and table, too.",
        instead(f"{MAPPERS}:_names", _unqualified),
    ),
    *(
        WrongProducer(
            f"vitess-sends-{op}-although-skipped",
            "vitess.skipped.operations",
            f"It sends the operation `{op}` although it is to be skipped.",
            _sending(op),
        )
        for op in "cud"
    ),
    *(
        WrongProducer(
            f"vitess-skips-{op}-by-default",
            "vitess.skipped.default",
            f"It skips the operation `{op}` by default.",
            by_default(skipped_operations=op),
        )
        for op in "cud"
    ),
    WrongProducer(
        "vitess-changes-of-one-column-seen",
        "vitess.skipped.without-change",
        "It takes an update for none that leaves the first column as it was.",
        patch("harness.codecs.debezium.emitter:_same", _kept_by_key),
    ),
    WrongProducer(
        "vitess-changes-of-columns-left-out-seen",
        "vitess.skipped.without-change",
        "It sends an update that changes a column alone that is left out.",
        patch("harness.codecs.debezium.emitter:RecordEmitter.change", _whole_rows),
    ),
    WrongProducer(
        "vitess-ddl-by-default",
        "vitess.ddl.none",
        "It sends DDL by default.",
        by_default(include_schema_changes=True),
    ),
    WrongProducer(
        "vitess-ddl-elsewhere",
        "vitess.ddl.schema-change",
        "It sends DDL to a topic of its own.",
        one(SCHEMA_CHANGE, lambda record: replace(record, topic=f"{record.topic}.ddl")),
    ),
    WrongProducer(
        "vitess-ddl-without-statement",
        "vitess.ddl.schema-change",
        "It sends DDL without the statement.",
        valued(SCHEMA_CHANGE, "ddl", lambda _: ""),
    ),
)

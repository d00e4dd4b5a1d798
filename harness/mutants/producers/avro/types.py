"""Types: what a column's field says of it, kind by kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from harness.codecs.avro.types import AvroType
from harness.codecs.ticdc.settings import BIGINT, DECIMAL
from harness.model.columns import CHARACTERS, INTEGERS, Column, ColumnKind
from harness.mutants.producers.avro.edits import TYPE, Which, settings, type_texts, types, values
from harness.mutants.producers.mutant import WrongProducer
from harness.mutants.producers.patch import Patch, constant, entry, patch

# What stands in an Avro type's place, of the same bytes where there is such a one.
OTHER = {"int": "long", "long": "double", "string": "bytes", "bytes": "string"}
Parameters = tuple[tuple[str, str], ...]
_WITH_MEMBERS = ((ColumnKind.ENUM, "an ENUM"), (ColumnKind.SET, "a SET"))
_MEMBERED = {kind.value for kind, _ in _WITH_MEMBERS}
FLOATS = ("float", "double")
# The greatest number that an Avro float has.
_MAX = (2 - 2**-23) * 2.0**127
_PARAMETERS = re.compile(r',"connect.parameters":\{[^}]*\}')
_LOGICAL = re.compile(r',("logicalType":"decimal","precision":(\d+),"scale":(\d+))')


def of(kind: ColumnKind, *, unsigned: bool | None = None) -> Which:
    """Return a test for columns of a kind, and of a sign where one is asked for."""
    return lambda column: column.kind is kind and unsigned in {None, column.unsigned}


def _clause(kind: ColumnKind, *, unsigned: bool) -> str:
    if kind is ColumnKind.INT and unsigned:
        return "avro.type.int.unsigned"
    if kind is ColumnKind.BIGINT and unsigned:
        return "avro.type.bigint.unsigned-long"
    return f"avro.type.{kind.value}"


def _kinds() -> Iterator[tuple[str, str, Which]]:
    """Yield name, clause and test of each kind, unsigned integers apart."""
    for kind in ColumnKind:
        signs = (False, True) if kind in INTEGERS else (None,)
        for unsigned in signs:
            name = f"unsigned-{kind.value}" if unsigned else kind.value
            yield name, _clause(kind, unsigned=bool(unsigned)), of(kind, unsigned=unsigned)


def _other(found: AvroType) -> AvroType:
    return replace(found, name=OTHER.get(found.name, found.name), decimal=None)


def _another_name(found: AvroType) -> AvroType:
    plain = found.tidb_type.removesuffix(" UNSIGNED")
    return replace(found, tidb_type=plain if plain != found.tidb_type else plain.lower())


def _of_each_kind() -> Iterator[WrongProducer]:
    for name, clause, which in _kinds():
        yield WrongProducer(
            f"avro-{name}-has-another-name",
            clause,
            "It leaves ` UNSIGNED` out of the column's `tidb_type`."
            if name.startswith("unsigned-")
            else "It writes the column's `tidb_type` in small letters.",
            types(which, _another_name),
            also="avro.column.enum-or-set" if name in _MEMBERED else "",
        )
        if name not in FLOATS:
            yield WrongProducer(
                f"avro-{name}-is-another-avro-type",
                clause,
                "It declares another Avro type for the column's values.",
                types(which, _other),
            )
    yield WrongProducer(
        "avro-double-is-a-float",
        "avro.type.double",
        "It declares and writes DOUBLE as an Avro float.",
        replace(
            types(of(ColumnKind.DOUBLE), lambda found: replace(found, name="float")),
            then=values(of(ColumnKind.DOUBLE), lambda number: min(max(number, -_MAX), _MAX)),
        ),
    )
    yield WrongProducer(
        "avro-float-is-a-double",
        "avro.type.float",
        "It declares and writes FLOAT as an Avro double.",
        types(of(ColumnKind.FLOAT), lambda found: replace(found, name="double")),
    )


def _own_name(original: Callable[..., AvroType]) -> Callable[..., AvroType]:
    """Return what names each kind of integer by itself."""

    def named(column: Column, *rest: object) -> AvroType:
        found = original(column, *rest)
        return replace(found, tidb_type=column.kind.name)

    return named


def _texts_by_name(original: Callable[..., AvroType]) -> Callable[..., AvroType]:
    """Return what names each kind of text by itself."""

    def named(column: Column, *rest: object) -> AvroType:
        found = original(column, *rest)
        return replace(found, tidb_type=column.kind.name) if column.kind in CHARACTERS else found

    return named


def _unsigned(kind: ColumnKind) -> Patch:
    """Return the patch that marks the unsigned columns of a kind."""
    return types(
        of(kind, unsigned=True),
        lambda found: replace(found, tidb_type=f"{found.tidb_type} UNSIGNED"),
    )


def _parameters(kind: ColumnKind, change: Callable[[Parameters], Parameters]) -> Patch:
    return types(of(kind), lambda found: replace(found, parameters=change(found.parameters)))


def _by_semicolons(found: Parameters) -> Parameters:
    return (("allowed", re.sub(r"(?<!\\),", ";", found[0][1])),)


def _logical(form: str) -> Patch:
    return type_texts(lambda _, text: _LOGICAL.sub(form, text))


def _first(_: AvroType, text: str) -> str:
    """Return a type whose logical type stands before its parameters."""
    found = _LOGICAL.search(text)
    if found is None:
        return text
    return text.replace(found[0], "").replace('"bytes",', f'"bytes",{found[1]},', 1)


def _parameters_first(of: AvroType, text: str) -> str:
    head = f'"type":"{of.name}",'
    return "{" + text.removeprefix("{" + head).removesuffix("}") + "," + head[:-1] + "}"


ROWS: tuple[WrongProducer, ...] = (
    *_of_each_kind(),
    WrongProducer(
        "avro-old-float-is-a-float",
        "avro.type.float.double",
        "It declares FLOAT as an Avro float before 6.5.2.",
        types(of(ColumnKind.FLOAT), lambda found: replace(found, name="float")),
    ),
    WrongProducer(
        "avro-old-float-has-another-name",
        "avro.type.float.double",
        "It calls FLOAT `DOUBLE` before 6.5.2, as its Avro type is.",
        types(of(ColumnKind.FLOAT), lambda found: replace(found, tidb_type="DOUBLE")),
    ),
    *(
        WrongProducer(
            f"avro-{kind.value}-is-text-by-default",
            clause,
            f"It takes string for the default of `{setting}`.",
            entry("harness.codecs.avro.settings:MODES", setting, lambda modes: modes[::-1]),
        )
        for kind, clause, setting in (
            (ColumnKind.BIGINT, "avro.type.bigint.unsigned-long", BIGINT),
            (ColumnKind.DECIMAL, "avro.type.decimal", DECIMAL),
        )
    ),
    WrongProducer(
        "avro-unsigned-bigint-never-text",
        "avro.type.bigint.unsigned-string",
        "It ignores `avro-bigint-unsigned-handling-mode=string`.",
        settings(bigint_string=False, checksum=False),
    ),
    WrongProducer(
        "avro-decimal-never-text",
        "avro.type.decimal.string",
        "It ignores `avro-decimal-handling-mode=string`.",
        settings(decimal_string=False, checksum=False),
    ),
    WrongProducer(
        "avro-type-without-parameters",
        "avro.column.block",
        "It writes a column's type as the bare name of the Avro type.",
        type_texts(lambda of, _: f'"{of.name}"'),
    ),
    WrongProducer(
        "avro-type-object-without-parameters",
        "avro.column.block",
        "It leaves `connect.parameters` out of a column's type.",
        type_texts(lambda _, text: _PARAMETERS.sub("", text)),
    ),
    WrongProducer(
        "avro-tidb-type-under-another-name",
        "avro.column.block",
        "It names the type in TiDB under `name`.",
        type_texts(lambda _, text: text.replace('"tidb_type":', '"name":')),
    ),
    WrongProducer(
        "avro-parameters-before-the-type",
        "avro.column.key-order",
        "It writes `connect.parameters` before `type`.",
        type_texts(_parameters_first),
    ),
    WrongProducer(
        "avro-each-integer-by-its-own-name",
        "avro.column.tidb-type",
        "It gives each kind of integer a `tidb_type` of its own.",
        patch("harness.codecs.avro.types:_integer", _own_name),
    ),
    WrongProducer(
        "avro-char-is-not-text",
        "avro.column.tidb-type",
        "It calls texts by the names of their kinds.",
        patch(TYPE, _texts_by_name),
    ),
    WrongProducer(
        "avro-integers-without-unsigned",
        "avro.column.tidb-type.unsigned",
        "It leaves ` UNSIGNED` out of `tidb_type`.",
        types(
            lambda column: column.unsigned,
            lambda found: replace(found, tidb_type=found.tidb_type.removesuffix(" UNSIGNED")),
        ),
    ),
    WrongProducer(
        "avro-bit-without-length",
        "avro.column.bit-length",
        "It leaves the length of a BIT out.",
        _parameters(ColumnKind.BIT, lambda _: ()),
    ),
    WrongProducer(
        "avro-bit-length-in-bytes",
        "avro.column.bit-length",
        "It gives the length of a BIT in bytes.",
        _parameters(ColumnKind.BIT, lambda found: (("length", str((int(found[0][1]) + 7) // 8)),)),
    ),
    WrongProducer(
        "avro-bit-length-as-a-number",
        "avro.column.bit-length",
        "It gives the length of a BIT as a number.",
        type_texts(lambda _, text: re.sub(r'"length":"(\d+)"', r'"length":\1', text)),
    ),
    *(
        WrongProducer(
            f"avro-{kind.value}-without-members",
            "avro.column.allowed",
            f"It leaves the members of {words} out.",
            _parameters(kind, lambda _: ()),
        )
        for kind, words in _WITH_MEMBERS
    ),
    *(
        WrongProducer(
            f"avro-{kind.value}-joined-by-semicolons",
            "avro.column.allowed",
            f"It joins the members of {words} by semicolons.",
            _parameters(kind, _by_semicolons),
        )
        for kind, words in _WITH_MEMBERS
    ),
    *(
        WrongProducer(
            f"avro-{kind.value}-members-under-another-name",
            "avro.column.allowed",
            f"It has the members of {words} under `members`.",
            _parameters(kind, lambda found: (("members", found[0][1]),)),
        )
        for kind, words in _WITH_MEMBERS
    ),
    WrongProducer(
        "avro-member-with-a-bare-comma",
        "avro.column.allowed.commas",
        "It writes a comma within a member as it is.",
        _parameters(ColumnKind.ENUM, lambda found: (("allowed", found[0][1].replace("\\,", ",")),)),
    ),
    WrongProducer(
        "avro-enum-and-set-are-one",
        "avro.column.enum-or-set",
        "It calls ENUM and SET `ENUM/SET`, as the document's sample does.",
        types(
            lambda column: column.kind in {ColumnKind.ENUM, ColumnKind.SET},
            lambda found: replace(found, tidb_type="ENUM/SET"),
        ),
    ),
    WrongProducer(
        "avro-decimal-without-logical-type",
        "avro.column.decimal-logical",
        "It leaves the logical type of a precise DECIMAL out.",
        _logical(""),
        also="avro.type.decimal",
    ),
    WrongProducer(
        "avro-decimal-turned-round",
        "avro.column.decimal-logical",
        "It puts the precision of a DECIMAL in the place of its scale.",
        _logical(r',"logicalType":"decimal","precision":\3,"scale":\2'),
    ),
    WrongProducer(
        "avro-decimal-logical-type-first",
        "avro.column.decimal-logical",
        "It writes a DECIMAL's logical type before `connect.parameters`.",
        type_texts(_first),
    ),
    *(
        WrongProducer(
            f"avro-unsigned-{kind.value}-is-marked",
            "avro.column.tidb-type.unsigned",
            f"It marks unsigned {kind.name} as well.",
            _unsigned(kind),
        )
        for kind in (ColumnKind.FLOAT, ColumnKind.DOUBLE, ColumnKind.DECIMAL)
    ),
    WrongProducer(
        "avro-old-vectors",
        "avro.type.vector-unknown",
        "It writes a VECTOR before 8.4.0.",
        constant("harness.codecs.avro.dialect:V6.vectors", value=True),
    ),
)

"""A document's type says what it may hold: its JSON Schema, its reader and its page follow from it.

A type is a frozen `msgspec.Struct`. The schema finds every problem at once, each with its place;
msgspec then builds the value. Numbers with a point are `decimal.Decimal` until a field says
`float`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from jsonschema_rs import Draft202012Validator

from harness.documents.explain import explain
from harness.documents.yaml_file import BYTES_MAX, YamlFile, read
from harness.errors import Location, Problem, ScenarioError, next_step

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Document = TypeVar("Document")
_OF_THE_TYPE = frozenset({"title", "description"})  # a field has words of its own
_STEP = re.compile(r"\.([^.\[\]`]+)|\[(\d+)\]")


def key(title: str, meaning: str = "", **rules: object) -> msgspec.Meta:
    """Return what a field's schema says besides its type.

    `title` is the noun of messages ("a name"), `meaning` a sentence for the reference page, `rules`
    are keywords of JSON Schema, such as `pattern`.
    """
    return msgspec.Meta(title=title, description=meaning or None, extra_json_schema=rules or None)


def about(meaning: str, **rules: object) -> msgspec.Meta:
    """Return the same for a field of a document that programs write: messages need no noun."""
    return msgspec.Meta(description=meaning, extra_json_schema=rules or None)


@cache
def schema(kind: Any) -> Mapping[str, Any]:  # noqa: ANN401 - a type
    """Return the JSON Schema of a type, without references.

    Its description is the docstring of a struct; `schema_keywords` of the type lie over the rest.
    """
    (top,), parts = msgspec.json.schema_components((kind,), schema_hook=_hook)
    whole = dict(_inlined(top, parts))
    if kind.__name__ in parts:
        whole["description"] = " ".join(parts[kind.__name__]["description"].split())
    return {"$schema": DIALECT, **whole, **getattr(kind, "schema_keywords", {})}


@cache
def validator(kind: Any) -> Draft202012Validator:  # noqa: ANN401 - likewise
    """Return the compiled validator of a type's schema."""
    return Draft202012Validator(dict(schema(kind)))


def typed(kind: type[Document], data: object) -> Document:
    """Return plain data as a value of a type; raises msgspec.ValidationError.

    A class of its own for a field is called with the data.
    """
    return msgspec.convert(data, kind, dec_hook=_build)


def problems(file: YamlFile, kind: Any) -> tuple[Problem, ...]:  # noqa: ANN401 - likewise
    """Return what a type's schema refuses in a file, in the order of the file."""
    errors = list(validator(kind).iter_errors(file.data))
    return tuple(dict.fromkeys(sorted(each for _, each in explain(file, schema(kind), errors))))


def read_yaml(path: Path, shown: str, kind: type[Document]) -> tuple[YamlFile, Document]:
    """Return a YAML file with its positions, and as a value of a type.

    Raises ScenarioError with every problem of the file, which messages call `shown`.
    """
    file = read(_text(path, shown), shown)
    return file, checked(file, kind)


def checked(file: YamlFile, kind: type[Document]) -> Document:
    """Return a parsed file as a value of a type; ScenarioError with every problem."""
    found = problems(file, kind)
    if found:
        raise ScenarioError(found)
    try:
        return typed(kind, file.data)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$")
        steps = [int(number) if number else key for key, number in _STEP.findall(where)]
        raise ScenarioError(
            (
                Problem(
                    file.place(tuple(steps)),
                    what,
                    f"what the reference page of {kind.__name__} says",
                ),
            )
        ) from None


def _hook(kind: type[Any]) -> dict[str, Any]:
    """Return what a class of its own for a field says of its JSON."""
    return dict(kind.schema_keywords)


def _build(kind: type[Any], data: object) -> object:
    return kind(data)


def _inlined(node: Mapping[str, Any], parts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema with each reference replaced, and each choice of plain types as one."""
    plain = dict(node)
    reference = plain.pop("$ref", None)
    if reference is not None:
        part = parts[str(reference).rpartition("/")[2]]
        plain = {**{name: one for name, one in part.items() if name not in _OF_THE_TYPE}, **plain}
    for name in ("items", "additionalProperties", "propertyNames"):
        if isinstance(plain.get(name), dict):
            plain[name] = _inlined(plain[name], parts)
    for name in ("anyOf", "prefixItems"):
        if name in plain:
            plain[name] = [_inlined(each, parts) for each in plain[name]]
    if "properties" in plain:
        strict = plain.get("additionalProperties") is False
        fields = {name: _inlined(one, parts) for name, one in plain["properties"].items()}
        plain["properties"] = {name: _field(one, strict) for name, one in fields.items()}
    return _merged(plain) if "anyOf" in plain else plain


def _field(node: Mapping[str, Any], strict: bool) -> Mapping[str, Any]:  # noqa: FBT001
    """Return the schema of a key, with its default if that says something.

    Where None means absent, null is refused by a document that takes no unknown keys.
    """
    plain = dict(node)
    default = plain.pop("default", ...)
    if default is None and strict:
        (plain["type"],) = [one for one in plain["type"] if one != "null"]
    shown = isinstance(default, bool | int | float) or (isinstance(default, str) and default)
    return {**plain, "default": default} if shown else plain


def _merged(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a choice of types, of which at most one has rules, as a single schema."""
    rest = dict(node)
    choices: Sequence[Mapping[str, Any]] = rest.pop("anyOf")
    merged: dict[str, Any] = {name: rule for one in choices for name, rule in one.items()}
    if "enum" in merged:
        merged["enum"] = [*merged["enum"], None]
        del merged["type"]
        return {**merged, **rest}
    types: list[str] = []
    for one in choices:
        named: str | list[str] = one["type"]
        types += [named] if isinstance(named, str) else named
    merged["type"] = types
    return {**merged, **rest}


def _text(path: Path, shown: str) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(BYTES_MAX + 1)
    except OSError as error:
        problem = Problem(
            Location(shown), f"cannot read the file: {error.strerror}", hint=next_step(error)
        )
        raise ScenarioError((problem,)) from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        what = f"the byte 0x{content[error.start]:02x} is not UTF-8"
        problem = Problem(Location(shown, line), what, hint="save the file as UTF-8")
        raise ScenarioError((problem,)) from None
    if len(content) > BYTES_MAX:
        what = f"the file has more than {BYTES_MAX} bytes"
        problem = Problem(Location(shown), what, f"at most {BYTES_MAX}", "make several files")
        raise ScenarioError((problem,))
    return text

"""From a JSON Schema validator's errors to sentences about the file.

A table maps each kind of error to its sentence. `oneOf` is answered for the branch whose own key
the person wrote, because that is the one that was meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from harness.documents.nearest import did_you_mean, nearest, one_of
from harness.documents.yaml_file import Path, YamlFile
from harness.errors import HarnessBug, Problem

_NOUNS = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
_OLD_BOOLEANS = frozenset({"yes", "no", "on", "off", "y", "n"})
_SHOWN_MAX = 60
_CHOICES_MAX = 12
# More keys than these are no help in a sentence.
_KEYS_MAX = 24


class _Error(Protocol):
    """What is used of a validator's error; its kind carries other details for each class."""

    @property
    def kind(self) -> Any: ...  # noqa: ANN401

    @property
    def instance_path(self) -> Sequence[str | int]: ...

    @property
    def schema_path(self) -> Sequence[str | int]: ...


@dataclass(frozen=True, slots=True)
class _Broken:
    """One error of the validator, reduced to what a sentence needs."""

    source: YamlFile
    grammar: Mapping[str, Any]
    kind: str
    details: Any
    path: Path
    schema_path: Path

    @property
    def instance(self) -> Any:  # noqa: ANN401 - whatever the file says
        """Return the data that breaks the grammar."""
        return self.source.value(self.path)

    @property
    def schema(self) -> Mapping[str, Any]:
        """Return the schema that states the broken rule."""
        return _schema_at(self.grammar, self.schema_path[:-1])

    def problem(self, what: str, expected: str = "", hint: str = "") -> tuple[Path, Problem]:
        """Return the problem at the instance's own place."""
        return self.path, Problem(self.source.place(self.path), what, expected, hint)


_Found = Iterator[tuple[Path, Problem]]


def explain(source: YamlFile, grammar: Mapping[str, Any], errors: Iterable[_Error]) -> _Found:
    """Yield a problem for each error of the validator that is not the shadow of another."""
    broken = [_broken(source, grammar, error) for error in errors]
    for each in _without_shadows(broken):
        yield from _SENTENCES.get(each.kind, _unknown_kind)(each)


def _broken(source: YamlFile, grammar: Mapping[str, Any], error: _Error) -> _Broken:
    path, schema_path = _path(source.data, error.instance_path), tuple(error.schema_path)
    return _Broken(source, grammar, type(error.kind).__name__, error.kind, path, schema_path)


def _path(data: Any, parts: Iterable[str | int]) -> Path:  # noqa: ANN401 - whatever the file says
    """Return a path as the data has it: the validator gives the key `05` as the number 5."""
    found: list[str | int] = []
    for part in parts:
        found.append(_key(data, part))
        data = data[found[-1]]
    return tuple(found)


def _key(data: Any, part: str | int) -> str | int:  # noqa: ANN401 - whatever the file says
    keys: Iterable[Any] = data
    if isinstance(data, list) or part in keys:
        return part
    digits = [key for key in map(str, keys) if key.lstrip("+").isdecimal() and int(key) == part]
    return min(digits, key=str(part).__ne__, default=part)


def _without_shadows(broken: Sequence[_Broken]) -> Iterator[_Broken]:
    """Leave out what only follows from another mistake.

    A value of the wrong type breaks every other rule too; an unknown key leaves its mapping without
    the key that was meant.
    """
    ill_typed = {each.path for each in broken if each.kind == "Type"}
    misspelt = {each.path for each in broken if each.kind == "AdditionalProperties"}
    meant = {
        (*each.path, nearest(key, each.schema.get("properties", ())))
        for each in broken
        if each.kind == "AdditionalProperties"
        for key in each.details.unexpected
    }
    for each in broken:
        shadow = (
            (each.kind != "Type" and each.path in ill_typed)
            or (each.kind.startswith("OneOf") and each.path in misspelt)
            or (each.kind == "Required" and (*each.path, each.details.property) in meant)
        )
        if not shadow:
            yield each


def _schema_at(grammar: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    schema: Any = grammar
    for part in path:
        schema = schema[part]
    return _followed(grammar, schema)


def _followed(grammar: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema behind a `$ref`, with what stands beside the reference laid over it."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**_schema_at(grammar, tuple(reference.removeprefix("#/").split("/"))), **beside}


def name_of(path: Path) -> str:
    """Return a path as a person writes it: `upstream[2].transaction.name`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def shown(value: object) -> str:
    """Return a value with its type, short enough for a sentence: "the text `x`", "a list"."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, int | Decimal):
        return f"the number {value}"
    if isinstance(value, str):
        short = value if len(value) <= _SHOWN_MAX else value[:_SHOWN_MAX] + "…"
        short = short.replace("\n", "\\n")
        return f"the text `{short}`" if short else "an empty text"
    return "a mapping" if isinstance(value, Mapping) else "a list"


def _subject(broken: _Broken) -> str:
    return f"`{name_of(broken.path)}`" if broken.path else "the file"


def _noun(broken: _Broken) -> str:
    """Return what the grammar wants here, by its title."""
    schema = broken.schema
    return str(schema.get("title") or _noun_of_type(schema.get("type", ())))


def _noun_of_type(types: str | Sequence[str]) -> str:
    return " or ".join(_NOUNS[name] for name in ([types] if isinstance(types, str) else types))


def _unknown_key(broken: _Broken) -> _Found:
    known = tuple(broken.schema.get("properties", ()))
    inside = f" in `{name_of(broken.path)}`" if broken.path else ""
    for key in broken.details.unexpected:
        hint = did_you_mean(key, (k for k in known if k not in broken.instance))
        if key == "<<":
            hint = "YAML 1.2 has no merge keys; write the keys out"
        place = broken.source.place_of_key((*broken.path, key))
        what = f"unknown key `{key}`{inside}"
        expected = _noun(broken) if hint and len(known) > _KEYS_MAX else one_of(known)
        yield (*broken.path, key), Problem(place, what, expected, hint)


def _missing_key(broken: _Broken) -> _Found:
    key = broken.details.property
    place = broken.source.place(broken.path)
    inside = f" in `{name_of(broken.path)}`" if broken.path else ""
    schema = _followed(broken.grammar, broken.schema["properties"][key])
    expected = f"`{key}`: {schema['title']}"
    yield (*broken.path, key), Problem(place, f"the key `{key}` is missing{inside}", expected)


def _wrong_type(broken: _Broken) -> _Found:
    hint = ""
    instance = broken.instance
    if instance is None and broken.path:
        hint = "write the value behind the colon, or remove the key"
        if isinstance(broken.path[-1], int):
            hint = "write the item behind the dash, or remove the dash"
    if isinstance(instance, str) and instance.lower() in _OLD_BOOLEANS:
        hint = "YAML 1.2 spells it true or false"
    wants = broken.schema.get("type", ())
    if isinstance(instance, bool | int | Decimal) and "string" in wants:
        hint = "put it in quotes"
    options = [_spelled(option) for option in broken.schema.get("enum", ())]
    expected = one_of(options) if 0 < len(options) <= _CHOICES_MAX else _noun(broken)
    hint = did_you_mean(str(instance), options) or hint
    yield broken.problem(f"{_subject(broken)} is {shown(instance)}", expected, hint)


def _not_a_choice(broken: _Broken) -> _Found:
    options = [_spelled(option) for option in broken.details.options]
    hint = did_you_mean(str(broken.instance), options)
    expected = _noun(broken) if hint and len(options) > _CHOICES_MAX else one_of(options)
    yield broken.problem(f"{_subject(broken)} is {shown(broken.instance)}", expected, hint)


def _spelled(option: object) -> str:
    return str(option).lower() if isinstance(option, bool) else str(option)


def _out_of_bounds(broken: _Broken) -> _Found:
    yield broken.problem(f"{_subject(broken)} is {shown(broken.instance)}", _noun(broken))


def _too_few(broken: _Broken) -> _Found:
    if broken.kind == "MinProperties" and broken.instance:
        names = ", ".join(f"`{name}`" for name in broken.instance)
        yield broken.problem(f"{_subject(broken)} has {names} alone", _noun(broken))
        return
    if broken.instance:
        what = f"{_subject(broken)} is one alone"
        yield broken.problem(what, f"{_noun(broken)}, at least {broken.schema['minItems']}")
        return
    hint = "write at least one, or remove the key"
    yield broken.problem(f"{_subject(broken)} is empty", _noun(broken), hint)


def _listed_twice(broken: _Broken) -> _Found:
    seen: list[Any] = []
    for position, item in enumerate(broken.instance):
        if item in seen:
            path = (*broken.path, position)
            what = f"{_subject(broken)} lists {shown(item)} twice"
            yield path, Problem(broken.source.place(path), what, "each item once")
        seen.append(item)


def _bad_name(broken: _Broken) -> _Found:
    """Judge the keys of a mapping whose names the person chooses."""
    key = str(broken.details.error.instance)
    path = (*broken.path, key)
    what = f"the name `{key}` in `{name_of(broken.path)}` does not fit"
    yield path, Problem(broken.source.place_of_key(path), what, _noun(broken))


def _no_branch(broken: _Broken) -> _Found:
    """Answer for the branch that was meant: the only one whose required keys are all there."""
    branches = [_followed(broken.grammar, branch) for branch in broken.schema["oneOf"]]
    owned = [tuple(branch["required"]) for branch in branches]
    choices = [keys[0] for keys in owned]
    there = [i for i, keys in enumerate(owned) if keys[0] in broken.instance]
    if len(there) == 1:
        yield from explain(broken.source, broken.grammar, broken.details.context[there[0]])
    elif there:
        keys = " and ".join(f"`{choices[i]}`" for i in there)
        yield broken.problem(f"{_subject(broken)} has {keys}", f"exactly {one_of(choices)}")
    else:
        yield from _no_choice(broken, choices)


def _no_choice(broken: _Broken, choices: Sequence[str]) -> _Found:
    for key in broken.instance:
        hint = did_you_mean(key, choices)
        if hint:
            path = (*broken.path, key)
            place = broken.source.place_of_key(path)
            what = f"unknown key `{key}` in `{name_of(broken.path)}`"
            yield path, Problem(place, what, one_of(choices), hint)
            return
    keys = ", ".join(f"`{choice}`" for choice in choices)
    named = keys if len(choices) <= _KEYS_MAX else f"the {len(choices)} keys that say what it is"
    yield broken.problem(f"{_subject(broken)} has none of {named}", f"exactly {one_of(choices)}")


def _unknown_kind(broken: _Broken) -> _Found:
    raise HarnessBug(f"the grammar's keyword {broken.schema_path[-1]!r} has no sentence yet")


_SENTENCES: Mapping[str, Callable[[_Broken], _Found]] = {
    "AdditionalProperties": _unknown_key,
    "Required": _missing_key,
    "Type": _wrong_type,
    "Enum": _not_a_choice,
    "Pattern": _out_of_bounds,
    "Minimum": _out_of_bounds,
    "Maximum": _out_of_bounds,
    "ExclusiveMinimum": _out_of_bounds,
    "MinLength": _out_of_bounds,
    "MaxLength": _out_of_bounds,
    "MinItems": _too_few,
    "MinProperties": _too_few,
    "UniqueItems": _listed_twice,
    "PropertyNames": _bad_name,
    "OneOfNotValid": _no_branch,
    "OneOfMultipleValid": _no_branch,
}

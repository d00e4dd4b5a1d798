"""A whole changefeed file: its tree read against the table of keys, and proved to be one.

`read_config` takes the tree that a TOML parser makes; `read_toml` takes the text and says line and
column of what is wrong, all of it at once.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, cast

from harness.documents import PlainObject
from harness.documents.toml_file import parse
from harness.errors import Location, Problem, ScenarioError
from harness.model.settings import Settings, SettingValue
from harness.sources.tidb.changefeed import Changefeed, changefeed
from harness.sources.tidb.config_keys import KEYS, PROTOCOLS, RULE_KEYS, Form, Key
from harness.sources.tidb.refusal import ChangefeedError, ConfigPath, dotted, unknown
from harness.sources.tidb.toml_positions import Place, places

UNKNOWN = "ErrStrictDecodeFile"


@dataclass(frozen=True, slots=True)
class ChangefeedConfig:
    """What a changefeed file says.

    `settings` holds what shows on the wire, under the names that scenarios use; `protocol` is open
    or avro, empty when the file does not say; `ignored` lists the keys that cannot show there.
    """

    settings: Settings
    protocol: str = ""
    ignored: tuple[str, ...] = ()

    def feed(self, partitions: int, protocol: str = "open") -> Changefeed:
        """Return filters and routing of the changefeed, over topics of so many partitions."""
        return changefeed(self.settings, partitions, self.protocol or protocol)


def read_toml(
    text: str, file: str = "changefeed.toml", dialect: str = "current"
) -> ChangefeedConfig:
    """Read the text of a changefeed file as the TiCDC of a dialect does.

    Raises ScenarioError with the place of every mistake.
    """
    try:
        tree = parse(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(text, file, str(error)) from error
    found = list(mistakes(tree, dialect))
    if not found:
        return read_config(tree, dialect)
    known = places(text)
    raise ScenarioError(tuple(sorted(_problem(mistake, file, known) for mistake in found)))


def read_config(tree: Settings, dialect: str = "current") -> ChangefeedConfig:
    """Read the tree of a changefeed file; ChangefeedError for the first mistake."""
    for mistake in mistakes(tree, dialect):
        raise mistake
    settings: dict[str, SettingValue] = {}
    ignored: list[str] = []
    protocol = ""
    for name, _, value in _flat(tree):
        key = KEYS[name]
        if name == "sink.protocol":
            protocol = PROTOCOLS[str(value).lower()]
        elif key.wire:
            settings[name] = value
        else:
            ignored.append(name)
    return ChangefeedConfig(MappingProxyType(by_uri(settings)), protocol, tuple(ignored))


def by_uri(settings: Settings) -> dict[str, SettingValue]:
    """Return settings with the file's keys under the names that they have in a sink URI.

    The URI wins, but for a zero, a false and an empty text. Source: tiflow c7b2588
    pkg/sink/codec/common/config.go `mergeConfig` (mergo.WithOverride).
    """
    found = {name: value for name, value in settings.items() if not _uri_name(name)}
    for name, value in settings.items():
        uri = _uri_name(name)
        if uri and not found.get(uri):
            found[uri] = value
    return found


def _uri_name(name: str) -> str:
    return KEYS[name].name if name in KEYS else ""


def mistakes(tree: Settings, dialect: str = "current") -> Iterator[ChangefeedError]:
    """Yield everything that is wrong with a changefeed file's tree."""
    settings: dict[str, SettingValue] = {}
    sound = True
    for name, path, value in _flat(tree):
        wrong = list(_of_key(name, path, value))
        sound = sound and not wrong
        settings[name] = value
        yield from wrong
    if not sound:
        return
    protocol = PROTOCOLS.get(str(settings.get("sink.protocol", "open-protocol")).lower(), "open")
    try:
        changefeed(settings, 1, protocol, dialect)
    except ChangefeedError as refusal:
        # Its place starts with a dotted key.
        first, *rest = refusal.path or ("",)
        yield ChangefeedError(
            refusal.code,
            refusal.what,
            expected=refusal.expected,
            hint=refusal.hint,
            path=(*str(first).split("."), *rest),
        )


def _flat(tree: Settings, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ConfigPath, Any]]:
    """Yield each key with its dotted name; a table that is no section is looked into."""
    for part, value in tree.items():
        here = (*path, part)
        name = ".".join(here)
        if isinstance(value, Mapping) and name not in KEYS:
            yield from _flat(cast("PlainObject", value), here)
        else:
            yield name, here, value


def _of_key(name: str, path: ConfigPath, value: object) -> Iterator[ChangefeedError]:
    key = KEYS.get(name)
    if key is None:
        yield _unknown_key(name, path)
    elif key.refused and value:
        yield ChangefeedError("", f"{name} is refused: {key.refused}", path=path)
    elif not _fits(key.form, value):
        yield _wrong_form(name, key, value, path)
    elif key.values and str(value).lower() not in key.values:
        yield unknown(f"value of {name}", str(value), key.values, path)
    elif key.form is Form.RULES:
        for number, rule in enumerate(cast("Sequence[PlainObject]", value)):
            yield from _of_rule(name, rule, (*path, number))


def _of_rule(name: str, rule: Settings, path: ConfigPath) -> Iterator[ChangefeedError]:
    keys = RULE_KEYS[name]
    for part, value in rule.items():
        here = (*path, part)
        if part not in keys:
            yield unknown(f"key of {name}", part, keys, here)
        elif not _fits(keys[part].form, value):
            yield _wrong_form(dotted(here), keys[part], value, here)
    if not rule.get("matcher"):
        what = f"a rule of {name} without `matcher` is about no table"
        yield ChangefeedError("", what, expected="matcher = ['schema.table']", path=path)


def _unknown_key(name: str, path: ConfigPath) -> ChangefeedError:
    """Name the keys beside an unknown one, and where it stands elsewhere or what looks like it."""
    parent, _, last = name.rpartition(".")
    beside = [known for known in KEYS if known.rpartition(".")[0] == parent]
    elsewhere = [known for known in KEYS if known.rpartition(".")[2] == last]
    close = [*elsewhere, *get_close_matches(name.replace("_", "-"), KEYS, n=1)]
    return ChangefeedError(
        UNKNOWN,
        f"unknown key {name!r}",
        expected="one of " + ", ".join(beside) if beside else "a key of a changefeed file",
        hint=f"did you mean `{close[0]}`?" if close else "",
        path=path,
    )


_FORMS: Mapping[Form, tuple[type | tuple[type, ...], str]] = {
    Form.SWITCH: (bool, "true or false"),
    Form.NUMBER: (int, "a whole number"),
    Form.TEXT: (str, "a text in quotes"),
    Form.TEXTS: (str, "a list of texts"),
    Form.NUMBERS: (int, "a list of whole numbers"),
    Form.RULES: (Mapping, "a list of tables"),
    Form.SECTION: (Mapping, "a table"),
    Form.ANY: (object, "a value"),
}
_LISTS = frozenset({Form.TEXTS, Form.NUMBERS, Form.RULES})


def _fits(form: Form, value: object) -> bool:
    kind = _FORMS[form][0]
    if form not in _LISTS:
        return _is(kind, value)
    return isinstance(value, list) and all(_is(kind, each) for each in cast("list[object]", value))


def _is(kind: type | tuple[type, ...], value: object) -> bool:
    """Return whether a value is of a kind; true and false are no numbers here."""
    return isinstance(value, kind) and (kind is not int or not isinstance(value, bool))


def _wrong_form(name: str, key: Key, value: object, path: ConfigPath) -> ChangefeedError:
    return ChangefeedError("", f"{name} is {value!r}", expected=_FORMS[key.form][1], path=path)


def _problem(mistake: ChangefeedError, file: str, known: Mapping[ConfigPath, Place]) -> Problem:
    path = mistake.path
    while path and path not in known:
        path = path[:-1]
    line, column = known.get(path, (1, 1))
    return Problem(Location(file, line, column), mistake.what, mistake.expected, mistake.hint)


def _syntax_error(text: str, file: str, said: str) -> ScenarioError:
    """Return the error for a text that is no TOML; the parser puts the place behind its words."""
    what, _, where = said.partition(" (at ")
    numbers = [
        int(word) for word in where.replace(",", "").replace(")", "").split() if word.isdigit()
    ]
    last = text.count("\n") + 1
    line, column = numbers if len(numbers) == 2 else (last, 1)
    problem = Problem(Location(file, line, column), f"this is not TOML: {what}", "TOML 1.0")
    return ScenarioError((problem,))

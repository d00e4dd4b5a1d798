"""What `record` says in an author's expectation: the message around an event, part by part.

| key | holds when |
| --- | --- |
| `topic`, `partition`, `timestamp` | they are so; a null timestamp is left to the producer |
| `key`, `value` | the JSON text of the wire has these values at these paths |
| `headers` | each named header is there once, with this text, or null |
| `header-names` | these are all headers, in order |
| `schema` | `key` and `value`: `subject`, `id`, `fields` in order, and `at` paths of its text |
| `members` | the object at each path, `key` or `value.u`, has these members, in order |
| `without` | nothing is there at these paths: `value` is a null value, `value.p` no such member |

A path is names with dots between them; in a list it counts from 0, or names the member by its
`field`, else its `name`. It goes on in a text that is JSON itself, as a VGTID is, and in a message
of Kafka Connect it starts in the payload.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

from harness.documents import PlainObject
from harness.model.decoded import DecodedEvent
from harness.model.record import Record, SchemaUse

_CONNECT = {"schema", "payload"}
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Message:
    """The record that carries an event: its offset, and which of its events this is, from 0."""

    record: Record
    offset: int
    index: int = 0

    @property
    def partition(self) -> tuple[str, int]:
        """Return the topic and partition in which it lies."""
        return (self.record.topic, self.record.partition)

    @property
    def place(self) -> str:
        """Return where it lies, for people."""
        return f"{self.record.topic}/{self.record.partition}@{self.offset}"


def differences(
    wanted: PlainObject, event: DecodedEvent, message: Message
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield each key of `record` that does not hold, by its path, with what is there instead."""
    for name, value in wanted.items():
        for path, what in _CHECKS[name](value, event, message.record):
            yield (name, *path), what


_Found = Iterator[tuple[tuple[str | int, ...], str]]


def _plain(name: str) -> Callable[[Any, DecodedEvent, Record], _Found]:
    def check(wanted: object, event: DecodedEvent, record: Record) -> _Found:
        del event
        there: object = getattr(record, name)
        if there != wanted:
            yield (), f"its {name} is {_shown(there)}, not {_shown(wanted)}"

    return check


def _part(name: str) -> Callable[[Any, DecodedEvent, Record], _Found]:
    def check(wanted: Mapping[str, object], event: DecodedEvent, record: Record) -> _Found:
        document = _document(name, event, record)
        for path, value in wanted.items():
            yield from _compared(document, path, value, f"{name}.{path}")

    return check


def _compared(document: object, path: str, value: object, name: str) -> _Found:
    there = _at(document, path)
    if there is _MISSING:
        yield (path,), f"there is no {name}"
    elif not _same(there, value):
        yield (path,), f"its {name} is {_shown(there)}, not {_shown(value)}"


def _headers(wanted: Mapping[str, str | None], event: DecodedEvent, record: Record) -> _Found:
    del event
    for name, text in wanted.items():
        there = [value for header, value in record.headers if header == name]
        if there != [None if text is None else text.encode()]:
            shown = ", ".join(_text(value) for value in there) or "not there"
            yield (name,), f"its header {name} is {shown}, not {_shown(text)}"


def _header_names(wanted: list[str], event: DecodedEvent, record: Record) -> _Found:
    del event
    there = [name for name, _ in record.headers]
    if there != wanted:
        yield (), f"its headers are {_listed(there)}, not {_listed(wanted)}"


def _schema(wanted: PlainObject, event: DecodedEvent, record: Record) -> _Found:
    for part, said in wanted.items():
        use = record.key_schema if part == "key" else record.value_schema
        document = _schema_document(part, use, event, record)
        if document is _MISSING:
            yield (part,), f"its {part} has no schema"
            continue
        for name in ("subject", "id"):
            there = None if use is None else getattr(use, name)
            if name in said and there != said[name]:
                yield (
                    (part, name),
                    f"the {name} of its {part} schema is {there}, not {said[name]}",
                )
        names = _field_names(document)
        if "fields" in said and names != said["fields"]:
            what = f"its {part} schema has the fields {_listed(names)}, not "
            yield (part, "fields"), what + _listed(said["fields"])
        for path, value in said.get("at", {}).items():
            for _, what in _compared(document, path, value, f"{part} schema's {path}"):
                yield (part, "at", path), what


def _members(wanted: Mapping[str, list[str]], event: DecodedEvent, record: Record) -> _Found:
    for name, names in wanted.items():
        part, _, path = name.partition(".")
        there = _at(_document(part, event, record), path)
        if not isinstance(there, dict):
            yield (name,), f"its {name} is no object"
            continue
        found = list(cast("dict[str, object]", there))
        if found != names:
            yield (name,), f"its {name} has the members {_listed(found)}, not {_listed(names)}"


def _without(wanted: list[str], event: DecodedEvent, record: Record) -> _Found:
    for number, name in enumerate(wanted):
        part, _, path = name.partition(".")
        if part == "headers":
            there: object = dict(record.headers).get(path, _MISSING)
        else:
            document = _document(part, event, record)
            there = _MISSING if document is None else _at(document, path) if path else document
        if there is not _MISSING:
            yield (number,), f"its {name} is {_shown(there)}"


_CHECKS: Mapping[str, Callable[[Any, DecodedEvent, Record], _Found]] = {
    "topic": _plain("topic"),
    "partition": _plain("partition"),
    "timestamp": _plain("timestamp"),
    "key": _part("key"),
    "value": _part("value"),
    "headers": _headers,
    "header-names": _header_names,
    "schema": _schema,
    "members": _members,
    "without": _without,
}


def _document(part: str, event: DecodedEvent, record: Record) -> object:
    """Return a key or value as JSON data, a payload without its envelope; None for a null."""
    found = _json(part, event, record)
    return _object(found)["payload"] if _is_connect(found) else found


def _json(part: str, event: DecodedEvent, record: Record) -> object:
    if (record.key if part == "key" else record.value) is None:
        return None
    text = event.key_text if part == "key" else event.value_text
    return _read(text)


def _read(text: str) -> object:
    try:
        found: object = json.loads(text, parse_float=Decimal)
    except ValueError:
        return text
    return found


def _schema_document(
    part: str, use: SchemaUse | None, event: DecodedEvent, record: Record
) -> object:
    if use is not None:
        return _read(use.schema)
    found = _json(part, event, record)
    return _object(found)["schema"] if _is_connect(found) else _MISSING


def _is_connect(document: object) -> bool:
    return isinstance(document, dict) and set(cast("dict[str, object]", document)) == _CONNECT


def _object(document: object) -> Mapping[str, object]:
    return cast("dict[str, object]", document)


def _field_names(schema: object) -> list[str]:
    fields = cast("list[Any]", _object(schema).get("fields", []))
    return [str(_name_of(one)) for one in fields]


def _at(document: object, path: str) -> object:
    """Return what is at a path; member names may have dots themselves, so longer ones are tried."""
    if not path:
        return document
    inside = _read(document) if isinstance(document, str) else document
    steps = path.split(".")
    for length in range(1, len(steps) + 1):
        there = _member(inside, ".".join(steps[:length]))
        if there is not _MISSING:
            found = _at(there, ".".join(steps[length:]))
            if found is not _MISSING:
                return found
    return _MISSING


def _member(document: object, name: str) -> object:
    if isinstance(document, dict):
        return cast("dict[str, object]", document).get(name, _MISSING)
    if not isinstance(document, list):
        return _MISSING
    members = cast("list[object]", document)
    if name.isdecimal():
        return members[int(name)] if int(name) < len(members) else _MISSING
    objects = (cast("dict[str, object]", one) for one in members if isinstance(one, dict))
    return next((one for one in objects if name == _name_of(one)), _MISSING)


def _name_of(member: Mapping[str, object]) -> object:
    """Return a field's name; of a struct in Connect's JSON `name` is that of its schema."""
    return member.get("field", member.get("name"))


def _same(there: object, wanted: object) -> bool:
    numbers = [one for one in (there, wanted) if isinstance(one, int | float | Decimal)]
    if len(numbers) == 2 and not any(isinstance(one, bool) for one in numbers):
        return Decimal(str(there)) == Decimal(str(wanted))
    return type(there) is type(wanted) and there == wanted


def _shown(value: object) -> str:
    if isinstance(value, bytes):
        return _text(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _LINE else f"{text[:_LINE]}…"


def _text(value: bytes | None) -> str:
    return "null" if value is None else _shown(value.decode(errors="backslashreplace"))


def _listed(names: list[str]) -> str:
    return "[" + ", ".join(names) + "]"


_LINE = 120

"""A recording as text: a header that says of which case and whose it is, then its messages.

One JSON object a line, bytes in base64. A file holds any number of recordings; each begins with a
line that has `recording`, the number of this form.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import orjson

from harness.errors import Location, Problem, ScenarioError, UsageError
from harness.oracles.compare import Message
from harness.oracles.framed import canonical

FORM: Final = 1
HEADER: Final = ("recording", "case", "origin")
OPTIONAL: Final = ("key_schema", "value_schema")
EXPECTED: Final = (
    'a header {"recording": 1, "case": "keys.pk-chain[open,p1]", "origin": "TiCDC v8.5.1"}, or a '
    'message {"topic": "t", "partition": 0, "key": base64 or null, "value": base64 or null, '
    '"headers": []}'
)


@dataclass(frozen=True, slots=True)
class Recording:
    """The messages of one case as a vendor's program sent them; `origin` says which, and when."""

    case: str
    origin: str
    messages: Sequence[Message] = field(default_factory=list[Message])


def text(recording: Recording) -> Iterator[bytes]:
    """Yield the lines of a recording."""
    yield orjson.dumps({"recording": FORM, "case": recording.case, "origin": recording.origin})
    for one in recording.messages:
        headers = [[name, _coded(value)] for name, value in one.headers]
        schemas = {name: getattr(one, name) for name in OPTIONAL if getattr(one, name) is not None}
        yield orjson.dumps(
            {
                "topic": one.topic,
                "partition": one.partition,
                "key": _coded(one.key),
                "value": _coded(one.value),
                "headers": headers,
                **schemas,
            }
        )


def read(file: Path) -> tuple[Recording, ...]:
    """Return the recordings of a file; UsageError with the line of what is none."""
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", expected="a file of recordings") from error
    found: list[tuple[str, str, list[Message]]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = Location(str(file), number, 1)
        entry = _object(line, place)
        if "recording" in entry:
            found.append((*_header(entry, place), []))
        elif not found:
            raise _wrong("a message before any header", place)
        else:
            found[-1][2].append(_message(entry, place))
    if not found:
        raise UsageError(f"{file} holds no recording", expected=EXPECTED)
    return tuple(Recording(case, origin, messages) for case, origin, messages in found)


def _object(line: bytes, place: Location) -> Mapping[str, Any]:
    try:
        entry: object = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise _wrong(f"this is not JSON: {error}", place) from error
    if not isinstance(entry, dict):
        raise _wrong("this is not an object", place)
    return cast("Mapping[str, Any]", entry)


def _header(entry: Mapping[str, Any], place: Location) -> tuple[str, str]:
    if entry["recording"] != FORM:
        raise _wrong(f"recordings of form {entry['recording']!r} are unknown", place)
    unknown = [name for name in entry if name not in HEADER]
    case, origin = entry.get("case"), entry.get("origin")
    if unknown or not isinstance(case, str) or not isinstance(origin, str):
        raise _wrong("a header needs `case` and `origin`, and nothing else", place)
    return case, origin


def _message(entry: Mapping[str, Any], place: Location) -> Message:
    try:
        headers = tuple((str(name), _bytes(value)) for name, value in entry.get("headers", []))
        topic, partition = entry["topic"], entry["partition"]
        schemas = [_schema(entry.get(name)) for name in OPTIONAL]
        key, value = _bytes(entry["key"]), _bytes(entry["value"])
    except KeyError as error:
        raise _wrong(f"a message lacks {error}", place) from error
    except (ValueError, TypeError) as error:
        raise _wrong(f"this is no message: {error}", place) from error
    if not isinstance(topic, str) or type(partition) is not int:
        raise _wrong("`topic` is a text and `partition` a number", place)
    return Message(topic, partition, key, value, headers, *schemas)


def _bytes(coded: str | None) -> bytes | None:
    try:
        return None if coded is None else base64.b64decode(coded, validate=True)
    except binascii.Error as error:
        raise ValueError(f"{coded[:20] if coded else ''!r} is not base64") from error


def _schema(given: object) -> str | None:
    if given is None:
        return None
    try:
        canonical(str(given))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"a schema is not JSON: {error}") from error
    return str(given)


def _coded(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode()


def _wrong(what: str, place: Location) -> ScenarioError:
    return ScenarioError((Problem(place, what, expected=EXPECTED),))

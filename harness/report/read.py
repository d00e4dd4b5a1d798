"""From a run's NDJSON back to typed events: what every other report can be rendered from.

Strict and versioned: a line that is not exactly what `harness.report.ndjson` writes is a
UsageError with file and line; no report is ever made of half-understood events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints

import orjson

from harness.errors import Location, UsageError
from harness.model.events import Event, RunStarted
from harness.report.ndjson import FORMAT, NAMES

_KINDS: Mapping[str, type[Event]] = {name: kind for kind, name in NAMES.items()}
_SOURCE = "the events.ndjson of a run, or what --ndjson wrote"
# Characters of an integer; Python reads no more than 4,300 digits, and none of ours has so many.
_LONGEST_NUMBER = 100


class _UnfitError(ValueError):
    """A value that is not of its field's type; the reader adds file and line."""


def read_events(path: Path) -> tuple[Event, ...]:
    """Return the events of a run in order; UsageError names the first line that is none.

    A killed run may end without its last events, but not within a line.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", expected=_SOURCE) from None
    if lines[-1] == b"":
        lines.pop()
    events: list[Event] = []
    for number, line in enumerate(lines, start=1):
        try:
            events.append(_event(line, first=number == 1))
        except _UnfitError as error:
            raise UsageError(f"{Location(str(path), number)}: {error}", expected=_SOURCE) from None
    if not events:
        raise UsageError(f"{path}: there are no events in this file", expected=_SOURCE)
    return tuple(events)


def read_runs(paths: Iterable[Path]) -> tuple[Event, ...]:
    """Return the events of several runs, the earliest run first.

    Runs without a time come first, in the order of the files.
    """
    runs = [read_events(path) for path in paths]
    return tuple(event for run in sorted(runs, key=_started) for event in run)


def _started(run: Sequence[Event]) -> str:
    first = run[0]
    return first.at if isinstance(first, RunStarted) else ""


def _event(line: bytes, *, first: bool) -> Event:
    try:
        data: Any = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise _UnfitError(f"this line is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise _UnfitError("this line is not a JSON object")
    row = cast("dict[str, Any]", data)
    name = row.pop("event", None)
    if name not in _KINDS:
        raise _UnfitError(f"there is no event {name!r}")
    if first != (name == "run-started"):
        raise _UnfitError("`run-started` must be the first event and no other")
    if first and row.pop("format", None) != FORMAT:
        raise _UnfitError(f"this harness reads format {FORMAT} of the events only")
    event: Event = _value(_KINDS[name], row, name)
    return event


def _value(kind: Any, data: Any, at: str) -> Any:  # noqa: ANN401  (a type and JSON of any shape)
    """Return JSON data as a value of the type that a field declares."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is UnionType:
        inner = next(each for each in arguments if each is not NoneType)
        return None if data is None else _value(inner, data, at)
    if origin is tuple and isinstance(data, list):
        items = enumerate(cast("list[object]", data))
        return tuple(_value(arguments[0], item, f"{at}[{index}]") for index, item in items)
    if origin is Mapping and isinstance(data, dict):
        pairs = cast("dict[str, Any]", data).items()
        return {key: _value(arguments[1], value, f"{at}.{key}") for key, value in pairs}
    if is_dataclass(kind) and isinstance(kind, type) and isinstance(data, dict):
        return kind(**dict(_members(kind, cast("dict[str, Any]", data), at)))
    return _scalar(kind, data, at)


def _scalar(kind: Any, data: Any, at: str) -> Any:  # noqa: ANN401  (likewise)
    if kind is int and isinstance(data, str) and _is_number(data):
        return int(data)  # an integer that JSON readers would round, see ndjson.py
    if kind is float and type(data) in (int, float):
        return float(data)
    if kind in (str, int) and type(data) is kind:
        return data
    if isinstance(kind, type) and issubclass(kind, StrEnum) and data in list(kind):
        return kind(data)
    raise _UnfitError(f"{at}: {str(data)[:80]!r} does not belong here")


def _is_number(text: str) -> bool:
    return len(text) <= _LONGEST_NUMBER and text.removeprefix("-").isdecimal()


def _members(kind: type[Any], data: Mapping[str, Any], at: str) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a dataclass; only those with a default may be absent."""
    declared = _declared(kind)
    unknown = data.keys() - declared.keys()
    if unknown:
        raise _UnfitError(f"{at}: the key `{min(unknown)}` is unknown")
    for name, (wanted, needed) in declared.items():
        if name in data:
            yield name, _value(wanted, data[name], f"{at}.{name}")
        elif needed:
            raise _UnfitError(f"{at}: the key `{name}` is missing")


def _declared(kind: type[Any]) -> Mapping[str, tuple[Any, bool]]:
    """Return each field's type and whether it must be there."""
    hints = get_type_hints(kind)
    return {
        field.name: (
            hints[field.name],
            field.default is MISSING and field.default_factory is MISSING,
        )
        for field in fields(kind)
    }

"""Patches of the Open encoder, by what they do to the messages that it gives.

An edit is given frames, or the JSON objects within them, and changes them. What an edit leaves as
it was keeps its bytes; what it changes is written anew. Compressed values are left alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import orjson

from harness.codecs.open.settings import OpenSettings
from harness.codecs.open.types import ColumnFormat
from harness.model.columns import ColumnKind
from harness.model.record import Record
from harness.mutants.producers.patch import Patch, patch, result
from harness.wire.framing import frame_keys, frame_values, unframe

ENCODE = "harness.codecs.open.encode:OpenEncoder.encode"
SETTINGS = "harness.codecs.open.settings:settings"
FORM = "harness.codecs.open.types:form"
ROW, DDL, RESOLVED = 1, 2, 3
# A JSON object. Any: of whatever an event holds.
Json = dict[str, Any]
Pairs = list[tuple[bytes, bytes]]


def records(change: Callable[[Sequence[Record]], Iterable[Record]]) -> Patch:
    """Return the patch that changes all records of a stream together."""
    return result(ENCODE, lambda given: iter([*change([*given])]))


def each_record(change: Callable[[Record], Iterable[Record]]) -> Patch:
    """Return the patch that changes each record, into any number of them."""
    return result(ENCODE, partial(_each, change))


def _each(
    change: Callable[[Record], Iterable[Record]], given: Iterable[Record]
) -> Iterator[Record]:
    for record in given:
        yield from change(record)


def frames(change: Callable[[Pairs], Pairs]) -> Patch:
    """Return the patch that changes the pairs of event key and event value of each message."""

    def changed(record: Record) -> Iterator[Record]:
        before = _pairs(record)
        after = change([*before])
        yield record if after == before else _of_pairs(record, after)

    return each_record(changed)


def events(kind: int, change: Callable[[Json, Json], object]) -> Patch:
    """Return the patch that changes, in place, key and value of each event of one kind."""

    def one(key: bytes, value: bytes) -> tuple[bytes, bytes]:
        head, body = _read(key), _read(value)
        if head.get("t") != kind:
            return key, value
        before = (_write(head), _write(body))
        change(head, body)
        after = (_write(head), _write(body))
        same = tuple(old == new for old, new in zip(before, after, strict=True))
        return (key if same[0] else after[0]), (value if same[1] else after[1])

    return frames(lambda pairs: [one(key, value) for key, value in pairs])


def columns(change: Callable[[Json], object], images: str = "upd") -> Patch:
    """Return the patch that changes, in place, each column object of these images of a row."""

    def changed(_: Json, value: Json) -> None:
        for image in images:
            for column in value.get(image, {}).values():
                change(column)

    return events(ROW, changed)


def images(change: Callable[[Json, str], object]) -> Patch:
    """Return the patch that changes, in place, each image of a row: the value, and its member."""

    def changed(_: Json, value: Json) -> None:
        for image in tuple(value):
            change(value, image)

    return events(ROW, changed)


def values(kind: ColumnKind, change: Callable[[str], str], *, quoted: bool | None = None) -> Patch:
    """Return the patch that changes the JSON text of each value of a column kind, NULL apart.

    `quoted` says whether quotes go around it, where that is other than it was.
    """

    def form(original: Callable[..., ColumnFormat]) -> Callable[..., ColumnFormat]:
        def changed(of: ColumnKind, *rest: object) -> ColumnFormat:
            found = original(of, *rest)
            if of is not kind:
                return found
            return ColumnFormat(
                lambda given: [*map(change, found.write(given))],
                quoted=found.quoted if quoted is None else quoted,
            )

        return changed

    return patch(FORM, form)


def settings(change: Callable[[OpenSettings], Mapping[str, Any]]) -> Patch:
    """Return the patch that changes fields of the settings that decide the bytes."""
    return result(SETTINGS, lambda found: replace(found, **change(found)))


def renamed(object_: Json, old: str, new: str) -> None:
    """Rename a member in its place."""
    if old in object_:
        items = [(new if name == old else name, value) for name, value in object_.items()]
        object_.clear()
        object_.update(items)


def reordered(object_: Json, first: str) -> None:
    """Put a member before all others."""
    if first in object_:
        items = [(first, object_.pop(first)), *object_.items()]
        object_.clear()
        object_.update(items)


def _pairs(record: Record) -> Pairs:
    if record.key is None or record.value is None:
        return []
    return [*unframe(record.key, record.value)]


def _of_pairs(record: Record, pairs: Pairs) -> Record:
    keys, contents = [key for key, _ in pairs], [value for _, value in pairs]
    origins = (*record.origins, *record.origins[-1:] * len(pairs))[: len(pairs)]
    return replace(record, key=frame_keys(keys), value=frame_values(contents), origins=origins)


def _read(text: bytes) -> Json:
    """Return a JSON object, its fractions by their text; empty for what is none."""
    try:
        found: Any = json.loads(text, parse_float=_as_it_stands)
    except ValueError:
        return {}
    return cast("Json", found) if isinstance(found, dict) else {}


def _as_it_stands(number: str) -> orjson.Fragment:
    return orjson.Fragment(number.encode())


def _write(given: Json) -> bytes:
    return orjson.dumps(given)

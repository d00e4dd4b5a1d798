"""Digests of plans: what two commits make of the same case, comparable without either's code.

One JSON object a line. No name of a module or class goes into a digest, so that a commit which
renames them has the digests of the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256

import msgspec
import orjson

from harness.engine.catalogue import golden
from harness.engine.catalogue.record_text import content_digest
from harness.engine.plan.case import Plan
from harness.model.record import Record, SchemaUse

Digests = Mapping[str, str]

# Part of a record -> its value, of Python's own types.
PARTS: Mapping[str, Callable[[Record], object]] = {
    "topic": lambda record: record.topic,
    "partition": lambda record: record.partition,
    "key": lambda record: record.key,
    "value": lambda record: record.value,
    "headers": lambda record: record.headers,
    "timestamp": lambda record: record.timestamp,
    "key schema": lambda record: _schema(record.key_schema),
    "value schema": lambda record: _schema(record.value_schema),
    "origins": lambda record: [
        (o.line, o.step, o.event, o.kind, o.transaction, o.table, o.key, o.commit_ts)
        for o in record.origins
    ],
}


def _schema(use: SchemaUse | None) -> object:
    return None if use is None else (use.subject, use.schema, use.id)


def digests(plan: Plan) -> Digests:
    """Return the digests of a plan: of each part of its records, the log and expected tables."""
    delivery, stop = plan.delivery, plan.stopped
    log = [
        (*there, log.start, log.end, [(one.offset, content_digest(one.record)) for one in log.read])
        for there, log in sorted(delivery.logs.items())
    ]
    hostile = [(place.topic, place.partition, place.offset) for place in delivery.hostile or ()]
    return {
        **{f"encoded {name}": text for name, text in _parts(plan.records)},
        **{f"sent {name}": text for name, text in _parts(plan.delivered)},
        "log": _digest((log, sorted(delivery.starts.items()), hostile, sorted(delivery.compacted))),
        "tables": _digest(golden.tables_text(plan)),
        "stop": _digest(None if stop is None else (stop.code, stop.what, stop.commit_ts)),
    }


def _parts(records: Sequence[Record]) -> Iterable[tuple[str, str]]:
    return ((name, _digest([part(record) for record in records])) for name, part in PARTS.items())


def _digest(value: object) -> str:
    return sha256(repr(value).encode()).hexdigest()[:16]


def digest_line(case: str, found: Digests) -> str:
    """Return a case's digests as a line of JSON."""
    return orjson.dumps({"case": case, **found}).decode()


def read_digests(lines: Iterable[str]) -> dict[str, Digests]:
    """Return digests by case; ValueError for a line that is no such thing."""
    found: dict[str, Digests] = {}
    for line in lines:
        try:
            row = dict(msgspec.convert(orjson.loads(line), dict[str, str]))
            found[row.pop("case")] = row
        except (KeyError, msgspec.ValidationError) as error:
            raise ValueError("a line is not an object of digests with a `case`") from error
    return found


def differing(
    before: Mapping[str, Digests], after: Mapping[str, Digests]
) -> Mapping[str, Sequence[str]]:
    """Return the cases that differ, by name, each with the parts that do."""
    return {
        case: parts
        for case in sorted({*before, *after})
        if (parts := _differing(before.get(case), after.get(case)))
    }


def _differing(before: Digests | None, after: Digests | None) -> Sequence[str]:
    if before is None or after is None:
        return ["only after"] if before is None else ["only before"]
    return [name for name in {**before, **after} if before.get(name) != after.get(name)]

"""At-least-once: what a producer may send again.

Source: TiCDC Open Protocol, 2020, §Constraints (a row event of one version may be sent several
times); clause `open.delivery.at-least-once`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from harness.errors import StepError
from harness.model.record import Origin, Record


def duplicate(
    records: Sequence[Record], options: Mapping[str, Any], line: int, random: Random
) -> tuple[Record, ...]:
    """Send each message that carries a chosen row again, right after the first time.

    Options: `transaction` (its name), `key` (columns of the handle key, some or all of them; all
    rows when left out), `times` (how many more times; 1). StepError when no message carries such a
    row.
    """
    del random
    times = int(options.get("times", 1))
    out: list[Record] = []
    found = False
    for record in records:
        out.append(record)
        if any(_chosen(origin, options) for origin in record.origins):
            found = True
            out.extend([record] * times)
    if not found:
        raise StepError(
            f"nothing to duplicate: no row of transaction {options['transaction']!r} is sent"
            + (f" with key {', '.join(_columns(options['key']))}" if "key" in options else ""),
            line=line,
            hint="`harness preview` shows the events that are sent, with their keys",
        )
    return tuple(out)


def replay(
    records: Sequence[Record], options: Mapping[str, Any], line: int, random: Random
) -> tuple[Record, ...]:
    """Send the tail again, as a changefeed does that restarts from an earlier checkpoint.

    Options: `from` (a transaction's name: everything from its first message on), `to` (a
    transaction's name: up to its last message; to the end when left out), `times` (1). Each
    partition's messages come again in their first order. StepError when there is no such
    transaction on the wire.
    """
    del random
    first = _first(records, str(options["from"]), line)
    last = len(records) - 1
    if "to" in options:
        last = _last(records, str(options["to"]), line)
    if last < first:
        raise StepError(
            f"replay from {options['from']!r} to {options['to']!r} is empty",
            line=line,
            expected="`to` at or after `from`",
        )
    return tuple(records) + tuple(records[first : last + 1]) * int(options.get("times", 1))


def _first(records: Sequence[Record], name: str, line: int) -> int:
    for position, record in enumerate(records):
        if any(origin.transaction == name for origin in record.origins):
            return position
    raise _absent(name, line)


def _last(records: Sequence[Record], name: str, line: int) -> int:
    for position in range(len(records) - 1, -1, -1):
        if any(origin.transaction == name for origin in records[position].origins):
            return position
    raise _absent(name, line)


def _absent(name: str, line: int) -> StepError:
    return StepError(
        f"no message carries a row of transaction {name!r}",
        line=line,
        hint="`harness preview` shows the events that are sent, with their transactions",
    )


def _chosen(origin: Origin, options: Mapping[str, Any]) -> bool:
    if origin.transaction != options["transaction"]:
        return False
    if "key" not in options:
        return True
    there = f",{origin.key},"
    return all(f",{column}," in there for column in _columns(options["key"]))


def _columns(key: Mapping[str, Any]) -> list[str]:
    return [f"{name}={'null' if value is None else value}" for name, value in key.items()]

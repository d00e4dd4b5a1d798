"""What changed in a golden file, record by record: what was, what is, which parts, and whence.

A golden is a sequence of blocks between blank lines: a record each, a schema, a file that a claim
check names, or a table, of which each row counts for itself. Blocks are matched by what they say,
not by where they lie, so that one more record does not make all later ones look changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from harness.engine.catalogue.golden import Difference
from harness.engine.plan.case import Plan

_RECORD = re.compile(r"^(\S+/\d+@\d+) sha256=(\w+)$")
_TABLE = re.compile(r"^(\S.*?)  key ")
PARTS = {
    "read": "what a decoder reads",
    "key": "the key",
    "value": "the value",
    "header": "the headers",
    "timestamp": "the timestamp",
    "schemas": "the ids of its schemas",
}
ONLY_BYTES = "the bytes, in a way that no decoder sees"
ELSEWHERE = "its place"
COMES, GOES = "it is new", "it is gone"


@dataclass(frozen=True, slots=True)
class GoldenChange:
    """One record, row or schema of a golden file that is not what it was.

    `place` names it within the file: `ticdc/0@3`, `shop.t {id: 1}`, `schema 2 of …`. `before` and
    `after` are its lines, empty where it is new or gone. `parts` says in words what differs,
    `origins` which lines of the scenario make it, with their transactions.
    """

    place: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    parts: tuple[str, ...]
    origins: tuple[str, ...] = ()


def golden_changes(difference: Difference, plan: Plan | None) -> tuple[GoldenChange, ...]:
    """Return the changes of a file in its order; `plan` is its variant's, None for a stale one."""
    origins = {} if plan is None else _origins(plan)
    there, now = _blocks(difference.there or ""), _blocks(difference.now or "")
    return tuple(_compared(there, now, origins))


def _blocks(text: str) -> list[tuple[str, ...]]:
    """Return the blocks of a file; the row of a table is a block with its table's name."""
    found: list[tuple[str, ...]] = []
    for part in text.split("\n\n"):
        lines = tuple(part.rstrip("\n").split("\n"))
        table = _TABLE.match(lines[0])
        if table is None:
            found.append(lines)
        else:
            found.append(lines[:1])
            found += [(f"{table[1]} {row.strip()}",) for row in lines[1:]]
    return [block for block in found if block != ("",)]


def _said(block: Sequence[str]) -> tuple[str, ...]:
    """Return what a block says, without where a record lies and its digest."""
    return tuple(block[1:]) if _RECORD.match(block[0]) else tuple(block)


def _compared(
    there: Sequence[tuple[str, ...]],
    now: Sequence[tuple[str, ...]],
    origins: Mapping[str, tuple[str, ...]],
) -> Iterator[GoldenChange]:
    matcher = SequenceMatcher(None, [*map(_said, there)], [*map(_said, now)], autojunk=False)
    for _, i, i_end, j, j_end in matcher.get_opcodes():
        for before, after in zip_longest(there[i:i_end], now[j:j_end], fillvalue=()):
            if before != after:
                place = _place(after or before)
                parts = _parts(before, after)
                yield GoldenChange(place, before, after, parts, origins.get(place, ()))


def _place(block: Sequence[str]) -> str:
    record = _RECORD.match(block[0])
    return record[1] if record else block[0]


def _parts(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """Return in words what differs between two versions of a block."""
    if not before or not after:
        return (COMES if after else GOES,)
    old, new = _RECORD.match(before[0]), _RECORD.match(after[0])
    if old is None or new is None:
        return ("its text",)
    found = [ELSEWHERE] if old[1] != new[1] else []
    for word, meaning in PARTS.items():
        if _lines(before, word) != _lines(after, word):
            found.append(meaning)
    if old[2] != new[2] and _said(before) == _said(after):
        found.append(ONLY_BYTES)
    return tuple(found) or ("its text",)


def _lines(block: Sequence[str], word: str) -> list[str]:
    return [line for line in block[1:] if line.split(maxsplit=1)[:1] == [word]]


def _origins(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Return what makes each record of the undisturbed case, by its place."""
    offsets: dict[tuple[str, int], int] = {}
    found: dict[str, tuple[str, ...]] = {}
    for record in plan.records:
        there = (record.topic, record.partition)
        offset = offsets.get(there, 0)
        offsets[there] = offset + 1
        found[f"{record.topic}/{record.partition}@{offset}"] = tuple(
            dict.fromkeys(
                f"{plan.case.scenario.file}:{origin.line}"
                + (f", transaction {origin.transaction}" if origin.transaction else "")
                for origin in record.origins
            )
        )
    return found

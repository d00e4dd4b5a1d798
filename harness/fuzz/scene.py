"""A drawn scenario as plain data, and the YAML that says the same.

What is tried is what is written. A scene has no form but its text, which is loaded like any
author's file; so a finding is the file that was tried, and not a translation of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

DATABASE = "fuzz"
DELIVERY = "disturbed"
PLAIN_WORDS = re.compile(r"[A-Za-z][A-Za-z0-9.-]*\Z")


@dataclass(frozen=True, slots=True)
class Ddl:
    """One DDL statement."""

    sql: str


@dataclass(frozen=True, slots=True)
class Transaction:
    """Statements that are committed together."""

    name: str
    statements: tuple[str, ...]


Step = Ddl | Transaction


@dataclass(frozen=True, slots=True)
class Disturbed:
    """One step of the delivery: the fault, its options, and the clause that allows it."""

    fault: str
    options: Mapping[str, Any]
    clause: str


@dataclass(frozen=True, slots=True)
class Scene:
    """One scenario in one protocol; `clauses` are those that it is about."""

    protocol: str
    dialect: str
    partitions: int
    clauses: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    steps: tuple[Step, ...] = ()
    delivery: tuple[Disturbed, ...] = ()


@dataclass(frozen=True, slots=True)
class Label:
    """What a file says beside the scene: its id and title, comments, tables and kills."""

    id: str
    title: str = "Drawn at random"
    comments: tuple[str, ...] = ()
    tables: Mapping[str, Sequence[Mapping[str, Any]]] | None = None
    kills: tuple[str, ...] = ()


def text(scene: Scene, label: Label) -> str:
    """Return the scenario file of a scene."""
    return "\n".join(_lines(scene, label)) + "\n"


def _lines(scene: Scene, label: Label) -> Iterator[str]:
    yield from (f"# {comment}" for comment in label.comments)
    cited = dict.fromkeys((*scene.clauses, *(step.clause for step in scene.delivery)))
    yield f"id: {label.id}"
    yield f"title: {_scalar(label.title)}"
    yield f"clauses: [{', '.join(cited)}]"
    yield "matrix:"
    yield f"  protocol: [{scene.protocol}]"
    yield f"  partitions: [{scene.partitions}]"
    if scene.dialect != "current":
        yield f"  dialect: [{_scalar(scene.dialect)}]"
    if scene.settings:
        yield "settings:"
        yield f"  {scene.protocol}:"
        yield from (f"    {name}: {_flow(value)}" for name, value in scene.settings.items())
    yield f"databases: [{DATABASE}]"
    yield "upstream:" if scene.steps else "upstream: []"
    for step in scene.steps:
        yield from _step(step)
    if scene.delivery:
        yield "delivery:"
        yield f"  {DELIVERY}:"
        for one in scene.delivery:
            yield f"    - {one.fault}: {_flow(one.options)}"
            yield f"      allowed-by: {{{scene.protocol}: {one.clause}}}"
    yield from _expected(label)
    if label.kills:
        yield f"kills: [{', '.join(label.kills)}]"


def _step(step: Step) -> Iterator[str]:
    if isinstance(step, Ddl):
        yield f"  - ddl: {_scalar(step.sql)}"
        return
    yield "  - transaction:"
    yield f"      name: {step.name}"
    if any(map(_special, step.statements)):
        yield f"      sql: {_scalar('; '.join(step.statements))}"
        return
    yield "      sql: |-"
    yield from (f"        {sql};" for sql in step.statements)


def _expected(label: Label) -> Iterator[str]:
    yield "expect:"
    if not label.tables:
        yield "  tables: {}"
        return
    yield "  tables:"
    for table, rows in label.tables.items():
        yield f"    {_scalar(table)}:" if rows else f"    {_scalar(table)}: []"
        yield from (f"      - {_flow(row)}" for row in rows)


def _special(sql: str) -> bool:
    """Return whether a text cannot stand in a block as it is."""
    return not sql.isprintable() or sql != sql.strip()


def _scalar(value: str) -> str:
    """Return a text as YAML: plain where that is safe, else in JSON's quotes, which YAML reads."""
    if PLAIN_WORDS.match(value) and not _is_word(value):
        return value
    return "".join(map(_printable, json.dumps(value, ensure_ascii=False)))


def _printable(character: str) -> str:
    """Return a character of a quoted text, escaped where YAML would not take it as it is."""
    return character if character.isprintable() else f"\\U{ord(character):08x}"


def _is_word(value: str) -> bool:
    return value.lower() in {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def _flow(value: Any) -> str:  # noqa: ANN401  (whatever YAML can say)
    """Return data on one line."""
    kind = next((kind for kind in _FLOWS if isinstance(value, kind)), None)
    return json.dumps(value) if kind is None else _FLOWS[kind](value)


def _mapping(value: Mapping[Any, Any]) -> str:
    return "{" + ", ".join(f"{_scalar(str(k))}: {_flow(v)}" for k, v in value.items()) + "}"


def _list(value: Sequence[Any]) -> str:
    return "[" + ", ".join(map(_flow, value)) + "]"


_FLOWS: Mapping[type, Callable[[Any], str]] = {
    Mapping: _mapping,
    str: _scalar,
    list: _list,
    tuple: _list,
}

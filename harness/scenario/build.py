"""From a sound draft to the frozen document; nothing is judged here any more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from harness.documents import PlainObject
from harness.documents.yaml_file import Path, YamlFile
from harness.errors import Location
from harness.model.change import Pin, RowPin
from harness.scenario.document import (
    DdlStep,
    DeliveryStep,
    EmitRow,
    Expectation,
    ExpectedTable,
    Keyspace,
    Matrix,
    ResolvedStep,
    Scenario,
    Step,
    TransactionStep,
)
from harness.scenario.draft import Draft
from harness.scenario.pairwise import chosen, profiles
from harness.scenario.sql import statements

_INDENT = re.compile(r"^(?: |- )*", re.MULTILINE)
_FAULT_KEYS = frozenset({"allowed-by", "seen-in", "hostile"})


def build(draft: Draft, path: str) -> Scenario:
    """Return the scenario of a draft that breaks neither grammar nor rules."""
    source, data = draft.source, draft.data
    steps = tuple(_step(source, n, step) for n, step in enumerate(data["upstream"]))
    return Scenario(
        id=data["id"],
        title=data["title"],
        path=path,
        file=source.file,
        clauses=tuple(data["clauses"]),
        databases=tuple(data["databases"]),
        matrix=_matrix(data["matrix"]),
        upstream=steps,
        expect=_expectation(source, data["expect"]),
        refs=tuple(data.get("refs", ())),
        tags=tuple(data.get("tags", ())),
        settings=MappingProxyType(data.get("settings", {})),
        delivery=_delivery(source, data.get("delivery", {})),
        kills=tuple(data.get("kills", ())),
        kill_places=MappingProxyType(
            {name: source.place(("kills", n)) for n, name in enumerate(data.get("kills", ()))}
        ),
        end_resolved=data.get("end-resolved", True),
        clause_lines=MappingProxyType(
            {name: source.place(("clauses", n)).line for n, name in enumerate(data["clauses"])}
        ),
        keyspace=_keyspace(source, data.get("keyspace")),
        indents=tuple(len(begin[0]) for begin in _INDENT.finditer(source.text)),
        profiles=MappingProxyType(profiles(data)),
        setting_places=MappingProxyType(
            {
                path[1:]: source.place_of_key(path)
                for path in _paths(data.get("settings", {}), ("settings",))
            }
            | {
                (f"+{path[1]}", *path[2:]): source.place_of_key(path)
                for path in _paths(data.get("profiles", {}), ("profiles",))
            }
            | dict(_listed(source, data.get("pairwise", {})))
        ),
    )


def _paths(data: object, path: Path) -> Iterator[Path]:
    """Yield the path of each key and item below a part of the file."""
    below: Iterable[tuple[str | int, object]] = ()
    if isinstance(data, Mapping):
        below = cast("Mapping[str, object]", data).items()
    elif isinstance(data, Sequence) and not isinstance(data, str):
        below = enumerate(cast("Sequence[object]", data))
    for step, value in below:
        yield (*path, step)
        yield from _paths(value, (*path, step))


def _listed(source: YamlFile, pairwise: PlainObject) -> Iterator[tuple[tuple[str, ...], Location]]:
    """Yield where the settings of profiles stand that cover lists: each at its value."""
    for protocol, lists in pairwise.items():
        for name, picked in chosen(lists):
            yield (f"+{name}", protocol), source.place_of_key(("pairwise", protocol))
            for setting, index in picked.items():
                place = source.place(("pairwise", protocol, setting, index))
                yield (f"+{name}", protocol, setting), place


def _keyspace(source: YamlFile, data: PlainObject | None) -> Keyspace:
    if data is None:
        return Keyspace()
    vindexes = data.get("vindexes", {}).items()
    return Keyspace(
        shards=tuple(data.get("shards", ("0",))),
        vindexes=MappingProxyType({table: (v["column"], v["type"]) for table, v in vindexes}),
        copied_after=data.get("copied-after"),
        broken_off=_broken_off(data.get("broken-off")),
        resharded=MappingProxyType(
            {one["after"]: tuple(one["shards"]) for one in data.get("reshards", ())}
        ),
        failovers=MappingProxyType(
            {one["after"]: bool(one.get("lost")) for one in data.get("failovers", ())}
        ),
        lasting=MappingProxyType(
            {one["transaction"]: int(one["seconds"]) for one in data.get("lasting", ())}
        ),
        line=source.place_of_key(("keyspace",)).line,
    )


def _broken_off(data: PlainObject | None) -> tuple[str, int | None] | None:
    return None if data is None else (data["after"], data.get("rows"))


def _matrix(data: PlainObject) -> Matrix:
    return Matrix(
        protocols=tuple(data["protocol"]),
        partitions=tuple(int(count) for count in data.get("partitions", (1,))),
        dialects=tuple(data.get("dialect", ())),
        exclude=tuple(data.get("exclude", ())),
    )


def _step(source: YamlFile, number: int, step: PlainObject) -> Step:
    path: Path = ("upstream", number)
    emit = "emit" in step
    if emit:
        path, step = (*path, "emit"), step["emit"]
    if "ddl" in step:
        return _ddl(source, (*path, "ddl"), step["ddl"], emit=emit)
    if "transaction" in step:
        return _transaction(source, (*path, "transaction"), step["transaction"], emit=emit)
    return _resolved(source, path, step["resolved"])


def _ddl(source: YamlFile, path: Path, ddl: str | PlainObject, *, emit: bool) -> DdlStep:
    if isinstance(ddl, str):
        return DdlStep(statements(source, path)[0], emit=emit)
    return DdlStep(statements(source, (*path, "sql"))[0], _pin(ddl.get("pin")), emit)


def _transaction(source: YamlFile, path: Path, data: PlainObject, *, emit: bool) -> TransactionStep:
    rows = enumerate(data.get("rows", ()))
    return TransactionStep(
        name=data["name"],
        statements=statements(source, (*path, "sql")) if "sql" in data else (),
        line=source.place_of_key(path).line,
        rows=tuple(_emit_row(source, (*path, "rows", n), row) for n, row in rows),
        pin=_pin(data.get("pin")),
        emit=emit,
    )


def _emit_row(source: YamlFile, path: Path, row: PlainObject) -> EmitRow:
    op, image = next(iter(row.items()))
    line = source.place(path).line
    return EmitRow(op, image["table"], image.get("before"), image.get("after"), line)


def _pin(pin: PlainObject | None) -> Pin | None:
    if pin is None:
        return None
    rows = pin.get("rows", ())
    return Pin(
        ts=_integer(pin.get("ts")),
        partition=_integer(pin.get("partition")),
        rows=tuple(
            RowPin(row["key"], _integer(row.get("partition")), row.get("shard")) for row in rows
        ),
        shard=pin.get("shard"),
    )


def _resolved(
    source: YamlFile, path: Path, data: str | Sequence[int] | PlainObject
) -> ResolvedStep:
    line = source.place_of_key((*path, "resolved")).line
    if isinstance(data, Mapping):
        return ResolvedStep(line, _partitions(data.get("partitions")), _integer(data.get("ts")))
    return ResolvedStep(line, _partitions(data))


def _partitions(data: str | Sequence[int] | None) -> tuple[int, ...] | None:
    if data is None or isinstance(data, str):
        return None
    return tuple(int(partition) for partition in data)


def _integer(value: int | None) -> int | None:
    """Make an int of a whole number, however it was spelled (`3`, `3.0`)."""
    return None if value is None else int(value)


def _delivery(source: YamlFile, data: PlainObject) -> Mapping[str, tuple[DeliveryStep, ...]]:
    return MappingProxyType(
        {
            variant: tuple(
                _delivery_step(source, ("delivery", variant, n), step)
                for n, step in enumerate(steps)
            )
            for variant, steps in data.items()
        }
    )


def _delivery_step(source: YamlFile, path: Path, step: PlainObject) -> DeliveryStep:
    fault = next(key for key in step if key not in _FAULT_KEYS)
    return DeliveryStep(
        fault=fault,
        options=MappingProxyType(step[fault]),
        line=source.place(path).line,
        allowed_by=MappingProxyType(step.get("allowed-by", {})),
        seen_in=step.get("seen-in"),
        hostile="hostile" in step,
    )


def _expectation(source: YamlFile, data: PlainObject) -> Expectation:
    path: Path = ("expect",)
    exceptions: PlainObject = data.get("by-protocol", {})
    ordered = {
        name: {protocol: tuple(items) for protocol, items in data.get(name, {}).items()}
        for name in ("events", "records")
    }
    return Expectation(
        tables=_tables(source, (*path, "tables"), data["tables"]),
        tables_by_protocol=MappingProxyType(
            {
                protocol: _tables(
                    source, (*path, "by-protocol", protocol, "tables"), item["tables"]
                )
                for protocol, item in exceptions.items()
            }
        ),
        events=MappingProxyType(ordered["events"]),
        records=MappingProxyType(ordered["records"]),
        line=source.place_of_key(path).line,
        places=MappingProxyType(
            {
                below: source.place_of_key((*path, *below))
                for name in ordered
                for below in _paths(data.get(name, {}), (name,))
            }
        ),
        reasons=MappingProxyType(
            {protocol: item["because"] for protocol, item in exceptions.items()}
        ),
        tables_by_delivery=MappingProxyType(
            {
                delivery: _tables(source, (*path, "by-delivery", delivery), tables)
                for delivery, tables in data.get("by-delivery", {}).items()
            }
        ),
    )


def _lines(source: YamlFile, path: Path, items: Sequence[object]) -> tuple[int, ...]:
    return tuple(source.place((*path, number)).line for number in range(len(items)))


def _tables(source: YamlFile, path: Path, data: PlainObject) -> Mapping[str, ExpectedTable]:
    return MappingProxyType(
        {name: _table(source, (*path, name), rows) for name, rows in data.items()}
    )


def _table(source: YamlFile, path: Path, rows: Sequence[PlainObject] | None) -> ExpectedTable:
    return ExpectedTable(
        rows=None if rows is None else tuple(rows),
        lines=_lines(source, path, rows or ()),
        line=source.place_of_key(path).line,
    )

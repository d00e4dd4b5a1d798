"""Expectations speak of tables that can exist, in rows that can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness.documents import PlainObject
from harness.documents.explain import shown
from harness.documents.nearest import did_you_mean, nearest, one_of
from harness.documents.yaml_file import Path
from harness.scenario.draft import Draft, Problems
from harness.scenario.matrix_rules import axes

_Rows = Sequence[PlainObject] | None


def rows_have_the_same_columns(draft: Draft) -> Problems:
    """Refuse rows of different columns: a forgotten one would be taken for NULL."""
    for path, rows in _tables(draft):
        for number, row in enumerate(rows or ()):
            first = (rows or (row,))[0]
            lacking = [name for name in first if name not in row]
            extra = [name for name in row if name not in first]
            meant = {nearest(name, lacking) for name in extra}
            if not meant.issuperset(lacking):
                lacking = [name for name in lacking if name not in meant]
                what = f"the row lacks {_names(lacking)}, which the first row has"
                hint = "a value that is NULL is written null"
                yield draft.at((*path, number), what, "the same columns in every row", hint)
            for name in extra:
                what = f"the first row has no `{name}`"
                hint = did_you_mean(name, lacking)
                yield draft.at_key(
                    (*path, number, name), what, "the same columns in every row", hint
                )


def expected_databases_are_listed(draft: Draft) -> Problems:
    """Refuse tables of databases that the scenario does not create."""
    for path, _ in _tables(draft):
        yield from _listed(draft, path, str(path[-1]), is_key=True)
    for kind in ("events", "records"):
        listed: PlainObject = draft.data["expect"].get(kind, {})
        for protocol, items in listed.items():
            for path, table in _event_tables(("expect", kind, protocol), items):
                yield from _listed(draft, path, table, is_key=False)


def records_speak_of_cases_that_there_are(draft: Draft) -> Problems:
    """Refuse statements about records that are about no case: they would never be wrong."""
    known = axes(draft.data)
    records: PlainObject = draft.data["expect"].get("records", {})
    for protocol, statements in records.items():
        if protocol not in known["protocol"]:
            what = f"the matrix has no protocol `{protocol}`"
            place = ("expect", "records", protocol)
            yield draft.at_key(place, what, one_of(known["protocol"]))
        for number, statement in enumerate(statements):
            for axis, values in statement.get("when", {}).items():
                words = [str(choice) for choice in known[axis]]
                for index, value in enumerate(values):
                    if value not in known[axis]:
                        path: Path = ("expect", "records", protocol, number, "when", axis, index)
                        what = f"`{axis}` never is {shown(value)} in this matrix"
                        yield draft.at(path, what, one_of(words), did_you_mean(str(value), words))


def stops_come_last(draft: Draft) -> Problems:
    """Refuse events behind the error that stops the changefeed: nothing comes after it."""
    events: PlainObject = draft.data["expect"].get("events", {})
    for protocol, items in events.items():
        for number, item in enumerate(items[:-1]):
            if "stopped" in item:
                path = ("expect", "events", protocol, number)
                what = "something follows the error that stops the changefeed"
                yield draft.at(path, what, "`stopped` as the last item")


def stated_databases_are_listed(draft: Draft) -> Problems:
    """Refuse tables of other databases in the rows of `emit` steps."""
    for number, step in enumerate(draft.data["upstream"]):
        rows = step.get("emit", {}).get("transaction", {}).get("rows", ())
        for position, row in enumerate(rows):
            operation = next(iter(row))
            path = ("upstream", number, "emit", "transaction", "rows", position, operation, "table")
            yield from _listed(draft, path, row[operation]["table"], is_key=False)


def _listed(draft: Draft, path: Path, table: str, *, is_key: bool) -> Problems:
    known = draft.data["databases"]
    database = table.partition(".")[0]
    if database not in known:
        complain = draft.at_key if is_key else draft.at
        what = f"the database of `{table}` is not listed under `databases`"
        yield complain(path, what, one_of(known), did_you_mean(database, known))


def _tables(draft: Draft) -> Iterator[tuple[Path, _Rows]]:
    expect: PlainObject = draft.data["expect"]
    for name, rows in expect["tables"].items():
        yield ("expect", "tables", name), rows
    for protocol, exception in expect.get("by-protocol", {}).items():
        for name, rows in exception["tables"].items():
            yield ("expect", "by-protocol", protocol, "tables", name), rows
    for delivery, tables in expect.get("by-delivery", {}).items():
        for name, rows in tables.items():
            yield ("expect", "by-delivery", delivery, name), rows


def deliveries_have_tables_of_their_own_for_a_reason(draft: Draft) -> Problems:
    """Refuse tables of a delivery that there is not, or that commits every transaction."""
    deliveries: PlainObject = draft.data.get("delivery", {})
    for name in draft.data["expect"].get("by-delivery", {}):
        place = ("expect", "by-delivery", name)
        if name not in deliveries:
            what = f"there is no delivery `{name}`"
            known = one_of(deliveries) if deliveries else "a variant under `delivery`"
            yield draft.at_key(place, what, known, did_you_mean(name, deliveries))
        elif not any("uncommitted" in step for step in deliveries[name]):
            what = f"the delivery `{name}` commits every transaction, so its tables are the others"
            yield draft.at_key(place, what, "a delivery with a step `uncommitted`")


def _event_tables(path: Path, items: Sequence[Any]) -> Iterator[tuple[Path, str]]:
    for number, item in enumerate(items):
        here = (*path, number)
        if "table" in item:
            yield (*here, "table"), item["table"]
        for name in ("unordered", "together", "apart", "in-order"):
            yield from _event_tables((*here, name), item.get(name, ()))
        for name in ("optional", "each", "of"):
            if name in item:
                for (_, *below), table in _event_tables((), [item[name]]):
                    yield (*here, name, *below), table


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)

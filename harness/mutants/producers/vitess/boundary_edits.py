"""Patches of boundaries, and of all records of a transaction together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from harness.codecs.connect.schema import ConnectRecord
from harness.mutants.producers.patch import Patch
from harness.mutants.producers.records import BOUNDARY, Records, kind
from harness.mutants.producers.vitess.edits import each, stream, values

BEGIN, END = "BEGIN", "END"


def status_of(record: ConnectRecord) -> str:
    """Return BEGIN or END for a boundary, nothing for another record."""
    return str(record.value["status"]) if kind(record) == BOUNDARY else ""


def without_boundary(status: str) -> Patch:
    """Return the patch by which boundaries of one status are not sent."""
    return each(lambda record: () if status_of(record) == status else (record,))


def transactions(given: Records) -> Iterator[list[ConnectRecord]]:
    """Yield the records from each BEGIN to its END together, others by themselves."""
    held: list[ConnectRecord] = []
    for record in given:
        held.append(record)
        inside = status_of(held[0]) == BEGIN
        if not inside or status_of(record) == END:
            yield held
            held = []
    if held:
        yield held


def by_transaction(change: Callable[[list[ConnectRecord]], Iterable[ConnectRecord]]) -> Patch:
    """Return the patch that changes the records of each transaction together."""

    def changed(given: Records) -> Iterator[ConnectRecord]:
        for those in transactions(given):
            whole = status_of(those[0]) == BEGIN and len(those) > 1
            yield from change(those) if whole else those

    return stream(changed)


def of_status(status: str, field: str, change: Callable[[Any], Any]) -> Patch:
    """Return the patch that changes a field of each boundary of one status."""

    def changed(value: dict[str, Any]) -> None:
        if value["status"] == status:
            value[field] = change(value[field])

    return values(BOUNDARY, changed)

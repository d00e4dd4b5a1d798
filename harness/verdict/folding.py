"""The tables that a right consumer may have at the end of a case, by its design.

Where no clause decides between two ways, each is a fold of its own: a consumer is right if one of
them says what it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from harness.model.change import Op
from harness.model.columns import Column
from harness.model.reshape import keeps_rows
from harness.model.source_events import (
    DdlEvent,
    RowEvent,
    SourceEvent,
    SourceTable,
)
from harness.model.table import TableId
from harness.verdict.by_record import fold_rows
from harness.verdict.design import AS_EXPECTED, Applies, Design, KeylessRows, OlderRows
from harness.verdict.expected import Expected, Key, fold, key_of


@dataclass(frozen=True, slots=True)
class Folding:
    """The events of a case as a fold takes them.

    `complete` is what a resolved ts promises, None in a protocol that carries rows alone. Of
    `events`, `emitted` are all that were sent, those included of which compaction left nothing.
    """

    events: tuple[SourceEvent, ...]
    emitted: tuple[SourceEvent, ...]
    complete: str | None
    carries_default: Callable[[Column], bool]

    def expected(self, design: Design = AS_EXPECTED) -> Expected:
        """Return the tables of a consumer that has made the usual choice wherever there is one."""
        return next(self.accepted(design))

    def accepted(
        self, design: Design = AS_EXPECTED, *, database: bool = False
    ) -> Iterator[Expected]:
        """Yield the tables that are right under a design, the usual ones first.

        In a database an older row may hold the upstream's default without a declaration: whoever
        creates the table there may have said it.
        """
        older = [design.older_rows, *(one for one in OlderRows if database)]
        for value in dict.fromkeys(older if self.complete is None else older[:1]):
            for left_out in self._left_out(design):
                events = [e for e in self.events if e.origin.event not in left_out]
                yield self._folded(design, value, events)

    def _left_out(self, design: Design) -> Iterator[frozenset[int]]:
        """Yield the numbers of events that may be without effect, first none of them."""
        yield frozenset()
        unheralded = frozenset(_unheralded(self.emitted))
        if unheralded:
            yield unheralded
        if self.complete is not None and design.applies is Applies.ON_ARRIVAL:
            # A DDL that no resolved event completes may be waited for.
            unresolved = self._unresolved_ddl()
            if unresolved:
                yield unresolved

    def _folded(self, design: Design, older: OlderRows, events: Sequence[SourceEvent]) -> Expected:
        by_image = design.keyless_rows is KeylessRows.BY_IMAGE
        if self.complete is None:
            carries = self.carries_default if older is OlderRows.NULL else _always
            return fold_rows(events, carries, by_image=by_image)
        every = design.applies is Applies.ON_ARRIVAL
        return fold(events, complete=self.complete, by_image=by_image, every=every)

    def _unresolved_ddl(self) -> frozenset[int]:
        done = fold(self.events, complete=self.complete or "").applied
        names = {event.origin.event for event in done}
        return frozenset(
            event.origin.event
            for event in self.events
            if isinstance(event, DdlEvent) and event.origin.event not in names
        )


def _always(column: Column) -> bool:
    del column
    return True


def _unheralded(events: Sequence[SourceEvent]) -> Iterator[int]:
    """Yield the updates of rows whose insert was never sent: filtered, or before the start.

    A consumer may insert such a row or update nothing, as TiCDC's own database sink does.
    """
    there: dict[TableId, set[Key]] = {}
    rekeyed: set[TableId] = set()
    for event in events:
        if isinstance(event, DdlEvent):
            _moved(event, there, rekeyed)
        if not isinstance(event, RowEvent) or not event.table.handle:
            continue
        name, table = event.table.table.id, event.table
        keys = there.setdefault(name, set())
        before = None if event.before is None else key_of(table, event.before)
        after = None if event.after is None else key_of(table, event.after)
        if event.op is Op.UPDATE and (before or after) not in keys and name not in rekeyed:
            yield event.origin.event
            continue
        keys.discard(before or ())
        keys.update(() if after is None else (after,))


def _moved(event: DdlEvent, there: dict[TableId, set[Key]], rekeyed: set[TableId]) -> None:
    """Follow a table through a DDL; rows whose key it changes are not followed any more."""
    if event.before is None:
        return
    old, after = event.before, event.after
    keys = there.pop(old.table.id, set())
    was = old.table.id in rekeyed
    rekeyed.discard(old.table.id)
    if after is None or not keeps_rows(old.table, after.table):
        return
    there[after.table.id] = keys
    if was or _handle(old) != _handle(after):
        rekeyed.add(after.table.id)


def _handle(table: SourceTable) -> tuple[tuple[str, object], ...]:
    columns = table.table.columns
    return tuple((columns[n].name, columns[n].kind) for n in table.handle)

"""Deviations in what makes two rows one: keys that lose a part, rows without a key, upserts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from harness.model.change import Op
from harness.model.finding import Finding, Place
from harness.model.source_events import RowEvent, SourceEvent
from harness.model.table import TableId
from harness.model.values import Row, Value
from harness.verdict.causes.deviation import Deviation
from harness.verdict.causes.evidence import Evidence, Tables
from harness.verdict.causes.replay import RIGHT, Rules, each_arrival, released
from harness.verdict.expected import Key, TableState, key_of

Merge = Callable[[Key], object]


def _each(change: Callable[[Value], object]) -> Merge:
    return lambda key: tuple(change(value) for value in key)


def _text(change: Callable[[str], object]) -> Merge:
    return _each(lambda value: change(value) if isinstance(value, str) else value)


def _whole(change: Callable[[int], object]) -> Merge:
    return _each(lambda value: change(value) if isinstance(value, int) else value)


def _short(size: int) -> Merge:
    return _each(lambda value: value[:size] if isinstance(value, str | bytes) else value)


# What a key may lose, in words.
_MERGES: Mapping[str, Merge] = {
    "keys are compared as floating-point numbers": _whole(float),
    "keys are compared by their lower 32 bits": _whole(lambda value: value % 2**32),
    "upper and lower case in keys are taken for equal": _text(str.casefold),
    "blanks in keys are stripped": _text(lambda value: value.strip(" ")),
    "keys are compared in ASCII": _text(lambda value: value.encode("ascii", "replace")),
    "the columns of a key are joined": lambda key: ",".join(map(str, key)),
    "the columns of a key are joined without anything between": lambda key: "".join(map(str, key)),
}
# Keys that agree in as many characters are rare.
_RARE_SIZE = 8


def near_misses(case: Evidence) -> Iterator[Deviation]:
    """Yield what merges keys that are nearly one, if the case has such."""
    names = {(event.table.table.id, key_of(event.table, _image(event))) for event in _keyed(case)}
    short = {
        f"the first {size} characters of a key count": _short(size)
        for size in range(_RARE_SIZE, 65)
    }
    for why, merge in {**_MERGES, **short}.items():
        if len({(table, merge(key)) for table, key in names}) < len(names):
            yield _merging(case, why, merge)


def _keyed(case: Evidence) -> Iterator[RowEvent]:
    for event in case.expected.applied:
        if isinstance(event, RowEvent) and event.table.handle:
            yield event


def deviations(case: Evidence) -> Iterator[Deviation]:
    """Yield the deviations of tables with a key, then of those without."""
    tables = case.expected.tables.values()
    if any(not state.keyless for state in tables):
        for size in range(1, _RARE_SIZE):
            yield _merging(case, f"the first {size} characters of a key count", _short(size))
        widest = max((len(state.source_table.handle) for state in tables), default=1)
        for number in range(widest if widest > 1 else 0):
            why = "one column of a key is taken for the whole of it"
            yield _merging(case, why, lambda key, n=number: key[n : n + 1])  # type: ignore[misc]
        yield _upserts(case)
        if any(case.is_copy(one) and case.is_row(one) for one in case.arrivals):
            yield _retractions(case)
    if any(state.keyless for state in tables):
        why = "equal rows without a key are kept once"
        yield Deviation("row-id", why, lambda: _once(case), lambda f: _lost_copy(case, f))


def _merging(case: Evidence, why: str, merge: Merge) -> Deviation:
    return Deviation("handle", why, lambda: _merged(case, merge), lambda f: _taken(case, f, merge))


def _taken(case: Evidence, finding: Finding, merge: Merge) -> Place | None:
    """Return the record of the row that takes another's place; with marks, of the one that goes."""
    mine = next(reversed(case.history(finding)), None)
    if mine is None or not case.expected.unordered:
        return case.place_of(mine)
    rows = [e for e in case.expected.applied if isinstance(e, RowEvent)]
    behind = rows[rows.index(mine) + 1 :] if mine in rows else []
    other = (event for event in behind if _name(event, merge) == _name(mine, merge))
    return case.place_of(next(other, mine))


def _name(event: RowEvent, merge: Merge) -> object:
    return (event.table.table.id, merge(key_of(event.table, _image(event))))


def _merged(case: Evidence, merge: Merge) -> Tables:
    """Return the tables in which only the last row of each merged key is left.

    The table is folded by its last shape: of one that was altered in between nothing is known.
    """
    found: dict[TableId, TableState] = {}
    for table, state in case.expected.tables.items():
        if state.keyless:
            found[table] = state
            continue
        rows: dict[object, Row] = {}
        for event in case.expected.applied:
            if not isinstance(event, RowEvent) or event.table.table.id != table:
                continue
            name = merge(key_of(event.table, _image(event)))
            if event.op is Op.DELETE:
                rows.pop(name, None)
            elif event.after is not None:
                rows[name] = event.after
        kept = {key_of(state.source_table, row): row for row in rows.values() if _fits(state, row)}
        found[table] = replace_rows(state, kept)
    return found


def _fits(state: TableState, row: Row) -> bool:
    return len(row) == len(state.source_table.table.columns)


def replace_rows(state: TableState, rows: dict[Key, Row]) -> TableState:
    """Return a table with other rows."""
    return TableState(state.source_table, rows, [], state.history)


def _once(case: Evidence) -> Tables:
    return {
        table: TableState(state.source_table, state.rows, list(dict.fromkeys(state.multiset)))
        if state.keyless
        else state
        for table, state in case.expected.tables.items()
    }


def _lost_copy(case: Evidence, finding: Finding) -> Place | None:
    """Return the record of the last of several equal rows."""
    events = case.history(finding)
    puts = [event for event in events if event.after is not None]
    return case.place_of(puts[-1] if puts else None)


def _upserts(case: Evidence) -> Deviation:
    why = "a put without an old row is added beside the row that is there"
    return Deviation("upsert", why, lambda: _appended(case), lambda f: _put_again(case, f))


def _put_again(case: Evidence, finding: Finding) -> Place | None:
    events = case.history(finding)
    puts = [event for event in events if event.after is not None]
    copies = case.copies_of(puts[-1]) if puts else ()
    return copies[-1].place if copies else None


def _appended(case: Evidence) -> Tables:
    """Return the tables in which a put of a key that is there leaves the old row as well."""
    right = case.expected.again(list(released(case, RIGHT)))
    shown: dict[TableId, dict[Key, Row]] = {}
    extra: dict[TableId, list[Row]] = {}
    for event in _as_read(case):
        if not isinstance(event, RowEvent) or not event.table.handle:
            continue
        rows = shown.setdefault(event.table.table.id, {})
        key = key_of(event.table, _image(event))
        if event.after is None:
            rows.pop(key, None)
            continue
        if key in rows and _is_blind(case, event):
            extra.setdefault(event.table.table.id, []).append(rows[key])
        rows[key] = event.after
    return {
        table: TableState(
            state.source_table, state.rows, [*state.multiset, *extra.get(table, [])], state.history
        )
        for table, state in right.items()
    }


def _as_read(case: Evidence) -> list[SourceEvent]:
    """Return the events as they are applied: without marks, copies are applied again."""
    return released(case, Rules(same=each_arrival) if case.expected.unordered else RIGHT)


def _is_blind(case: Evidence, event: RowEvent) -> bool:
    """Tell whether a put has no old row on the wire."""
    copies = case.copies_of(event)
    return bool(copies) and copies[0].decoded.before is None


def _retractions(case: Evidence) -> Deviation:
    why = "each copy of an update takes the old row away and adds the new one"
    return Deviation("repeated", why, lambda: _counted(case), lambda f: _counted_twice(case, f))


def _counted_twice(case: Evidence, finding: Finding) -> Place | None:
    """Return the last copy of an event about a finding's row; without one the row's last event."""
    last = next(reversed(case.history(finding)), None)
    return case.last_copy(finding) or case.place_of(last)


def _counted(case: Evidence) -> Tables:
    counts: dict[TableId, Counter[Row]] = {}
    for event in _every(case):
        if isinstance(event, RowEvent):
            mine = counts.setdefault(event.table.table.id, Counter())
            if event.before is not None:
                mine[event.before] -= 1
            if event.after is not None:
                mine[event.after] += 1
    return {
        table: TableState(state.source_table, {}, list((+counts[table]).elements()), state.history)
        if table in counts
        else state
        for table, state in case.expected.tables.items()
    }


def _every(case: Evidence) -> list[SourceEvent]:
    return released(case, Rules(same=each_arrival))


def _image(event: RowEvent) -> Row:
    image = event.before if event.after is None else event.after
    assert image is not None
    return image

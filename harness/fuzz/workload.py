"""What happens upstream: DDL, and transactions of inserts, updates, moves, swaps and deletes.

The statements are drawn beside a model of which keys have a row, so that the database takes most of
them; what it refuses all the same (keys that a collation takes for one) is not tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from harness.fuzz.literals import KINDS
from harness.fuzz.pick import Draw, pick, some
from harness.fuzz.scene import Ddl, Step, Transaction
from harness.fuzz.tables import Column, Table, drawn_column, drawn_table, tick

TABLES = ("t", "u", "Orders", "v", "w")
# The names of columns that come later.
ADDED = ("n1", "n2", "b", "c")
STEPS = 6
STATEMENTS = 5
# Whether something follows: drawn before each step, so that shrinking can cut any one out.
MORE = (False, True, True)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a workload may have: tables without a key, odd names, and a name's second table.

    Where DDL is not on the wire, the rows of a table's predecessor stay, under a key that may be of
    another type: nobody can say what they are then.
    """

    keyless: bool
    odd: bool
    again: bool


def _value(draw: Draw, table: Table, column: Column) -> str:
    """Draw what a row has in a column."""
    if column.name == table.unique:
        table.used += 1
        return pick(draw, (str(table.used), "NULL"))
    edges = ["", "", ""]
    edges += ["NULL"] if column.nullable else []
    edges += ["DEFAULT"] if column.default else []
    edge = pick(draw, edges) if len(edges) > 3 else ""
    return edge or draw(column.kind.literals)


def _row(draw: Draw, table: Table, key: Sequence[str]) -> str:
    others = [_value(draw, table, column) for column in table.columns]
    return f"({', '.join((*key, *others))})"


def _insert(draw: Draw, table: Table) -> Iterator[str]:
    if not table.key:
        row = _row(draw, table, ())
        times = pick(draw, (1, 2))
        table.present.add(len(table.present))
        yield f"INSERT INTO {table.sql} VALUES {', '.join([row] * times)}"
        return
    free = table.absent()
    if not free:
        return
    keys = {place: table.literals(draw, place) for place in some(draw, free, 2)}
    rows = [_row(draw, table, key) for key in keys.values() if key is not None]
    table.present.update(place for place, key in keys.items() if key is not None)
    if rows:
        yield f"INSERT INTO {table.sql} VALUES {', '.join(rows)}"


def _present(draw: Draw, table: Table) -> int:
    return pick(draw, sorted(table.present))


def _update(draw: Draw, table: Table) -> Iterator[str]:
    settable = [column for column in table.columns if column.name != table.unique]
    if not table.present or not settable:
        return
    column = pick(draw, settable)
    where = f" WHERE {table.where(_present(draw, table))}" if table.key else " LIMIT 1"
    value = _value(draw, table, column)
    yield f"UPDATE {table.sql} SET {tick(column.name)} = {value}{where}"


def _delete(draw: Draw, table: Table) -> Iterator[str]:
    if not table.present:
        return
    if not table.key:
        yield f"DELETE FROM {table.sql} LIMIT 1"
        return
    place = _present(draw, table)
    table.present.discard(place)
    yield f"DELETE FROM {table.sql} WHERE {table.where(place)}"


def _moved(table: Table, old: int, new: int) -> str:
    pairs = zip(table.key, table.pool[new], strict=True)
    to = ", ".join(f"{tick(column.name)} = {literal}" for column, literal in pairs)
    return f"UPDATE {table.sql} SET {to} WHERE {table.where(old)}"


def _move(draw: Draw, table: Table) -> Iterator[str]:
    if not table.present or not table.absent() or not table.key:
        return
    old, new = _present(draw, table), pick(draw, table.absent())
    if table.literals(draw, new) is None:
        return
    table.present = (table.present - {old}) | {new}
    yield _moved(table, old, new)


def _swap(draw: Draw, table: Table) -> Iterator[str]:
    if len(table.present) < 2 or not table.absent() or not table.key:
        return
    one = _present(draw, table)
    other = pick(draw, sorted(table.present - {one}))
    spare = table.absent()[0]
    if table.literals(draw, spare) is None:
        return
    yield _moved(table, one, spare)
    yield _moved(table, other, one)
    yield _moved(table, spare, other)


def _replace(draw: Draw, table: Table) -> Iterator[str]:
    if not table.present or not table.key:
        return
    place = _present(draw, table)
    yield f"REPLACE INTO {table.sql} VALUES {_row(draw, table, table.pool[place])}"


Statement = Callable[[Draw, Table], Iterator[str]]
STATEMENT_KINDS: tuple[Statement, ...] = (
    _insert,
    _insert,
    _update,
    _delete,
    _move,
    _replace,
    _swap,
)


def _transaction(draw: Draw, name: str, there: Sequence[Table]) -> Transaction | None:
    statements: list[str] = []
    for number in range(STATEMENTS):
        if number and not pick(draw, MORE):
            break
        table = pick(draw, there)
        kind = pick(draw, STATEMENT_KINDS) if table.present else _insert
        statements += kind(draw, table)
    return Transaction(name, tuple(statements)) if statements else None


def _add(draw: Draw, table: Table) -> str:
    taken = {column.name for column in table.columns}
    free = [name for name in ADDED if name not in taken]
    if not free:
        return ""
    column = drawn_column(draw, pick(draw, free), later=True)
    place = pick(draw, ("", "", " FIRST"))
    if place:
        # Rows are written by position: the key comes first always, so what is put first comes
        # named.
        place = f" AFTER {tick(table.key[-1].name)}" if table.key else place
        table.columns.insert(0, column)
    else:
        table.columns.append(column)
    return f"ALTER TABLE {table.sql} ADD COLUMN {column.sql}{place}"


def _drop_column(draw: Draw, table: Table) -> str:
    among = [c for c in table.columns if c.name != table.unique]
    if len(among) < 2:
        return ""
    column = pick(draw, among)
    table.columns.remove(column)
    return f"ALTER TABLE {table.sql} DROP COLUMN {tick(column.name)}"


def _rename_column(draw: Draw, table: Table) -> str:
    among = [c for c in table.columns if c.name != table.unique]
    if not among or any(c.name == "r" for c in table.columns):
        return ""
    column = pick(draw, among)
    table.columns[table.columns.index(column)] = replace(column, name="r")
    return f"ALTER TABLE {table.sql} RENAME COLUMN {tick(column.name)} TO r"


def _widen(draw: Draw, table: Table) -> str:
    among = [c for c in table.columns if c.kind.wider and c.name != table.unique]
    if not among:
        return ""
    column = pick(draw, among)
    kind = KINDS.get(column.kind.wider) or replace(column.kind, sql=column.kind.wider, wider="")
    wide = replace(column, kind=kind)
    table.columns[table.columns.index(column)] = wide
    return f"ALTER TABLE {table.sql} MODIFY COLUMN {wide.sql}"


def _truncate(draw: Draw, table: Table) -> str:
    del draw
    table.present = set()
    return f"TRUNCATE TABLE {table.sql}"


def _empty_partition(draw: Draw, table: Table) -> str:
    if table.partitions is None:
        return ""
    name = pick(draw, [name for name, _ in table.partitions.bounds])
    table.lose(name)
    # The last one takes whatever is not below the others, and stays.
    stays = table.partitions.kind == "HASH" or name == table.partitions.bounds[-1][0]
    if stays or pick(draw, (True, False)):
        return f"ALTER TABLE {table.sql} TRUNCATE PARTITION {name}"
    table.partitions.bounds = [one for one in table.partitions.bounds if one[0] != name]
    return f"ALTER TABLE {table.sql} DROP PARTITION {name}"


def _index(draw: Draw, table: Table) -> str:
    among = [c for c in table.columns if c.kind.key]
    if not among:
        return ""
    column = pick(draw, among)
    return f"ALTER TABLE {table.sql} ADD INDEX ({tick(column.name)})"


Alteration = Callable[[Draw, Table], str]
ALTERATIONS: tuple[Alteration, ...] = (
    *(_add, _add, _drop_column, _rename_column, _widen, _truncate, _index, _empty_partition),
)


def _drop(draw: Draw, there: list[Table]) -> str:
    table = pick(draw, there)
    there.remove(table)
    return f"DROP TABLE {table.sql}"


def _rename(draw: Draw, there: list[Table]) -> str:
    table = pick(draw, there)
    old, table.name = table.sql, f"{table.name}2"
    return f"RENAME TABLE {old} TO {table.sql}"


def _ddl(draw: Draw, there: list[Table], used: set[str], limits: Limits) -> str:
    what = pick(draw, ("alter", "alter", "alter", "create", "rename", "drop"))
    if what == "alter":
        return pick(draw, ALTERATIONS)(draw, pick(draw, there))
    if what == "rename":
        return _rename(draw, there)
    if what == "drop" and len(there) > 1:
        return _drop(draw, there)
    taken = {table.name for table in there}
    if not limits.again:
        taken |= used
    free = [name for name in TABLES if name not in taken]
    if not free:
        return ""
    used.add(free[0])
    table = drawn_table(draw, free[0], keyless=limits.keyless, odd=limits.odd)
    there.append(table)
    return table.create()


def drawn_workload(draw: Draw, limits: Limits) -> tuple[Step, ...]:
    """Draw the steps of a scenario."""
    count = pick(draw, (1, 1, 2))
    used: set[str] = set(TABLES[:count])
    there = [
        drawn_table(draw, name, keyless=limits.keyless, odd=limits.odd) for name in TABLES[:count]
    ]
    steps: list[Step] = [Ddl(table.create()) for table in there]
    for number in range(STEPS):
        if number and not pick(draw, MORE):
            break
        if not number or pick(draw, (True, True, False)):
            made = _transaction(draw, f"t{number + 1}", there)
            steps += [] if made is None else [made]
        else:
            sql = _ddl(draw, there, used, limits)
            steps += [Ddl(sql)] if sql else []
    return tuple(steps)

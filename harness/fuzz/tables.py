"""Tables as a workload sees them: their columns, their key, and which keys have a row by now.

Keys come from a small pool, so that a key is used again and again; a row is known by its place in
the pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.fuzz.literals import KEYS, KINDS, ORDERED, Kind
from harness.fuzz.pick import Draw, pick, some
from harness.fuzz.scene import DATABASE
from harness.model.columns import INTEGERS

NAMES = ("b", "c", "d", "from")
# Those that Avro does not take as they are.
ODD_NAMES = ("Größe", "a b")
POOL = 4
TRIES = 3


def tick(name: str) -> str:
    """Return a name in back quotes where it needs them."""
    plain = name.isascii() and name.isidentifier() and name != "from"
    return name if plain else f"`{name}`"


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `default` is a literal, "" for none."""

    name: str
    kind: Kind
    nullable: bool = True
    default: str = ""

    @property
    def sql(self) -> str:
        """Return its definition."""
        words = [tick(self.name), self.kind.sql]
        words += [] if self.nullable else ["NOT NULL"]
        words += [f"DEFAULT {self.default}"] if self.default else []
        return " ".join(words)


@dataclass(slots=True)
class Partitions:
    """How rows are dealt by the key's first column: by HASH, or by RANGE with these bounds.

    `bounds` are the names with what is below them, None for MAXVALUE.
    """

    kind: str
    bounds: list[tuple[str, int | None]]

    def sql(self, column: str) -> str:
        """Return the clause of CREATE TABLE."""
        if self.kind == "HASH":
            return f" PARTITION BY HASH ({column}) PARTITIONS {len(self.bounds)}"
        listed = ", ".join(
            f"PARTITION {name} VALUES LESS THAN {'MAXVALUE' if to is None else f'({to})'}"
            for name, to in self.bounds
        )
        return f" PARTITION BY RANGE ({column}) ({listed})"

    def name_of(self, value: int) -> str:
        """Return the partition of a value."""
        if self.kind == "HASH":
            number = value - (1 << 64) if value >= 1 << 63 else value
            return self.bounds[abs(number) % len(self.bounds)][0]
        return next(name for name, to in self.bounds if to is None or value < to)


@dataclass(slots=True)
class Table:
    """A table in the middle of a workload.

    `key` are the columns of the key, none of a table without; `pool` has their literals by place.
    `present` are the places in the pool that have a row; of a table without a key it is only
    counted. `used` counts the values that a unique column was given. `partitions` says how rows are
    dealt, None where they are not.
    """

    name: str
    columns: list[Column]
    key: tuple[Column, ...] = ()
    pool: dict[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    unique: str = ""
    primary: bool = True
    present: set[int] = field(default_factory=set[int])
    used: int = 0
    partitions: Partitions | None = None

    @property
    def sql(self) -> str:
        """Return its name in SQL."""
        return f"{DATABASE}.{tick(self.name)}"

    def create(self) -> str:
        """Return the statement that creates it."""
        parts = [column.sql for column in (*self.key, *self.columns)]
        if self.key:
            listed = ", ".join(tick(column.name) for column in self.key)
            parts.append(f"{'PRIMARY' if self.primary else 'UNIQUE'} KEY ({listed})")
        if self.unique:
            parts.append(f"UNIQUE KEY ({tick(self.unique)})")
        dealt = self.partitions.sql(tick(self.key[0].name)) if self.partitions is not None else ""
        return f"CREATE TABLE {self.sql} ({', '.join(parts)}){dealt}"

    def lose(self, name: str) -> None:
        """Forget the rows of a partition."""
        assert self.partitions is not None
        name_of = self.partitions.name_of
        self.present = {n for n in self.present if name_of(int(self.pool[n][0])) != name}

    def where(self, place: int) -> str:
        """Return what finds the row of a place in the pool."""
        pairs = zip(self.key, self.pool[place], strict=True)
        return " AND ".join(f"{tick(column.name)} = {literal}" for column, literal in pairs)

    def absent(self) -> list[int]:
        """Return the places of the pool that have no row."""
        return [place for place in range(POOL) if place not in self.present]

    def literals(self, draw: Draw, place: int) -> tuple[str, ...] | None:
        """Return the key of a place, drawn when it is first wanted; None for want of a new one."""
        found = self.pool.get(place)
        for _ in range(TRIES if found is None else 0):
            found = tuple(draw(column.kind.literals) for column in self.key)
            if found not in self.pool.values():
                self.pool[place] = found
                return found
        return self.pool.get(place)


def drawn_column(draw: Draw, name: str, *, later: bool = False) -> Column:
    """Draw a column; one that comes `later`, when there are rows, has something to fill them."""
    kind = drawn_kind(draw)
    nullable = pick(draw, (True, True, False))
    takes_default = "TEXT" not in kind.sql and "BLOB" not in kind.sql and kind.sql != "JSON"
    needed = later and not nullable
    wanted = takes_default and (needed or pick(draw, (False, False, True)))
    default = draw(kind.literals) if wanted else ""
    return Column(name, kind, nullable or (later and not wanted), default)


def drawn_kind(draw: Draw, among: Sequence[str] = ORDERED) -> Kind:
    """Draw a column's type: half of the draws are among the plainest."""
    return KINDS[pick(draw, pick(draw, (among[:4], among)))]


def drawn_table(draw: Draw, name: str, *, keyless: bool, odd: bool) -> Table:
    """Draw a table; without a key, and with odd names, only where that is allowed."""
    count = pick(draw, (1, 1, 1, 2, *((0, 0) if keyless else ())))
    key = tuple(
        Column(letter, drawn_kind(draw, KEYS), nullable=False) for letter in ("id", "k2")[:count]
    )
    others = [
        drawn_column(draw, letter)
        for letter in some(draw, (*NAMES, *ODD_NAMES) if odd else NAMES, 3)
    ]
    wants_unique = pick(draw, (False, False, False, True))
    unique = "u" if key and wants_unique else ""
    if unique:
        others.append(Column(unique, KINDS["INT"]))
    primary = pick(draw, (True, True, True, False))
    partitions = None
    if key and not unique and key[0].kind.kind in INTEGERS:
        kind = pick(draw, ("", "", "", "HASH", "RANGE"))
        bounds: list[tuple[str, int | None]] = [("p0", 1), ("p1", 3), ("p2", None)]
        partitions = Partitions(kind, bounds) if kind else None
    return Table(name, others, key, unique=unique, primary=primary, partitions=partitions)

"""A consumer's table against the expected one, by key, on the executors.

Nothing is collected but counts and a few samples. An output's column is read as the expected
column's type: a number kept as text is right when it is the same number, and what cannot be read so
is different. A column that the output lacks counts as NULL in every row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.load.session import Frame
from harness.load.surviving_tables import LeftTable

MISSING, EXTRA, REPEATED, DIFFERENT = "missing", "extra", "repeated", "different"
STATES = (MISSING, EXTRA, REPEATED, DIFFERENT)
SAMPLES = 5


@dataclass(frozen=True, slots=True)
class Sample:
    """One key that is wrong; `columns` has expected and output of those that differ, as text."""

    state: str
    key: Mapping[str, str | None]
    columns: Mapping[str, tuple[str | None, str | None]] = field(
        default_factory=dict[str, tuple[str | None, str | None]]
    )


@dataclass(frozen=True, slots=True)
class Compared:
    """What became of one table: rows on both sides, keys by state, samples.

    A key is `repeated` when the output has several rows of it. `lacking` are expected columns that
    the output has not, `unknown` the output's own.
    """

    table: str
    expected: int
    output: int
    states: Mapping[str, int]
    samples: tuple[Sample, ...] = ()
    lacking: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Return whether each row is there, once and with its values, and no other."""
        return not any(self.states.values())


def compare(
    table: LeftTable, expected: Frame, output: Frame | None, samples: int = SAMPLES
) -> Compared:
    """Compare one table; an output of None has no such table."""
    present = {} if output is None else {name: name for name in output.columns}
    joined = _joined(table, expected, output, present)
    counts = {
        row["state"]: (row["keys"], row["expected"], row["output"])
        for row in joined.groupBy("state").agg(*_counts()).collect()
    }
    states = {state: counts.get(state, (0, 0, 0))[0] for state in STATES}
    found = _samples(joined, table, samples) if samples and any(states.values()) else []
    return Compared(
        table.name,
        expected=sum(one[1] for one in counts.values()),
        output=sum(one[2] for one in counts.values()),
        states=states,
        samples=tuple(found),
        lacking=tuple(name for name in table.columns if output is not None and name not in present),
        unknown=tuple(name for name in present if name not in table.columns),
    )


def _joined(
    table: LeftTable, expected: Frame, output: Frame | None, present: Mapping[str, str]
) -> Frame:
    """Return one row for each key of either side, with its state and both rows.

    The output is brought to one row a key first, which leaves it where the join wants it: no second
    exchange of it over the network.
    """
    keys = [f"try_cast({_named(n)} as {table.columns[n]})" for n in table.key]
    wanted = expected.selectExpr(
        *(f"{_named(name)} as ek{number}" for number, name in enumerate(table.key)),
        f"struct({', '.join(map(_named, table.columns))}) as wanted",
    )
    there: Frame = output
    if output is None:
        there, present = expected.limit(0), table.columns
    raw = [
        f"{_named(name)}" if name in present else f"cast(null as string) as {_named(name)}"
        for name in table.columns
    ]
    got = (
        there.selectExpr(*raw)
        .selectExpr(
            *(f"{key} as ok{number}" for number, key in enumerate(keys)),
            f"struct({', '.join(map(_named, table.columns))}) as got",
        )
        .groupBy(*(f"ok{number}" for number in range(len(keys))))
        .agg(*_once())
    )
    on: Any = None
    for number in range(len(keys)):
        equal = wanted[f"ek{number}"].eqNullSafe(got[f"ok{number}"])
        on = equal if on is None else on & equal
    both = wanted.join(got, on, "full_outer")
    same = " and ".join(
        f"wanted.{_named(n)} <=> try_cast(got.{_named(n)} as {kind})"
        for n, kind in table.columns.items()
    )
    return both.selectExpr(
        "*",
        f"case when wanted is null then '{EXTRA}' when got is null then '{MISSING}'"
        f" when rows > 1 then '{REPEATED}' when not ({same}) then '{DIFFERENT}'"
        " else 'same' end as state",
    )


def _once() -> tuple[Any, ...]:
    from pyspark.sql import functions  # noqa: PLC0415 - only where Spark is

    return functions.count("*").alias("rows"), functions.first("got").alias("got")


def _counts() -> tuple[Any, ...]:
    from pyspark.sql import functions  # noqa: PLC0415 - only where Spark is

    return (
        functions.count("*").alias("keys"),
        functions.count("wanted").alias("expected"),
        functions.coalesce(functions.sum("rows"), functions.lit(0)).alias("output"),
    )


def _samples(joined: Frame, table: LeftTable, most: int) -> list[Sample]:
    """Return the first keys of each state; Spark keeps no more than these of a task's rows."""
    names = list(table.columns)
    texts = [
        f"cast({side}.{_named(name)} as string) as {side}{number}"
        for side in ("wanted", "got")
        for number, name in enumerate(names)
    ]
    marks = [
        f"wanted.{_named(name)} <=> try_cast(got.{_named(name)} as {kind}) as same{number}"
        for number, (name, kind) in enumerate(table.columns.items())
    ]
    keys = ", ".join(f"coalesce(ek{n}, ok{n})" for n in range(len(table.key)))
    chosen = (
        joined.where("state <> 'same'")
        .selectExpr(
            "state",
            f"row_number() over (partition by state order by {keys}) as place",
            *texts,
            *marks,
        )
        .where(f"place <= {most}")
        .collect()
    )
    rows = sorted(chosen, key=lambda row: (STATES.index(row["state"]), row["place"]))
    return [_sample(row.asDict(), table) for row in rows]


def _sample(row: Mapping[str, Any], table: LeftTable) -> Sample:
    state = row["state"]
    numbers = {name: number for number, name in enumerate(table.columns)}
    side = "got" if state == EXTRA else "wanted"
    key = {name: row[f"{side}{numbers[name]}"] for name in table.key}
    if state != DIFFERENT:
        return Sample(state, key)
    differing = {
        name: (row[f"wanted{number}"], row[f"got{number}"])
        for name, number in numbers.items()
        if not row[f"same{number}"]
    }
    return Sample(state, key, differing)


def _named(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"

"""What to make: one record of numbers, from a small YAML file, from options, or from both.

Law: two equal specs make the same bytes. Nothing that changes no byte (tasks, pace, addresses) is
in here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from harness.documents.nearest import nearest
from harness.documents.yaml_file import YamlFile, read
from harness.errors import Location, Problem, ScenarioError, UsageError
from harness.model.dialects import DEFAULT_DIALECT, DIALECTS
from harness.sources.clock import LOGICAL_BITS

PARTITIONS_MAX = 1000
TABLES_MAX = 1000
SHARES = ("update", "delete", "move")


@dataclass(frozen=True, slots=True)
class Spec:
    """A workload.

    `events` counts row changes, over all tables and partitions. `update`, `delete` and `move` (a
    change of the primary key) are their shares of it, the rest are inserts. `transaction` is how
    many rows a transaction has at most, `window` how many rows of a partition can still change, and
    `mark` after how many rows of a partition a resolved mark follows. `skew` is an exponent: 0
    spreads events evenly over tables, partitions and the rows of the window, 1 as Zipf has it.
    `ddl` is how many statements change a table on the way, `duplicates` the share of events that
    are told a second time. `settings` are the protocol's own.
    """

    protocol: str = "open"
    dialect: str = DEFAULT_DIALECT
    seed: int = 1
    events: int = 100_000
    tables: int = 3
    partitions: int = 4
    update: float = 0.6
    delete: float = 0.08
    move: float = 0.02
    transaction: int = 4
    window: int = 4096
    mark: int = 1000
    skew_tables: float = 0.5
    skew_partitions: float = 0.0
    skew_keys: float = 1.0
    ddl: int = 2
    duplicates: float = 0.01
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def told(self) -> Mapping[str, Any]:
        """Return the protocol's settings, over those that a workload needs to be sent at all."""
        return {**NEEDED[self.protocol], **self.settings}


# TiCDC posts the schemas of a topic under one subject, so tables need topics of their own; a
# connector that starts with a workload finds no rows to copy.
NEEDED: Mapping[str, Mapping[str, Any]] = {
    "open": {},
    "avro": {"sink.dispatchers": [{"matcher": ["*.*"], "topic": "{schema}_{table}"}]},
    "vitess": {"snapshot.mode": "never"},
}
# Name in a file or an option -> least and greatest value; whole numbers where both are.
BOUNDS: Mapping[str, tuple[float, float]] = {
    "seed": (0, 2**63 - 1),
    "events": (1, 10**12),
    "tables": (1, TABLES_MAX),
    "partitions": (1, PARTITIONS_MAX),
    "update": (0.0, 1.0),
    "delete": (0.0, 1.0),
    "move": (0.0, 1.0),
    "transaction": (1, 1000),
    "window": (1, 1_000_000),
    "mark": (1, 100_000),
    "skew-tables": (0.0, 3.0),
    "skew-partitions": (0.0, 3.0),
    "skew-keys": (0.0, 10.0),
    "ddl": (0, 10_000),
    "duplicates": (0.0, 0.9),
}
TEXTS = ("protocol", "dialect")
NAMES = (*TEXTS, *BOUNDS, "settings")
assert {name.replace("-", "_") for name in NAMES} == {one.name for one in fields(Spec)}


def load(file: Path | None, told: Mapping[str, Any]) -> Spec:
    """Return the spec of a file with what was told besides laid over it.

    Raises ScenarioError, with line and column, for what is wrong in the file, and UsageError for
    what is wrong with the whole.
    """
    values: Mapping[str, Any] = {} if file is None else _values(_read(file))
    return checked({**values, **told})


def checked(values: Mapping[str, Any]) -> Spec:
    """Return the spec of values by their names in a file; raises UsageError."""
    for name, value in values.items():
        wrong = _wrong(name, value)
        if wrong is not None:
            raise UsageError(f"{name}: {wrong[0]}", expected=wrong[1])
    spec = Spec(**{name.replace("-", "_"): _plain(name, value) for name, value in values.items()})
    if spec.dialect not in DIALECTS[spec.protocol]:
        raise UsageError(
            f"{spec.protocol} has no dialect {spec.dialect!r}",
            expected="one of " + ", ".join(DIALECTS[spec.protocol]),
        )
    shares = spec.update + spec.delete + spec.move
    if shares > 1:
        raise UsageError(
            f"the shares of {', '.join(SHARES)} add up to {shares:g}",
            expected="at most 1; the rest are inserts",
        )
    if spec.mark * spec.partitions >= 1 << LOGICAL_BITS:
        raise UsageError(
            f"{spec.mark} rows between two marks in {spec.partitions} partitions need more"
            " timestamps than a second has",
            expected=f"mark times partitions below {1 << LOGICAL_BITS}",
            hint=f"mark: {((1 << LOGICAL_BITS) - 1) // spec.partitions} is the most here",
        )
    return spec


def as_json(spec: Spec) -> str:
    """Return a spec as text, by the names of a file; `checked` reads its data back."""
    named = {name: getattr(spec, name.replace("-", "_")) for name in NAMES}
    return json.dumps(named, default=float)


def _read(file: Path) -> YamlFile:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}", expected="a YAML file") from error
    return read(text, str(file))


def _values(source: YamlFile) -> Mapping[str, Any]:
    data = source.data
    if not isinstance(data, dict):
        where = Location(source.file, 1, 1)
        raise ScenarioError((Problem(where, "this is no mapping", "name: value, line by line"),))
    named = cast("dict[str, Any]", data)
    problems: list[Problem] = []
    for name, value in named.items():
        wrong = _wrong(name, value)
        if wrong is not None:
            place = source.place_of_key if wrong[2] else source.place
            problems.append(Problem(place((name,)), f"{name}: {wrong[0]}", wrong[1]))
    if problems:
        raise ScenarioError(tuple(problems))
    return named


def _wrong(name: str, value: object) -> tuple[str, str, bool] | None:
    """Return what is wrong, what was expected, and whether it is the name; None for nothing."""
    if name not in NAMES:
        close = nearest(name, NAMES)
        return "no such name", f"`{close}`" if close else "one of " + ", ".join(NAMES), True
    if name == "protocol" and value not in DIALECTS:
        return f"{value!r} is no protocol", "one of " + ", ".join(DIALECTS), False
    if name == "settings":
        fits = isinstance(value, Mapping)
        return None if fits else (f"{value!r} is no mapping", "the protocol's settings", False)
    if name in TEXTS:
        return None if isinstance(value, str) else (f"{value!r} is no text", "a text", False)
    least, most = BOUNDS[name]
    whole = isinstance(least, int)
    kinds = (int,) if whole else (int, float, Decimal)
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
        what = "a whole number" if whole else "a number"
        return f"{value!r} cannot be", f"{what} from {least} to {most}", False
    return None


def _plain(name: str, value: Any) -> Any:  # noqa: ANN401 - of whatever kind the field is
    return float(value) if isinstance(BOUNDS.get(name, (0,))[0], float) else value

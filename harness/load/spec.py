"""What to make: one record of numbers, from a small YAML file, from options, or from both.

Two equal specs make the same bytes. Nothing that changes no byte (tasks, pace, addresses) is in
here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast

import msgspec

from harness.contracts import DEFAULT_DIALECT
from harness.documents import typed
from harness.documents.typed import key
from harness.documents.yaml_file import YamlFile
from harness.errors import UsageError, plural
from harness.protocols import PROTOCOLS
from harness.sources.clock import LOGICAL_BITS

PARTITIONS_MAX = 1000
TABLES_MAX = 1000
SHARES = ("update", "delete", "move")


def _whole(least: int, most: int) -> msgspec.Meta:
    return key(f"a whole number from {least} to {most}", minimum=least, maximum=most)


def _number(least: float, most: float) -> msgspec.Meta:
    return key(f"a number from {least} to {most}", minimum=least, maximum=most)


class Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A workload.

    `events` counts row changes, over all tables and partitions. `update`, `delete` and `move` (a
    change of the primary key) are their shares of it, the rest are inserts. `transaction` is how
    many rows a transaction has at most, `window` how many rows of a partition can still change, and
    `mark` after how many rows of a partition a resolved event follows. `skew` is an exponent: 0
    spreads events evenly over tables, partitions and the rows of the window, 1 as Zipf has it.
    `ddl` is how many statements change a table on the way, `duplicates` the share of events that
    are sent a second time. `settings` are the protocol's own.
    """

    schema_keywords: ClassVar = {"title": "a workload"}

    protocol: Annotated[str, key("a protocol", enum=list(PROTOCOLS))] = next(iter(PROTOCOLS))
    dialect: Annotated[str, key("a text")] = DEFAULT_DIALECT
    seed: Annotated[int, _whole(0, 2**63 - 1)] = 1
    events: Annotated[int, _whole(1, 10**12)] = 100_000
    tables: Annotated[int, _whole(1, TABLES_MAX)] = 3
    partitions: Annotated[int, _whole(1, PARTITIONS_MAX)] = 4
    update: Annotated[float, _number(0.0, 1.0)] = 0.6
    delete: Annotated[float, _number(0.0, 1.0)] = 0.08
    move: Annotated[float, _number(0.0, 1.0)] = 0.02
    transaction: Annotated[int, _whole(1, 1000)] = 4
    window: Annotated[int, _whole(1, 1_000_000)] = 4096
    mark: Annotated[int, _whole(1, 100_000)] = 1000
    skew_tables: Annotated[float, _number(0.0, 3.0)] = 0.5
    skew_partitions: Annotated[float, _number(0.0, 3.0)] = 0.0
    skew_keys: Annotated[float, _number(0.0, 10.0)] = 1.0
    ddl: Annotated[int, _whole(0, 10_000)] = 2
    duplicates: Annotated[float, _number(0.0, 0.9)] = 0.01
    settings: Annotated[Mapping[str, Any], key("the protocol's settings")] = {}

    @property
    def effective_settings(self) -> Mapping[str, Any]:
        """Return the protocol's settings, over those that a workload needs to be sent at all."""
        return {**(PROTOCOLS[self.protocol].load_settings or {}), **self.settings}


def load(file: Path | None, options: Mapping[str, Any]) -> Spec:
    """Return the spec of a file with the options that a user gave laid over it.

    Raises ScenarioError, with line and column, for what is wrong in the file, and UsageError for
    what is wrong with the whole.
    """
    values: Mapping[str, Any] = {}
    if file is not None:
        values = cast("Mapping[str, Any]", typed.read_yaml(file, str(file), Spec)[0].data)
    return checked({**values, **options})


def checked(values: Mapping[str, Any]) -> Spec:
    """Return the spec of values by their names in a file; raises UsageError."""
    spec = typed.checked(YamlFile("the workload", "", None, dict(values)), Spec)
    if PROTOCOLS[spec.protocol].load_settings is None:
        offered = [name for name in PROTOCOLS if PROTOCOLS[name].load_settings is not None]
        raise UsageError(
            f"no workload is made for the protocol {spec.protocol}",
            expected="one of " + ", ".join(offered),
            hint="`harness certify` runs the scenarios of every protocol",
        )
    dialects = PROTOCOLS[spec.protocol].codec.dialects
    if spec.dialect not in dialects:
        raise UsageError(
            f"{spec.protocol} has no dialect {spec.dialect!r}",
            expected="one of " + ", ".join(dialects),
        )
    shares = spec.update + spec.delete + spec.move
    if shares > 1:
        raise UsageError(
            f"the shares of {', '.join(SHARES)} add up to {shares:g}",
            expected="at most 1; the rest are inserts",
        )
    if spec.mark * spec.partitions >= 1 << LOGICAL_BITS:
        raise UsageError(
            f"more timestamps than a second has: {plural(spec.mark, 'row')} between two marks in "
            f"{plural(spec.partitions, 'partition')}",
            expected=f"mark times partitions below {1 << LOGICAL_BITS}",
            hint=f"mark: {((1 << LOGICAL_BITS) - 1) // spec.partitions} is the most here",
        )
    return spec


def as_json(spec: Spec) -> str:
    """Return a spec as text, by the names of a file; `checked` reads its data back."""
    return json.dumps(msgspec.to_builtins(spec, builtin_types=(Decimal,)), default=float)

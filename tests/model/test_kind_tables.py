"""A new column type finds its places: tables over all types are total, and this test names them."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from types import ModuleType

import harness
from harness.model.columns import ColumnKind

# Modules that run something when they are imported, or need what is not installed everywhere.
LEFT_OUT = ("__main__", "guardian", "harness.pytest_plugin", "harness.scaffolds", "harness.bench")
# Tables over most types -> why the other types have no row.
PARTIAL = {
    "harness.ddl.definitions.stored_columns._ZEROS": "a JSON column has no zero value",
    "harness.sources.vitess.copy._COSTS": "the other types have one cost, 1000",
    "harness.mutants.producers.vitess.types.CONFUSED": "no other type can carry what these send",
}


def modules() -> Iterator[ModuleType]:
    """Yield the modules of the harness."""
    for found in pkgutil.walk_packages(harness.__path__, "harness."):
        if not any(part in found.name for part in LEFT_OUT):
            with contextlib.suppress(ModuleNotFoundError):  # an extra that is not installed
                yield importlib.import_module(found.name)


def tables() -> dict[str, Mapping[ColumnKind, object]]:
    """Return the module-level tables that have a row for most column types, each once."""
    found: dict[int, tuple[str, Mapping[ColumnKind, object]]] = {}
    for module in modules():
        for name, value in vars(module).items():
            if not isinstance(value, Mapping) or len(value) <= len(ColumnKind) / 2:
                continue
            if all(isinstance(key, ColumnKind) for key in value):
                found.setdefault(id(value), (f"{module.__name__}.{name}", value))
    return dict(found.values())


def test_tables_over_column_types_are_total() -> None:
    """Each table that has a row for most column types has one for every type."""
    lacking = {
        name: sorted(set(ColumnKind) - set(table))
        for name, table in tables().items()
        if name not in PARTIAL and set(ColumnKind) - set(table)
    }
    assert not lacking


def test_the_tables_are_found() -> None:
    """The walk sees the tables of the model, the DDL catalogue and each protocol's page."""
    names = {name.rpartition(".")[2] for name in tables()}
    assert {"_READERS", "TYPE_CODES", "TYPES", "_ZERO_TEXT"} <= names
    assert set(PARTIAL) <= set(tables())

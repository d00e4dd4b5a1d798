"""The production sink: every table a Delta table, kept exactly once as changes come.

`columns` and `sketch` say what a table is, `scan` and `plan` what a micro-batch asks for, `alter`
and `convert` how, `writes` does it to one table, `ledger` remembers, `sink` is what `foreachBatch`
calls. For others' own jobs: `in_order`, `write_delta`, `tables` and `Changefeed` (`library`), which
are loaded when they are asked for, because PySpark is.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cdc_spark.delta.library import Changefeed, in_order, tables, write_delta

__all__ = ("Changefeed", "in_order", "tables", "write_delta")


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any of the functions above
    """Load a public function when it is asked for."""
    if name not in __all__:
        raise AttributeError(name)
    return getattr(import_module("cdc_spark.delta.library"), name)

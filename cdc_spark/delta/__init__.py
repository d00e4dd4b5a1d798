"""The production sink: every table a Delta table, kept exactly once as changes come.

`columns` and `sketch` say what a table is, `scan` and `plan` what a micro-batch asks for, `alter`
and `convert` how, `writes` does it to one table, `catalog` names it, `ledger` remembers, `sink` is
what `foreachBatch` calls, `tables` has the public functions.
"""

from __future__ import annotations

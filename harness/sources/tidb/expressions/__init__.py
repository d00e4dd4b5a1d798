"""Value expressions of event filters: SQL conditions over one row, evaluated as TiDB does.

Only a listed set of operators and functions is known (`supported`); every other one is refused by
name, so that no expression is ever evaluated approximately.
"""

from __future__ import annotations

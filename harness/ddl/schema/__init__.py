"""What DDL does to tables: syntax trees in, immutable tables out, TiDB's ids and rules kept.

Source: TiDB pkg/ddl (create_table.go, executor.go, column.go, index.go, partition.go).
"""

from __future__ import annotations

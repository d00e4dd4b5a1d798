"""When an event takes effect: what is held, dropped as a repetition, and in which order it goes on.

| module | the stream |
| --- | --- |
| `hold` | has resolved events: rows wait until all partitions have passed them |
| `undated` | the same, with deletes that have no commit ts (TiCDC Avro with its watermark) |
| `arrivals` | has rows alone: each takes effect when it comes |
| `transactions` | has transactions and their order (Debezium Vitess) |
"""

from __future__ import annotations

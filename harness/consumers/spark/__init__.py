"""The bundled Spark consumer of the TiCDC Open Protocol: many changefeeds in one streaming query.

Law: nothing of the harness is imported but `harness.errors`. What is judged shares no code with
what judges it.

`source` reads all topics, `open_protocol` turns bytes into events, `apply.hold` waits for resolved
marks, `apply.fold` makes tables, `handback` writes the answer; `stream` and `session` are Spark's.
"""

from __future__ import annotations

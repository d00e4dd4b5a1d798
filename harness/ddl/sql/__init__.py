"""Reading SQL: tokens, the cursor over them, expressions and queries.

An expression keeps TiDB's text while it is read, so writing it back is joining its parts.
"""

from __future__ import annotations

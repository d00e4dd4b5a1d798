"""Why an answer is wrong: the rule that decides it, and the record that carries it.

The case is folded again under one deviation at a time: without the deletes (`reads.py`), with the
copies applied or the marks taken as exclusive (`orders.py`), without a statement (`statements.py`),
with keys that lose a part (`keys.py`). A deviation that leads to exactly the tables and events that
the consumer answered with is the cause; the specific ones come before the general. Where none does,
each finding is explained by the history of its own row (`rows.py`), by its cell (`cells.py`), or by
the record at which the consumer gave up (`ends.py`). `[causes]` in a protocol's TOML file has the
clause of each cause.
"""

from __future__ import annotations

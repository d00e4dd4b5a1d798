"""The points of a micro-batch at which a driver may die, each with what is done by then.

Nothing happens at them. Tests kill the process there, every time another, and look whether the
tables are right after the next start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

POINTS: Mapping[str, str] = {
    "start": "the offsets of the batch are in the checkpoint, nothing of it is written",
    "claim": "the root is claimed by its first batch, no table is there",
    "write": "an operation on a table is done, the next is not begun",
    "note": "a table has noted the version of a change of columns, no column is changed",
    "alter": "a column is changed, the next is not",
    "letters": "messages are set aside, the ledger does not know the batch",
    "commit": "all that a batch writes is done, the checkpoint does not know it",
}
Reach = Callable[[str], None]  # called with the name of each point that is passed


def nowhere(_: str) -> None:
    """Pass a point, without an effect."""

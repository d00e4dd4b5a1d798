"""Marks: what the driver learns of a micro-batch, in rows of shape `APPLIED`."""

from __future__ import annotations

from collections.abc import Mapping

# Kinds of a mark besides those of events: rows of another form from here on; a table's last row.
FORM, LAST = 100, 101
Name = tuple[int, str, str]  # changefeed, schema and table in lower case
Shaped = Mapping[Name, tuple[bytes, int]]  # the shapes that tables have, with their ts

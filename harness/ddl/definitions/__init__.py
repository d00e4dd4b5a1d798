"""What tables are defined by: types, columns, keys, options, partitioning.

One module for what a definition says (its parts, how it is read, how TiDB writes it back), and one
named `stored_...` for what it makes of a table.
"""

from __future__ import annotations

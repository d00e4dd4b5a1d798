"""The value of each column kind, in one canonical Python form.

| kind | canonical value |
| --- | --- |
| integers, YEAR | `int` |
| BIT, ENUM, SET | `int` (bits; index from 1, 0 is the invalid ''; bit mask) |
| FLOAT, DOUBLE | `float` (FLOAT already rounded to 32 bits) |
| DECIMAL | `str`, padded to the declared scale |
| temporals | `str` as MySQL prints it, exactly fsp fractional digits; TIMESTAMP in UTC |
| CHAR, VARCHAR, TEXT family | `str` |
| BINARY, VARBINARY, BLOB family | `bytes` (BINARY padded with zero bytes to its length) |
| JSON | `str`, TiDB's text form |
| VECTOR | `str`, `[1,2.5,-3]` |

Source: tiflow c7b2588 cdc/entry/mounter.go:772 `formatColVal`, which hands encoders just this.
"""

from __future__ import annotations

Value = int | float | str | bytes | None
Row = tuple[Value, ...]

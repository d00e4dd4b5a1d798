"""Wrong producers: each is the reference producer with one patch, and violates one clause.

A clause is proved when a mutant that violates it is detected by a scenario that cites it.
`harness mutants --producers` plans those scenarios under each patch, in memory.
"""

from __future__ import annotations

"""Wrong consumers: each is the reference consumer with one small, named difference.

A scenario that none of them fails proves nothing; a mutant that no scenario catches shows a bug
that real consumers could have without anybody noticing. `harness mutants` holds both against each
other. They run in memory, over a delivery with offsets, gaps, batches and one restart.
"""

from __future__ import annotations

"""The source simulators: what an upstream makes of a change log before any encoder sees it.

Pure. Clock, settings and catalogue are arguments or made here from nothing; no I/O, no randomness.
"""

from __future__ import annotations

"""`harness explain NAME`: why a clause, case, setting, finding or mutant exists, and who fails it.

`names` has the kinds of names and finds the one that is meant; each kind has a module with its
lines. What consumers do is no prose: `trials` runs the mutants in memory on a case.
"""

from __future__ import annotations

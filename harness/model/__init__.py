"""The vocabulary that every other package speaks; standard library only.

`Change` -> source event -> `Record` -> `Observed` -> `Finding`: each is a frozen dataclass here.
"""

from __future__ import annotations

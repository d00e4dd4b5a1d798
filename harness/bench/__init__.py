"""Speed and memory, measured: each figure beside its floor, in the same run.

The floor is the bare library or tool doing the minimum. Machines differ and are shared, so a ratio
says more than a time; nothing here is asserted, a person reads it.
"""

from __future__ import annotations

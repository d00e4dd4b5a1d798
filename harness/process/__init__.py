"""Child processes that can never outlive the harness, however either of them ends.

Every child, service or consumer, is started by `spawn` and by nothing else.
"""

from __future__ import annotations

from harness.process.guarded import Guarded, GuardianKilledError, spawn

__all__ = ["Guarded", "GuardianKilledError", "spawn"]

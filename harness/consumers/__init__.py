"""Programs that read the topics and say what they made of them, ours and anybody's.

A consumer is a command (docs/reference/consumer-contract.md). Whoever wrote it, it runs the same
way: `targets` finds it, `run` starts it with a job and a deadline, `contract` reads its answer.
"""

from __future__ import annotations

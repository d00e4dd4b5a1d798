"""The consumer contract in both directions: `job` writes the question, `results` reads the answer.

The JSON Schemas beside these modules are the contract's letter; docs/reference/consumer-contract.md
is its prose. Nothing here starts a process.
"""

from __future__ import annotations

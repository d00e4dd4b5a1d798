"""The consumer contract in both directions: `job` writes the question, `results` reads the answer.

The types of `job_file` and `result_files` are the contract's letter, published as JSON Schemas in
docs/reference/schemas; docs/reference/consumer-contract.md is its prose. Nothing here starts a
process.
"""

from __future__ import annotations

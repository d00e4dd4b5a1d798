"""Runs a scenario's SQL once on a real database and locks the row changes; reads them back.

`recorder.record` needs a database; `lock.load_lock` needs none, and imports none of its drivers.
"""

from __future__ import annotations

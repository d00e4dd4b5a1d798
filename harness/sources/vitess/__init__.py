"""The simulator of a sharded Vitess keyspace, as VStream reports its changes."""

from __future__ import annotations

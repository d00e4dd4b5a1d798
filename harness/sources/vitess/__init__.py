"""Vitess as an upstream: a sharded keyspace whose changes VStream tells."""

from __future__ import annotations

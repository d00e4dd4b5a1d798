"""Wrong brokers, and producers that send one key to several partitions."""

from __future__ import annotations

"""Single message transforms: the connector's own, their predicates, and the chain of them."""

from __future__ import annotations

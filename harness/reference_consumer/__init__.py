"""The right consumer, small and in pure Python: the yardstick beside the Spark consumers.

It reads with our own decoders and follows DDL with our own catalogue; the Spark consumers share
neither.
"""

from __future__ import annotations

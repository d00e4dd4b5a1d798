"""`consumer.yaml`: what a consumer says of itself, and what is known to be wrong with it."""

from __future__ import annotations

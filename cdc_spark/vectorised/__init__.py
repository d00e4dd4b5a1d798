"""A batch of messages read by columns in Arrow, wherever that gives what row by row gives."""

from __future__ import annotations

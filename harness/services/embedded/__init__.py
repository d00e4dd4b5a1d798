"""Services that run as plain processes on this machine, from the artifacts in `jars.lock`."""

from __future__ import annotations

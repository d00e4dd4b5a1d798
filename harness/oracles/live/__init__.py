"""Level live without setup: a database, a real connector and Kafka, started for the run."""

from __future__ import annotations

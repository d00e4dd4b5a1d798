"""Messages of Debezium's connectors -> events; pure but for schemas, asked for by id."""

from __future__ import annotations

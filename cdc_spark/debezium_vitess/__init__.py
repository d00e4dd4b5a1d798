"""Messages of Debezium's Vitess connector -> events; pure but for schemas, asked for by id."""

from __future__ import annotations

"""Messages of TiCDC Avro -> events; pure but for schemas, which are asked for by id."""

from __future__ import annotations

"""A TiCDC vector's configuration under the names that scenarios use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast
from urllib.parse import parse_qsl

from harness.truth.result import Vector, section

_BOOLEANS = {"true": True, "false": False}


def settings_of(vector: Vector) -> dict[str, Any]:
    """Return sink URI parameters and configuration keys, these joined by points.

    The sink URI's own parameters come as text; what reads as a number or a truth is one here.
    """
    config = section(vector, "config")
    found: dict[str, Any] = {}
    for part in ("changefeed_replica_config", "replica_config"):
        found |= dotted(section(config, part))
    for name, text in parse_qsl(str(config.get("uri_params") or ""), keep_blank_values=True):
        found[name] = _parsed(text)
    return found


def dotted(config: Vector) -> dict[str, Any]:
    """Return a changefeed's configuration with its keys joined by points."""
    return dict(_flat("", config))


def _flat(prefix: str, part: Vector) -> Iterator[tuple[str, Any]]:
    for name, value in part.items():
        if isinstance(value, Mapping):
            yield from _flat(f"{prefix}{name}.", cast("Vector", value))
        else:
            yield prefix + name, value


def _parsed(text: str) -> str | int | bool:
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    return int(text) if text.isdecimal() else text


def sink_of(vector: Vector) -> Vector:
    """Return the `sink` section of the changefeed's configuration."""
    config = section(vector, "config")
    inner = section(config, "replica_config") if "replica_config" in config else config
    return section(inner, "sink")


def raw_changes(vector: Vector) -> bool:
    """Return whether the sink splits no update."""
    return bool(section(sink_of(vector), "kafka-config").get("output-raw-change-event"))


def force_replicate(vector: Vector) -> bool:
    """Return whether tables without a valid index are replicated."""
    return bool(settings_of(vector).get("force-replicate", False))


def partitions(vector: Vector) -> int:
    """Return how many partitions each topic has."""
    return int(section(vector, "config").get("partitions") or 1)


def default_topic(vector: Vector) -> str:
    """Return the topic of what no rule sends elsewhere."""
    return str(section(vector, "config").get("default_topic") or "ticdc")

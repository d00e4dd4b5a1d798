"""The protocols by name, each with its dialects: the versions of a wire that differ.

The first is the default and always called `current`. The codecs say what each one means.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

DEFAULT_DIALECT = "current"
DIALECTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "open": (DEFAULT_DIALECT, "newarch", "4.0.4"),
        "avro": (DEFAULT_DIALECT, "6"),
        "vitess": (DEFAULT_DIALECT, "documented"),
    }
)

"""What the protocols of a TiCDC changefeed have in common."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from harness.contracts import Setting
from harness.model.settings import Settings
from harness.sources.tidb.reference import SETTINGS as CHANGEFEED_SETTINGS

# Partition rules that `harness fuzz` draws.
ROUTES: tuple[Settings, ...] = tuple(
    MappingProxyType({"sink.dispatchers": [{"matcher": ["*.*"], "partition": rule}]})
    for rule in ("index-value", "table", "ts")
)
# Zones that it draws: their clocks show no moment of a TIMESTAMP's range twice.
ZONES: tuple[Settings, ...] = ({"tz": "Asia/Kolkata"}, {"tz": "Asia/Kathmandu"})


def with_changefeed(own: Sequence[Setting]) -> tuple[Setting, ...]:
    """Return a codec's settings and those of a changefeed that it does not speak of itself."""
    names = {setting.name for setting in own}
    return (*own, *(setting for setting in CHANGEFEED_SETTINGS if setting.name not in names))

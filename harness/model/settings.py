"""A protocol's settings, as a scenario or a changefeed file states them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

# What YAML and TOML have. Grammars and schemas hold each setting to its kind before it is read.
SettingValue: TypeAlias = (
    "str | int | float | bool | Sequence[SettingValue] | Mapping[str, SettingValue] | None"
)
# From a setting's name, as the vendor calls it, to its value.
Settings = Mapping[str, SettingValue]
SHOWN = 80  # characters of a value that a line of settings has


def texts(value: SettingValue) -> tuple[str, ...]:
    """Return the texts of a setting that is a list of them; none where it is unset."""
    return tuple(cast("Sequence[str]", value or ()))


def numbers(value: SettingValue) -> tuple[int, ...]:
    """Return the numbers of a setting that is a list of them; none where it is unset."""
    return tuple(cast("Sequence[int]", value or ()))


def tables(value: SettingValue) -> tuple[Settings, ...]:
    """Return the tables (YAML's mappings) of a setting that is a list of them."""
    return tuple(cast("Sequence[Settings]", value or ()))


def settings_text(settings: Settings) -> str:
    """Return settings as a person reads them, `name=value`, on one line; long values cut."""
    return ", ".join(f"{name}={_short(value)}" for name, value in settings.items())


def _short(value: SettingValue) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"

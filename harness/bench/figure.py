"""One measured figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its unit; `floor` is the same thing done by the bare parts, where there is one.

    `goal` says in words what we want: `< 0.5 s`.
    """

    name: str
    value: float
    unit: str
    floor: float | None = None
    goal: str | None = None

    @property
    def ratio(self) -> float | None:
        """Return value / floor."""
        return None if not self.floor else self.value / self.floor

    def to_json(self) -> dict[str, Any]:
        """Return the figure as `harness bench --json` lists it."""
        ratio = self.ratio
        return {
            "name": self.name,
            "value": round(self.value, 4),
            "unit": self.unit,
            "floor": None if self.floor is None else round(self.floor, 4),
            "ratio": None if ratio is None else round(ratio, 3),
            "goal": self.goal,
        }

"""What is in the cache, verified: looked at by `harness doctor`, changed by nobody here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.errors import plural
from harness.services.artifacts import Artifact
from harness.services.download import is_there
from harness.services.repository import Repository


@dataclass(frozen=True, slots=True)
class Cached:
    """How many of a group's files are there and right, and how large what lacks is, in bytes."""

    there: int
    total: int
    lacking: int

    @property
    def whole(self) -> bool:
        """Return whether nothing lacks."""
        return self.there == self.total

    def __str__(self) -> str:
        """Return it for a person."""
        text = f"{self.there} of {plural(self.total, 'file')}, verified"
        return text if self.whole else f"{text}; {self.lacking / 1e6:.0f} MB to fetch"


def cached(artifacts: Sequence[Artifact], repository: Repository) -> Cached:
    """Return how much of a group is there, each file held against its locked sha256."""
    lacking = [one for one in artifacts if not is_there(one, repository, verify=True)]
    total = len(artifacts)
    return Cached(total - len(lacking), total, sum(one.size for one in lacking))

"""A parsed file on its way to a scenario: what the rules look at, and how they complain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from harness.documents import PlainObject
from harness.documents.yaml_file import Path, YamlFile
from harness.errors import Problem

Problems = Iterator[Problem]


@dataclass(frozen=True, slots=True)
class Draft:
    """A file that passed the grammar, at least in the parts that the asking rule reads.

    `id` is what the file's path demands.
    """

    source: YamlFile
    id: str

    @property
    def data(self) -> PlainObject:
        """Return the file's top-level mapping."""
        data: PlainObject = self.source.data
        return data

    def at(self, path: Path, what: str, expected: str = "", hint: str = "") -> Problem:
        """Return a problem with the value at `path`."""
        return Problem(self.source.place(path), what, expected, hint)

    def at_key(self, path: Path, what: str, expected: str = "", hint: str = "") -> Problem:
        """Return a problem with the key that ends `path`."""
        return Problem(self.source.place_of_key(path), what, expected, hint)

    def protocols(self) -> tuple[str, ...]:
        """Return the protocols of the matrix."""
        return tuple(self.data["matrix"]["protocol"])

    def transactions(self) -> Iterator[tuple[Path, str]]:
        """Yield the path and the name of every transaction, in order."""
        for number, step in enumerate(self.data["upstream"]):
            path: Path = ("upstream", number)
            if "emit" in step:
                path, step = (*path, "emit"), step["emit"]  # noqa: PLW2901 - one level down
            if "transaction" in step:
                yield (*path, "transaction", "name"), step["transaction"]["name"]


Check = Callable[[Draft], Problems]

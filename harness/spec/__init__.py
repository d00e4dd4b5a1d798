"""The clauses of the source documents: what a stream promises, each with a permanent id.

A clause says one thing, in our own words, and names the place where the document says it. They are
data: `clauses/` has one TOML file for each section of a document, and `clauses/README.md` describes
the format. Ids are cited by scenarios, verdicts and lists of known failures, so an id is never
reused or renamed.
"""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

from harness.spec.clause import Clause, Level, Proof, Source
from harness.spec.load import load_clauses

__all__ = ["SHARED", "Clause", "Level", "Proof", "Source", "layer", "load_clauses"]

# The layers that protocols share, in the order in which a newcomer should meet them.
SHARED = ("kafka", "connect", "registry", "changefeed")


def layer(name: str) -> Traversable:
    """Return the directory of a layer's clauses."""
    return files("harness.spec") / "clauses" / name

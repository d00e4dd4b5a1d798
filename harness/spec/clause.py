"""What a clause is: one normative statement of a source document, with a permanent name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from harness.errors import Location
from harness.model.standing import Standing


class Level(StrEnum):
    """How binding a clause is, in the sense of RFC 2119."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    MAY = "MAY"


@dataclass(frozen=True, slots=True)
class Source:
    """The place in a public document or in a vendor's program where a clause stands.

    `program` is the address of the vendor's code where that alone says it, or says otherwise than
    the document; empty where the document says it.
    """

    document: str
    section: str
    url: str
    program: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """What proves a clause that no scenario can show, or that none can show to be violated.

    `why` says why none can. With `violation`, scenarios show that the clause is kept, and the test
    sees it broken.

    `test` is `path::function` of a test, `path` of a file of the corpus, or `path::id` of a vector
    that `harness truth` compares, each from the root of the repository; empty where only the reason
    speaks.
    """

    why: str
    test: str = ""
    violation: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement that a stream keeps and that a consumer may rely on or must cope with.

    `protocol`, the first word of the id, is the protocol whose streams it governs, or a layer that
    several protocols share (`kafka`, `changefeed`, `connect`, `registry`); `text` is our own
    wording; `versions` says which releases it holds for ("newest", where no more is known; "all",
    "from 4.0.5", "up to 4.0.4"); `written` is the line of the file that it was read from.
    """

    id: str
    level: Level
    text: str
    source: Source
    written: Location
    versions: str = "newest"
    proof: Proof | None = None

    @property
    def protocol(self) -> str:
        """Return the first word of the id."""
        return self.id.partition(".")[0]

    @property
    def standing(self) -> Standing:
        """Return whether a document demands it, or only the vendor's program does it."""
        return Standing.PROGRAM if self.source.program else Standing.DOCUMENT

"""A running system that nobody starts: the topics that it reads, and where its tables are.

Names are patterns, because one system is asked about many cases: `{case}` is the case in letters,
digits and underscores, `{run}` the run, `{topic}`, `{schema}` and `{table}` are the upstream's.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

PLACEHOLDER = re.compile(r"\{(\w+)\}")
OUTSIDE = re.compile(r"[^A-Za-z0-9]+")
WORD_LENGTH = 40  # of a case's name: a database has 64 characters
KEPT, DIGITS = 31, 8


@dataclass(frozen=True, slots=True)
class Server:
    """A MySQL-compatible server of the user's; `variable` is where its address was said."""

    variable: str
    host: str
    port: int
    user: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Attach:
    """What a manifest says of a running system.

    `topics` ends with `{topic}`. The tables are in `database` of `server` under the name `table`,
    or without a server below `directory`. `group` is the system's consumer group, "" when it is
    not known. A result has to stay as it is for `settle_s` seconds.
    """

    topics: str
    settle_s: float
    group: str = ""
    directory: str = ""
    server: Server | None = None
    database: str = ""
    table: str = "{table}"

    @property
    def result(self) -> str:
        """Return the pattern that separates the results of cases."""
        return self.directory if self.server is None else self.database + self.table


def filled(pattern: str, **names: str) -> str:
    """Return a pattern with the placeholders of these names replaced, others left as they are."""
    return PLACEHOLDER.sub(lambda match: names.get(match[1], match[0]), pattern)


def word(case: str) -> str:
    """Return a case's id as it stands for `{case}`: at most 40 letters, digits and underscores."""
    plain = OUTSIDE.sub("_", case).strip("_")
    if len(plain) <= WORD_LENGTH:
        return plain
    return f"{plain[:KEPT]}_{hashlib.sha256(case.encode()).hexdigest()[:DIGITS]}"

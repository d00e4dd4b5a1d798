"""The bound of pure Python: what the cheapest form that one can think of would cost.

Each event's text is one template, its values are texts already, and nothing else is done: no value
is looked at, nothing is escaped, framed or remembered. What an encoder costs above this is the
price of its work; what this costs is the price of the language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from harness.errors import HarnessBug

# A value of JSON that holds no other, behind its name.
_SCALAR = re.compile(rb'(?<=:)("(?:[^"\\]|\\.)*"|[-\d][\d.eE+-]*|null|true|false)')


def bound_pass(*texts: Sequence[bytes]) -> Callable[[], int]:
    """Return a pass over texts of events, all of one shape: keys, say, and values."""
    made = [_template(alike) for alike in texts]

    def write() -> int:
        return sum(len(template % values) for template, rows in made for values in rows)

    return write


def _template(texts: Sequence[bytes]) -> tuple[bytes, list[tuple[bytes, ...]]]:
    """Return what the texts have in common, and for each of them what differs."""
    parts = [_SCALAR.split(text) for text in texts]
    columns = [*zip(*parts, strict=True)]
    places = [n for n in range(1, len(columns), 2) if len(set(columns[n])) > 1]
    template = b"".join(
        b"%b" if n in places else column[0].replace(b"%", b"%%") for n, column in enumerate(columns)
    )
    rows = [tuple(row[n] for n in places) for row in parts]
    if [template % row for row in rows] != list(texts):
        raise HarnessBug("the bound of the bench does not write what the encoder writes")
    return template, rows

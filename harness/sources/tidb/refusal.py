"""A changefeed that TiCDC would not create: what is wrong, under which key, by which error."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from harness.errors import UsageError

# Keys and list positions from the root of a changefeed's configuration.
ConfigPath = tuple[str | int, ...]


class ChangefeedError(UsageError):
    """A changefeed's configuration is refused; `code` is TiCDC's name for the error, if it has one.

    `path` leads from the root of the configuration to what is wrong, so that whoever knows the file
    can name line and column.
    """

    def __init__(
        self,
        code: str,
        what: str,
        *,
        expected: str = "",
        hint: str = "",
        path: ConfigPath = (),
    ) -> None:
        """Keep code and place apart from the words."""
        self.code = code
        self.path = path
        super().__init__(what, expected=expected, hint=hint)

    def under(self, *path: str | int) -> ChangefeedError:
        """Return the same refusal, its place seen from further up."""
        return ChangefeedError(
            self.code,
            self.what,
            expected=self.expected,
            hint=self.hint,
            path=(*path, *self.path),
        )


def dotted(path: ConfigPath) -> str:
    """Return a place as a person writes it: `filter.event-filters[0].matcher`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def unknown(what: str, word: str, known: Iterable[str], path: ConfigPath = ()) -> ChangefeedError:
    """Return the refusal of a word that is none of those known; it names the nearest one."""
    words = list(known)
    close = get_close_matches(word.lower().replace("_", "-"), words, n=1)
    return ChangefeedError(
        "",
        f"unknown {what} {word!r}",
        expected="one of " + ", ".join(words),
        hint=f"did you mean {close[0]!r}?" if close else "",
        path=path,
    )

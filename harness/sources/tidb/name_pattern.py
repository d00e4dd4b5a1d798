"""One pattern of a table filter rule: a literal name, a wildcard, or a regular expression.

Source: TiDB pkg/util/table-filter parser.go `parsePattern`, `parseWildcardPattern`; matchers.go.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.sources.tidb.refusal import ChangefeedError
from harness.sources.tidb.regexes import GoRegex, RegexError, go_regex

# What encloses a name -> the whole of it, with the quote doubled inside.
_QUOTED = {
    '"': re.compile(r'"((?:""|[^"])+)"'),
    "`": re.compile(r"`((?:``|[^`])+)`"),
}
_REGEX = re.compile(r"/((?:\\.|[^/])+)/")
_CLASS = re.compile(r"\[!?(?:\\[^0-9a-zA-Z]|[^\\\]])+\]")
_PLAIN = re.compile(r"[$_0-9A-Za-z\u0080-\U0010ffff]")
_EVERYTHING = "(?s)^.*$"
INVALID = "ErrFilterRuleInvalid"


def go_lower(text: str) -> str:
    """Return the text in lower case as Go does it: character by character, without context."""
    return "".join(character.lower()[0] for character in text)


@dataclass(frozen=True, slots=True)
class NamePattern:
    """Matches a schema's or a table's name; with neither literal nor regex it matches every name.

    Only the wildcard `*` is known to match everything; a regex that happens to do so is not.
    """

    literal: str | None = None
    regex: GoRegex | None = None

    @property
    def everything(self) -> bool:
        """Return whether this is the wildcard `*`."""
        return self.literal is None and self.regex is None

    def matches(self, name: str) -> bool:
        """Return whether a name matches."""
        if self.regex is not None:
            return self.regex.found_in(name)
        return self.literal is None or self.literal == name

    def lowered(self) -> NamePattern:
        """Return the pattern for names in lower case."""
        if self.regex is not None:
            return NamePattern(regex=go_regex("(?i)" + self.regex.pattern))
        return self if self.literal is None else NamePattern(go_lower(self.literal))


def parse_pattern(line: str, at: int) -> tuple[NamePattern, int]:
    """Return the pattern that starts at a character (from 0) of a rule, and where it ends."""
    if at == len(line):
        raise wrong_rule(line, at, "a pattern is missing", "a name, a wildcard or a /regex/")
    quote = line[at]
    if quote == "/":
        found = _REGEX.match(line, at)
        if found is None:
            raise wrong_rule(line, at, "the regular expression has no end", "a closing slash")
        return _regex(line, at, found[1]), found.end()
    if quote in _QUOTED:
        found = _QUOTED[quote].match(line, at)
        if found is None:
            raise wrong_rule(
                line, at, "the quoted name is empty or has no end", f"a closing {quote}"
            )
        return NamePattern(found[1].replace(quote * 2, quote)), found.end()
    return _wildcard(line, at)


def _wildcard(line: str, start: int) -> tuple[NamePattern, int]:
    """Read characters up to the next dot; without a wildcard among them they are a literal."""
    at, wild = start, False
    literal, pattern = list[str](), ["(?s)^"]
    while at < len(line) and line[at] != ".":
        character = line[at]
        end = at + 1
        if character == "\\":
            end, escaped = at + 2, _escaped(line, at)
            literal.append(escaped)
            pattern.append(_escape(escaped))
        elif character == "[":
            end, text = _character_class(line, at)
            pattern.append(text)
            wild = True
        elif character in "*?":
            pattern.append(".*" if character == "*" else ".")
            wild = True
        elif _PLAIN.match(character):
            # `$` goes in as it is: the vendor's wildcard pattern does not escape it either.
            literal.append(character)
            pattern.append(character)
        else:
            expected = "letters, digits, `$`, `_`, or a quoted name"
            raise wrong_rule(line, at, f"unexpected special character {character!r}", expected)
        at = end
    if wild:
        return _regex(line, start, "".join([*pattern, "$"])), at
    return NamePattern("".join(literal)), at


def _escaped(line: str, at: int) -> str:
    if at == len(line) - 1:
        raise wrong_rule(line, at, "a backslash stands at the end", "the character that it escapes")
    character = line[at + 1]
    if character.isascii() and character.isalnum():
        what = f"\\{character} is reserved: letters and digits cannot be escaped"
        raise wrong_rule(line, at, what, "a special character after the backslash")
    return character


def _escape(character: str) -> str:
    return f"\\{character}" if character.isascii() else character


def _character_class(line: str, at: int) -> tuple[int, str]:
    """Return where a class ends and its text as a regex; `[!` negates, `[^` does not."""
    found = _CLASS.match(line, at)
    if found is None:
        raise wrong_rule(
            line, at, "the character class does not parse", "for instance [a-z] or [!0-9]"
        )
    inside = found[0][1:]
    if inside[0] == "!":
        return found.end(), "[^" + inside[1:]
    return found.end(), "[" + ("\\" if inside[0] == "^" else "") + inside


def _regex(line: str, at: int, pattern: str) -> NamePattern:
    if pattern == _EVERYTHING:
        return NamePattern()
    try:
        return NamePattern(regex=go_regex(pattern))
    except RegexError as error:
        expected = "a regular expression of Go's regexp (RE2)"
        raise wrong_rule(line, at, f"invalid pattern: {error}", expected) from error


def wrong_rule(line: str, at: int, what: str, expected: str, hint: str = "") -> ChangefeedError:
    """Return the refusal of a rule at a character (from 0) of it."""
    return ChangefeedError(
        INVALID,
        f"the rule {line!r} does not parse at character {at + 1}: {what}",
        expected=expected,
        hint=hint,
    )

"""The `-k` expression: words with `and`, `or`, `not` and parentheses, as pytest has it.

    expression = term { "or" term }
    term       = factor { "and" factor }
    factor     = "not" factor | "(" expression ")" | word

A word is anything without blanks, parentheses or quotes, or any text in quotes, so that case ids
with their brackets and commas can be pasted as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.errors import UsageError

Matcher = Callable[[Sequence[str]], bool]

_TOKEN = re.compile(r"\s*(?:([()])|\"([^\"]+)\"|'([^']+)'|([^\s()'\"]+))")
_OPERATORS = ("and", "or", "not")
_DEPTH_MAX = 50


def matcher(expression: str) -> Matcher:
    """Return a function that says whether a case's words satisfy the expression.

    UsageError with the position when the expression cannot be read.
    """
    reader = _Reader(expression, _tokens(expression))
    found = reader.either(0)
    left = reader.peek()
    if left.kind != "end":
        raise _unreadable(expression, left, "`and`, `or`, or the end")
    return found


def is_list(expression: str) -> bool:
    """Return whether an expression is nothing but words joined by `or`."""
    return all(token.kind in {"word", "or", "end"} for token in _tokens(expression))


def words(expression: str) -> tuple[str, ...]:
    """Return the words of an expression that can be read, in their order."""
    return tuple(token.text for token in _tokens(expression) if token.kind == "word")


@dataclass(frozen=True, slots=True)
class _Token:
    """One token: `kind` is `word`, `end`, or the operator itself; `at` counts from 0."""

    kind: str
    text: str
    at: int


def _tokens(expression: str) -> tuple[_Token, ...]:
    tokens: list[_Token] = []
    at = 0
    while expression[at:].strip():
        match = _TOKEN.match(expression, at)
        if match is None:
            quote = len(expression) - len(expression[at:].lstrip())
            raise _unreadable(expression, _Token("", expression[quote], quote), "a closing quote")
        parenthesis, *quoted, bare = match.groups()
        text = next(part for part in (parenthesis, *quoted, bare) if part)
        start = match.end() - len(match[0].lstrip())
        operator = parenthesis or (bare if bare in _OPERATORS else None)
        tokens.append(_Token(operator or "word", text, start))
        at = match.end()
    tokens.append(_Token("end", "the end", len(expression)))
    return tuple(tokens)


class _Reader:
    """Recursive descent over the tokens."""

    def __init__(self, expression: str, tokens: Sequence[_Token]) -> None:
        self.expression = expression
        self.tokens = tokens
        self.position = 0

    def peek(self) -> _Token:
        """Return the token that comes next."""
        return self.tokens[self.position]

    def take(self, kind: str) -> bool:
        """Step over the next token if it is of that kind."""
        found = self.peek().kind == kind
        self.position += found
        return found

    def either(self, depth: int) -> Matcher:
        """Read terms joined by `or`."""
        terms = [self.every(depth)]
        while self.take("or"):
            terms.append(self.every(depth))
        return terms[0] if len(terms) == 1 else lambda words: any(term(words) for term in terms)

    def every(self, depth: int) -> Matcher:
        """Read factors joined by `and`."""
        factors = [self.factor(depth)]
        while self.take("and"):
            factors.append(self.factor(depth))
        return factors[0] if len(factors) == 1 else lambda words: all(f(words) for f in factors)

    def factor(self, depth: int) -> Matcher:
        """Read a word, a negation or a group."""
        token = self.peek()
        if depth > _DEPTH_MAX:
            raise _unreadable(self.expression, token, f"at most {_DEPTH_MAX} levels")
        if self.take("not"):
            inner = self.factor(depth + 1)
            return lambda words: not inner(words)
        if self.take("("):
            group = self.either(depth + 1)
            if not self.take(")"):
                raise _unreadable(self.expression, self.peek(), "`and`, `or`, or `)`")
            return group
        if self.take("word"):
            wanted = token.text.lower()
            return lambda words: any(wanted in word.lower() for word in words)
        raise _unreadable(self.expression, token, "a word, `not`, or `(`")


def _unreadable(expression: str, token: _Token, expected: str) -> UsageError:
    shown = token.text if token.kind == "end" else f"`{token.text}`"
    return UsageError(
        f"-k {expression!r} cannot be read at column {token.at + 1}: {shown}",
        expected=expected,
        hint="join words with `and`, `or`, `not` and parentheses; quote a word that has blanks",
    )

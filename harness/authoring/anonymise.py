"""Sensitive values of a dump replaced: equal ones by equal ones, different ones by different ones.

Texts keep their length, their case and what is no letter and no digit, so that keys, lengths and
collations mean what they meant. The key is drawn anew each time, and nobody keeps it: a guessed
address cannot be held against its replacement. Numbers, dates, times, names, texts of DDL such as
the members of an ENUM, and texts of one character stay; so do the keys of JSON objects.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, cast

from harness.authoring.sql_steps import SqlStep, SqlSteps
from harness.ddl.sql.lexer import Token, TokenKind, tokenize
from harness.errors import UsageError

TRIES = 1000
_MOMENT = re.compile(r"-?\d{1,4}[-:/]\d{1,2}([-:/]\d{1,2})?([ T]\d{1,2}:\d{2}(:\d{2})?)?(\.\d+)?Z?")
_COMMENT = re.compile(r"(?:#|--(?=\s))[^\n]*|/\*(?![!T]).*?\*/", re.DOTALL)
_ESCAPES = {"\\": "\\\\", "'": "''", "\0": "\\0", "\n": "\\n", "\r": "\\r", "\x1a": "\\Z"}
LOWER, UPPER, DIGITS = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "123456789"
# The first letter of a range -> letters of as many bytes in UTF-8.
BEYOND_ASCII = ((0x80, "àâäçèéêîïôöùûü"), (0x800, "一三上下中人大天山日木水火田"))


def anonymised(steps: SqlSteps) -> SqlSteps:
    """Return the steps with every text and every hexadecimal value of their rows replaced."""
    kept = {
        token.text
        for step in steps.steps
        if step.ddl
        for token, after in _with_the_word_before(step.statements[0])
        if token.kind is TokenKind.STRING and after != "COMMENT"
    }
    change = _Replacement(kept)
    return replace(steps, steps=tuple(change.step(step) for step in steps.steps))


def _with_the_word_before(sql: str) -> Iterator[tuple[Token, str]]:
    """Yield each token with the word before it; an equals sign is passed over."""
    before = ""
    for token in tokenize(sql):
        yield token, before
        before = before if token.upper == "=" else token.upper


@dataclass(slots=True)
class _Replacement:
    """What stands for each text, all through one file."""

    kept: set[str]
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    known: dict[str, str] = field(default_factory=dict[str, str])
    taken: set[str] = field(default_factory=set[str])

    def step(self, step: SqlStep) -> SqlStep:
        return replace(step, statements=tuple(self.sql(sql, step.ddl) for sql in step.statements))

    def sql(self, sql: str, ddl: bool) -> str:  # noqa: FBT001 - what a step says of itself
        """Return a statement with its values replaced, and without its comments."""
        parts: list[str] = []
        end = 0
        for token, before in _with_the_word_before(sql):
            parts.append(_COMMENT.sub(" ", sql[end : token.start]))
            raw = sql[token.start : token.end]
            end = token.end
            if token.kind is TokenKind.STRING and (not ddl or before == "COMMENT"):
                raw = "'" + "".join(_ESCAPES.get(c, c) for c in self.text(token.text)) + "'"
            elif token.kind is TokenKind.HEX and not ddl:
                raw = raw[:2] + self.hexadecimal(raw[2:])
            parts.append(raw)
        return "".join(parts).rstrip()

    def text(self, text: str) -> str:
        """Return what stands for a text: itself, a JSON document, or other letters."""
        if len(text) < 2 or text in self.kept or _MOMENT.fullmatch(text):
            return text
        if text[0] in "{[":
            try:
                document = json.loads(text)
            except ValueError:
                pass
            else:
                return json.dumps(self.document(document), ensure_ascii=False)
        return self.letters(text)

    def document(self, value: Any) -> Any:  # noqa: ANN401 - JSON
        """Return a JSON value with its texts replaced."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.document(one) for one in cast("list[object]", value)]
        if isinstance(value, dict):
            return {k: self.document(v) for k, v in cast("dict[str, Any]", value).items()}
        return value

    def letters(self, text: str) -> str:
        """Return other letters, whatever the case the same ones; no two texts become one."""
        folded = text.casefold()
        if folded not in self.known:
            self.known[folded] = self.fresh(text.lower(), folded)
            self.taken.add(self.known[folded].casefold())
        pairs = zip(text, self.known[folded], strict=False)
        return "".join(n.upper() if o.isascii() and o.isupper() else n for o, n in pairs)

    def fresh(self, text: str, folded: str) -> str:
        """Return letters that stand for no other text yet."""
        for attempt in range(TRIES):
            stream = self.stream(f"{attempt}:{folded}", len(text))
            drawn = "".join(_like(*pair) for pair in zip(text, stream, strict=True))
            if drawn.casefold() not in self.taken:
                return drawn
        raise UsageError(
            f"too many short texts to replace each by another: {len(self.known)}",
            expected="fewer rows, or texts that are not so short",
            hint="shorten the SQL to the rows that matter",
        )

    def hexadecimal(self, digits: str) -> str:
        stream = self.stream(f"x:{digits.lower()}", len(digits))
        drawn = zip(digits, stream, strict=True)
        return "".join(f"{n % 16:x}" if d.isalnum() else d for d, n in drawn)

    def stream(self, text: str, length: int) -> bytes:
        """Return as many bytes as asked for, that follow from the text and the key."""
        shake = hashlib.shake_256(self.key + text.encode("utf-8", "surrogatepass"))
        return shake.digest(length)


def _like(letter: str, drawn: int) -> str:
    """Return another letter of the same kind: a letter, a digit but zero, or what it is."""
    if letter in LOWER:
        return LOWER[drawn % len(LOWER)]
    if letter in DIGITS:
        return DIGITS[drawn % len(DIGITS)]
    if letter.isalpha() and ord(letter) < 0x10000:
        kin = BEYOND_ASCII[ord(letter) >= BEYOND_ASCII[1][0]][1]
        return kin[drawn % len(kin)] if ord(letter) >= BEYOND_ASCII[0][0] else letter
    return letter

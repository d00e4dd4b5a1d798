"""Real files spoiled: a few edits drawn from a seed, and pieces that exhaust a careless reader."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

DEEP = 20_000
LARGEST = 1 << 17

# Deep, long, huge, or no text: each stands alone, and within what was a right file.
PIECES: tuple[bytes, ...] = (
    *(opened * DEEP for opened in (b"[", b"{", b"(", b'{"a":', b"- ", b"a: [", b"NOT ", b"-")),
    b"[" * DEEP + b"]" * DEEP,
    b"(" * 60 + b"1" + b")" * 60,
    b"(" * 900 + b"1" + b")" * 900,
    b"CASE WHEN " * 60,
    b"IF(a," * 500,
    b"/*! " * 500,
    b"{a: " * 500,
    b"&a [*a, *a]",
    b"&a 1\n" + b"\n".join(b"b%d: &b%d [*a, *a]" % (i, i) for i in range(40)),
    b"x: &x0 [1, 1]\n"
    + b"\n".join(b"x%d: &x%d [*x%d, *x%d]" % (i, i, i - 1, i - 1) for i in range(1, 40)),
    b"1" * 5_000,
    b"9" * 40_000,
    b"-" + b"9" * 400,
    b"0x" + b"f" * 5_000,
    b"1e999999999",
    b"1e-999999999",
    b"0." + b"0" * 5_000 + b"1",
    b"NaN",
    b"-Infinity",
    b"18446744073709551616",
    b"-9223372036854775809",
    b"null",
    b"{}",
    b"[]",
    b'""',
    b"''",
    b"\x00",
    b"\x00" * 1_000,
    b"\xff\xfe",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b'"\\ud800"',
    b"\\udfff",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"\r",
    b"\t",
    b" " * 50_000,
    b"\n" * 50_000,
    b"a" * 100_000,
    b"'" * 20_001,
    b'"' * 20_001,
    b"`" * 20_001,
    b"\\" * 20_001,
    b"(a*" * 1_000,
    b"a.*" * 5_000,
    b"[a-z]*" * 2_000 + b"!",
    b"\x80" * 12,
    b"\xff" * 9 + b"\x7f",
)  # fmt: skip

Edit = Callable[[Random, bytes], bytes]


def spoiled(random: Random, seed: bytes) -> bytes:
    """Return a right input after one to three edits, never longer than LARGEST or the input."""
    made = seed
    for _ in range(random.randint(1, 3)):
        made = random.choice(EDITS)(random, made)
    return made[: max(LARGEST, len(seed))]


def _place(random: Random, text: bytes) -> tuple[int, int]:
    at = random.randint(0, len(text))
    return at, min(len(text), at + random.randint(0, 12))


def _cut(random: Random, text: bytes) -> bytes:
    at, end = _place(random, text)
    return text[:at] + text[end:]


def _half(random: Random, text: bytes) -> bytes:
    return text[: random.randint(0, len(text))]


def _byte(random: Random, text: bytes) -> bytes:
    at = random.randint(0, len(text))
    return text[:at] + bytes([random.randrange(256)]) + text[at + 1 :]


def _piece(random: Random, text: bytes) -> bytes:
    at, end = _place(random, text)
    return text[:at] + random.choice(PIECES) + text[end:]


def _value(random: Random, text: bytes) -> bytes:
    """Put a piece in the place of a word or a number."""
    starts = [at for at in range(1, len(text)) if text[at : at + 1].isalnum()]
    if not starts:
        return random.choice(PIECES)
    at = end = random.choice(starts)
    while end < len(text) and text[end : end + 1].isalnum():
        end += 1
    return text[:at] + random.choice(PIECES) + text[end:]


def _again(random: Random, text: bytes) -> bytes:
    """Repeat a part, many times."""
    at = random.randint(0, len(text))
    part = text[at : at + random.randint(1, 200)]
    return text[:at] + part * random.choice((1, 2, 50, 500)) + text[at:]


def _moved(random: Random, text: bytes) -> bytes:
    """Exchange two lines, or drop one."""
    lines = text.split(b"\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    if random.random() < 0.5:
        del lines[one]
    return b"\n".join(lines)


EDITS: tuple[Edit, ...] = (_cut, _half, _byte, _byte, _piece, _value, _value, _again, _moved)

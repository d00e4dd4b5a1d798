"""Signatures are those of minisign, byte for byte, and only a whole key without password signs."""

from __future__ import annotations

import base64

import pytest

from harness.errors import UsageError
from harness.report.minisign import secret_key

# A key and a signature by py-minisign 0.21.1, of a key that signs nothing else.
KEY = """untrusted comment: minisign secret key
RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAqy/i3KbrKqtju+CgXNTsPAP/\
QAaW8A8XGgARykjdqIN9GbvEm2hTZJ/uXXt3M4cFF7A53ctmiXf36xfL9wMkjd0D92oYbvGVfQKO6m2ht9sa2yBj84NkVCP7UpNb\
ne0m7ICOKb4+nNM=
"""
PUBLIC = "RWSrL+Lcpusqq5/uXXt3M4cFF7A53ctmiXf36xfL9wMkjd0D92oYbvGV"
CONTENT, COMMENT = b"a certificate\n", "file:c.html\trun:a1"
SIGNED = """\
RUSrL+LcpusqqzQ7EwMoHs8gy/4+BsXwvbrUMT3VCGzvx3N6zTPIQ5ZzuYBlo7LvszLVOJizNSuIzpfeg1LEkG4h3xgidijYmAc=
trusted comment: file:c.html\trun:a1
h8Ips+DqCjUBQun+g6hPiEq9poMg+WdoIEZpXlFXEu+v2ifL12exG5ewxQjjuYSoW5f2/VhHKtHKfElQZJEZCA==
"""


def test_a_signature_is_that_of_minisign() -> None:
    """All lines but the first, which nobody trusts, are those of another program."""
    key = secret_key(KEY, "k")
    first, rest = key.signature(CONTENT, COMMENT).split("\n", 1)
    assert first == "untrusted comment: signature of key AB2AEBA6DCE22FAB"
    assert rest == SIGNED
    assert key.public == PUBLIC


def test_any_other_content_or_comment_is_signed_otherwise() -> None:
    """A signature fits one content, and its second one the comment as well."""
    key = secret_key(KEY, "k")
    right, other, named = (
        key.signature(content, comment).splitlines()
        for content, comment in ((CONTENT, COMMENT), (b"a certificate", COMMENT), (CONTENT, "x"))
    )
    assert right[1] != other[1]
    assert right[1] == named[1]
    assert right[3] != named[3]


def changed(at: int, byte: bytes) -> str:
    """Return the key's file with other bytes somewhere."""
    comment, text = KEY.splitlines()
    raw = bytearray(base64.b64decode(text))
    raw[at : at + len(byte)] = byte
    return f"{comment}\n{base64.b64encode(raw).decode()}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no secret key"),
        ("untrusted comment: x\nnot base64!\n", "no secret key"),
        (f"untrusted comment: x\n{PUBLIC}\n", "no secret key"),
        (changed(0, b"XX"), "another kind"),
        (changed(4, b"XX"), "another kind"),
        (changed(2, b"Sc"), "has a password"),
        (changed(70, b"\0"), "damaged"),
        (changed(157, b"\0"), "damaged"),
    ],
)
def test_another_file_is_refused(text: str, said: str) -> None:
    """A public key, a key with a password, a damaged one: each is an error that says which file."""
    with pytest.raises(UsageError, match=said) as refused:
        secret_key(text, "--sign k.key")
    assert "--sign k.key" in str(refused.value)
    assert "minisign -G -W" in refused.value.expected

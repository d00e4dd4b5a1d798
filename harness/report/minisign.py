"""Signatures as minisign makes them: a file beside the signed one, Ed25519 over its hash.

Whoever has the public key checks one with `minisign -Vm FILE -p KEY.pub`, or with any other program
that knows the format.

Source: https://jedisct1.github.io/minisign/, §Signature format and §Secret key format.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct
from dataclasses import dataclass

from Crypto.PublicKey import ECC
from Crypto.Signature import eddsa

from harness.errors import UsageError

SUFFIX = ".minisig"
# Algorithm, derivation and checksum; salt, operations and memory of the derivation; key number,
# secret and public key, checksum.
SECRET_KEY = struct.Struct("<2s2s2s32sQQ8s64s32s")
KEY, SIGNED_HASH, CHECKSUM, NO_PASSWORD = b"Ed", b"ED", b"B2", b"\0\0"
EXPECTED = "a secret key of minisign without a password, as `minisign -G -W` makes it"
UNTRUSTED = "untrusted comment: "
TRUSTED = "trusted comment: "


@dataclass(frozen=True, slots=True)
class SecretKey:
    """A key that signs: its number (8 bytes), by which signatures name it, and its seed (32)."""

    number: bytes
    seed: bytes

    def signature(self, content: bytes, comment: str) -> str:
        """Return the signature's file for a content; the comment (one line) is signed with it."""
        signer = eddsa.new(self._private(), "rfc8032")
        over = signer.sign(hashlib.blake2b(content).digest())
        both = signer.sign(over + comment.encode())
        return (
            f"{UNTRUSTED}signature of key {self.name}\n"
            f"{_text(SIGNED_HASH + self.number + over)}\n"
            f"{TRUSTED}{comment}\n"
            f"{_text(both)}\n"
        )

    @property
    def name(self) -> str:
        """Return the key's number as minisign writes it."""
        return self.number[::-1].hex().upper()

    @property
    def public(self) -> str:
        """Return the public key, as `minisign -P` takes it."""
        public = self._private().public_key().export_key(format="raw")
        return _text(KEY + self.number + public)

    def _private(self) -> ECC.EccKey:
        return eddsa.import_private_key(self.seed)


def secret_key(text: str, source: str) -> SecretKey:
    """Return the key of a key file's text; UsageError, which has `source`, for anything else."""
    lines = text.splitlines()
    try:
        raw = base64.b64decode(lines[1] if len(lines) > 1 else "", validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != SECRET_KEY.size:
        raise UsageError(f"{source} is no secret key of minisign", expected=EXPECTED)
    algorithm, derivation, checksum, _, _, _, number, pair, check = SECRET_KEY.unpack(raw)
    if (algorithm, checksum) != (KEY, CHECKSUM):
        raise UsageError(f"{source} is of another kind: {raw[:6]!r}", expected=EXPECTED)
    if derivation != NO_PASSWORD:
        raise UsageError(
            f"{source} has a password, and nobody can be asked for it here",
            expected=EXPECTED,
            hint="`minisign -C -W` takes the password away; keep the file where secrets are kept",
        )
    if hashlib.blake2b(algorithm + number + pair, digest_size=32).digest() != check:
        raise UsageError(f"{source} is damaged: its checksum is another", expected=EXPECTED)
    return SecretKey(number, pair[:32])


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")

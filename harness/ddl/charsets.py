"""Character sets: their names, bytes a character, and default collations.

The defaults are TiDB's (`utf8mb4_bin`, `utf8_bin`, `latin1_bin`, ...), not MySQL's. Character sets
that TiDB does not know but MySQL and MariaDB do carry MySQL's default collation.
Source: TiDB pkg/parser/charset/charset.go; MySQL 8.0 reference manual §10.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Charset:
    """One character set; `width` is the largest number of bytes of a character."""

    name: str
    collation: str
    width: int


BINARY = "binary"

CHARSETS: Mapping[str, Charset] = MappingProxyType(
    {
        charset.name: charset
        for charset in (
            Charset("utf8mb4", "utf8mb4_bin", 4),
            Charset("utf8", "utf8_bin", 3),
            Charset("latin1", "latin1_bin", 1),
            Charset("ascii", "ascii_bin", 1),
            Charset(BINARY, BINARY, 1),
            Charset("gbk", "gbk_chinese_ci", 2),
            Charset("gb18030", "gb18030_chinese_ci", 4),
            Charset("armscii8", "armscii8_general_ci", 1),
            Charset("big5", "big5_chinese_ci", 2),
            Charset("cp1250", "cp1250_general_ci", 1),
            Charset("cp1251", "cp1251_general_ci", 1),
            Charset("cp1256", "cp1256_general_ci", 1),
            Charset("cp1257", "cp1257_general_ci", 1),
            Charset("cp850", "cp850_general_ci", 1),
            Charset("cp852", "cp852_general_ci", 1),
            Charset("cp866", "cp866_general_ci", 1),
            Charset("cp932", "cp932_japanese_ci", 2),
            Charset("dec8", "dec8_swedish_ci", 1),
            Charset("eucjpms", "eucjpms_japanese_ci", 3),
            Charset("euckr", "euckr_korean_ci", 2),
            Charset("gb2312", "gb2312_chinese_ci", 2),
            Charset("geostd8", "geostd8_general_ci", 1),
            Charset("greek", "greek_general_ci", 1),
            Charset("hebrew", "hebrew_general_ci", 1),
            Charset("hp8", "hp8_english_ci", 1),
            Charset("keybcs2", "keybcs2_general_ci", 1),
            Charset("koi8r", "koi8r_general_ci", 1),
            Charset("koi8u", "koi8u_general_ci", 1),
            Charset("latin2", "latin2_general_ci", 1),
            Charset("latin5", "latin5_turkish_ci", 1),
            Charset("latin7", "latin7_general_ci", 1),
            Charset("macce", "macce_general_ci", 1),
            Charset("macroman", "macroman_general_ci", 1),
            Charset("sjis", "sjis_japanese_ci", 2),
            Charset("swe7", "swe7_swedish_ci", 1),
            Charset("tis620", "tis620_thai_ci", 1),
            Charset("ucs2", "ucs2_general_ci", 2),
            Charset("ujis", "ujis_japanese_ci", 3),
            Charset("utf16", "utf16_general_ci", 4),
            Charset("utf16le", "utf16le_general_ci", 4),
            Charset("utf32", "utf32_general_ci", 4),
        )
    }
)

# MySQL 8.0 and MariaDB spell the three-byte set so; TiDB answers with its older name.
_ALIASES: Mapping[str, str] = {"utf8mb3": "utf8"}


def find_charset(name: str) -> Charset | None:
    """Return the character set of that name (any case, aliases too), None when unknown."""
    lower = name.lower()
    return CHARSETS.get(_ALIASES.get(lower, lower))


def charset_of_collation(collation: str) -> Charset | None:
    """Return the character set that a collation's name belongs to, None when unknown."""
    lower = collation.lower()
    prefix = lower.partition("_")[0]
    return find_charset(prefix)

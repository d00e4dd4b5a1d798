"""Character sets: their names, bytes a character, and default collations.

The defaults are TiDB's (`utf8mb4_bin`, `utf8_bin`, `latin1_bin`, ...), not MySQL's. Character sets
that TiDB does not know but MySQL and MariaDB do carry MySQL's default collation.
Source: TiDB pkg/parser/charset/charset.go; MySQL 8.0 reference manual §10.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from harness.ddl.errors import Refused


@dataclass(frozen=True, slots=True)
class Charset:
    """A character set with a collation; `width` is the largest number of bytes of a character."""

    name: str
    collation: str
    width: int


BINARY = "binary"
# Width -> the default collations; up to its first `_`, a collation is named like its character set.
_COLLATIONS: Mapping[int, str] = {
    1: """
        latin1_bin ascii_bin binary armscii8_general_ci cp1250_general_ci cp1251_general_ci
        cp1256_general_ci cp1257_general_ci cp850_general_ci cp852_general_ci cp866_general_ci
        dec8_swedish_ci geostd8_general_ci greek_general_ci hebrew_general_ci hp8_english_ci
        keybcs2_general_ci koi8r_general_ci koi8u_general_ci latin2_general_ci latin5_turkish_ci
        latin7_general_ci macce_general_ci macroman_general_ci swe7_swedish_ci tis620_thai_ci
        """,
    2: """
        gbk_chinese_ci big5_chinese_ci cp932_japanese_ci euckr_korean_ci gb2312_chinese_ci
        sjis_japanese_ci ucs2_general_ci
        """,
    3: "utf8_bin eucjpms_japanese_ci ujis_japanese_ci",
    4: "utf8mb4_bin gb18030_chinese_ci utf16_general_ci utf16le_general_ci utf32_general_ci",
}
CHARSETS: Mapping[str, Charset] = {
    charset.name: charset
    for width, collations in _COLLATIONS.items()
    for collation in collations.split()
    for charset in [Charset(collation.partition("_")[0], collation, width)]
}
DEFAULT_CHARSET = CHARSETS["utf8mb4"]
# What MySQL 8.0 has in its place.
MYSQL_DEFAULT_CHARSET = replace(DEFAULT_CHARSET, collation="utf8mb4_0900_ai_ci")

# MySQL 8.0 and MariaDB spell the three-byte set so; TiDB answers with its older name.
_ALIASES: Mapping[str, str] = {"utf8mb3": "utf8"}


def find_charset(name: str) -> Charset | None:
    """Return the character set of that name (any case, aliases too), None when unknown."""
    lower = name.lower()
    return CHARSETS.get(_ALIASES.get(lower, lower))


def charset_of_collation(collation: str) -> Charset | None:
    """Return the character set that a collation's name belongs to, None when unknown."""
    owner = find_charset(collation.lower().partition("_")[0])
    return replace(owner, collation=collation) if owner else None


def resolve_charset(charset: str, collation: str, inherited: Charset, *, at: int = 0) -> Charset:
    """Return the character set and collation that a CHARACTER SET and a COLLATE (or "") mean."""
    owner = charset_of_collation(collation) if collation else None
    if owner is None:
        return CHARSETS[charset] if charset else inherited
    if charset and owner.name != charset:
        raise Refused(at, f"COLLATION '{collation}' is not valid for CHARACTER SET '{charset}'")
    return owner

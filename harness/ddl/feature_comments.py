"""What TiCDC did to a statement before it restored it: TiDB's own options go into comments.

Source: TiDB at 552e7709de0d, which tiflow v4.0.4 is built with: sessionctx/binloginfo
binloginfo.go:305 `AddSpecialComment`, types/parser_driver special_cmt_ctrl.go:64
`FeatureIDPatterns`.
"""

from __future__ import annotations

import re

# What begins a comment, and the options that it takes, in this order.
_COMMENTS = tuple(
    (begin, tuple(re.compile(pattern, re.ASCII | re.IGNORECASE) for pattern in patterns))
    for begin, patterns in (
        ("/*!90000 ", (r"SHARD_ROW_ID_BITS\s*=\s*\d+\s*", r"PRE_SPLIT_REGIONS\s*=\s*\d+\s*")),
        ("/*T![auto_rand]", (r"AUTO_RANDOM\s*(\(\s*\d+\s*\)|\s+)\s*",)),
        ("/*T![auto_id_cache]", (r"AUTO_ID_CACHE\s*=?\s*\d+\s*",)),
        ("/*T![auto_rand_base]", (r"AUTO_RANDOM_BASE\s*=?\s*\d+\s*",)),
    )
)


def with_feature_comments(query: str) -> str:
    """Return the user's text with TiDB's own options in comments, unless it has such already."""
    if "/*!90000 " in query or "/*T!" in query:
        return query
    for begin, patterns in _COMMENTS:
        query = _commented(query, begin, patterns)
    return query


def _commented(query: str, begin: str, patterns: tuple[re.Pattern[str], ...]) -> str:
    """Return the text with all that the patterns find in one comment, where the first stood."""
    taken: list[str] = []
    place = len(query)
    for pattern in patterns:
        while (found := pattern.search(query)) is not None:
            taken.append(found[0])
            place = min(place, found.start())
            query = query[: found.start()] + query[found.end() :]
    if not taken:
        return query
    comment = begin
    for option in taken:
        comment = _blank_behind(comment) + option
    rest = query[place:]
    return f"{query[:place]}{_blank_behind(comment)}*/{' ' if rest else ''}{rest}"


def _blank_behind(text: str) -> str:
    return text if text.endswith(" ") else f"{text} "

"""Many strings at once as the insides of JSON strings, as two Go libraries escape them.

Most text needs no escape. So a column of texts is looked at once, joined; only when something in it
needs an escape is each text written on its own.

Source: Go encoding/json `appendString`; json-iterator 1.1.12 stream_str.go, whose `WriteString`
leaves `<`, `>`, `&`, U+2028 and U+2029 alone and has no short form for backspace and form feed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import orjson

from harness.wire.go_json import go_string

# How Python's `surrogateescape` holds bytes that are not UTF-8.
ESCAPED_BYTES = range(0xDC80, 0xDD00)
_BARE = str.maketrans(
    {
        **{chr(code): f"\\u{code:04x}" for code in range(0x20)},
        **{chr(code): "\\ufffd" for code in range(0xD800, 0xE000) if code not in ESCAPED_BYTES},
        '"': '\\"',
        "\\": "\\\\",
        "\n": "\\n",
        "\r": "\\r",
        "\t": "\\t",
    }
)
_SPECIAL = re.compile('[\x00-\x1f"\\\\<>&\u2028\u2029\ud800-\udfff]')


def html_safe(texts: Sequence[str]) -> Sequence[str]:
    """Return the texts as encoding/json writes them between quotes; TypeError for what is no text.

    The check by length leans on a faster library: ASCII text grows in its JSON only by escapes.
    """
    joined = "".join(texts)
    if joined.isascii():
        html = "<" in joined or ">" in joined or "&" in joined
        if not html and len(orjson.dumps(joined)) == len(joined) + 2:
            return texts
    elif _SPECIAL.search(joined) is None:
        return texts
    return [go_string(text)[1:-1] for text in texts]


def bare(texts: Sequence[str]) -> Sequence[str]:
    """Return the texts as json-iterator writes them between quotes; TypeError for what is no text.

    A byte that is not UTF-8 is passed on: it stays as `surrogateescape` holds it.
    """
    joined = "".join(texts)
    if joined.isascii() and len(orjson.dumps(joined)) == len(joined) + 2:
        return texts
    return [text.translate(_BARE) for text in texts]

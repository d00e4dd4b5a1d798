"""What a consumer read again after it was killed and started anew."""

from __future__ import annotations

from enum import StrEnum


class Resumption(StrEnum):
    """What its requests to the broker say; its answer does not say it.

    `unknown` where it was not killed, had read nothing by then, or nobody counts.
    """

    UNKNOWN = ""
    RESUMED = "resumed"
    READ_AGAIN = "read-again"

"""The levels at which a consumer is certified, each for itself.

| level | what is asked |
| --- | --- |
| decode | what each message says, without Kafka |
| materialise | the tables at the end of topics that are full before the consumer starts |
| stream | the same while something happens to the consumer or to a service under it |
| live | the same on topics that a real TiCDC or Debezium has filled; its upstream is the truth |
"""

from __future__ import annotations

from enum import StrEnum


class Level(StrEnum):
    """One level; the value is what command lines and reports say."""

    DECODE = "decode"
    MATERIALISE = "materialise"
    STREAM = "stream"
    LIVE = "live"

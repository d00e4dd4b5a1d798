"""From the changefeeds of a job to what the library reads and orders them by."""

from __future__ import annotations

from collections.abc import Mapping

from cdc_spark.conformance.job import ENDLESS, ChangefeedJob, Job
from cdc_spark.debezium.connectors import sends_truncate
from cdc_spark.debezium.values import definitions
from cdc_spark.errors import UsageError
from cdc_spark.ordering.hold import Source
from cdc_spark.ordering.operators import Route, Timeline
from cdc_spark.protocols import Language
from cdc_spark.wire.zones import UTC_NAME

BUCKETS, DEFAULT_BUCKETS = "HARNESS_SPARK_BUCKETS", 2
# Messages of a changefeed up to which its row events are handed back: in the contract an answer may
# have 256 MiB, and what nobody asked for need not be in them.
EVENTS, DEFAULT_EVENTS = "HARNESS_SPARK_EVENTS", 100_000
METADATA = "provide.transaction.metadata"
TIME_ZONE = "tz"
_TOPIC, _DELIMITER = "topic.transaction", "topic.delimiter"
_OWN = "transaction"


def language_of(job: Job, changefeed: ChangefeedJob) -> Language:
    """Return how a changefeed's messages are read."""
    registry = job.registry
    return Language(
        protocol=changefeed.protocol,
        dialect=changefeed.dialect,
        url="" if registry is None else registry.url,
        properties={} if registry is None else registry.properties,
        definitions=definitions(changefeed.tables, changefeed.settings, changefeed.protocol),
        time_zone=str(changefeed.settings.get(TIME_ZONE, UTC_NAME)),
    )


def assembled(changefeed: ChangefeedJob) -> bool:
    """Return whether transactions are to be assembled: a topic of the changefeed has their ends.

    A connector without metadata, or with its transaction topic filtered out, has none.
    """
    settings = changefeed.settings
    if str(settings.get(METADATA, "false")).lower() != "true":
        return False
    last = f"{settings.get(_DELIMITER, '.')}{settings.get(_TOPIC, _OWN)}"
    return any(topic.role == _OWN or topic.canonical.endswith(last) for topic in changefeed.topics)


def buckets(environment: Mapping[str, str]) -> int:
    """Return the number of buckets of a changefeed; raises UsageError for what is none."""
    return _number(environment, BUCKETS, DEFAULT_BUCKETS, least=1)


def hands_back_events(changefeed: ChangefeedJob, environment: Mapping[str, str]) -> bool:
    """Return whether a changefeed's row events are handed back, every one; UsageError as above.

    Of one that has no end nobody knows how many there will be: its events are, unless none are.
    """
    most = _number(environment, EVENTS, DEFAULT_EVENTS, least=0)
    pairs = [pair for one in changefeed.topics for pair in one.ranges]
    endless = any(end == ENDLESS for _, end in pairs)
    return most > 0 and (endless or sum(end - start for start, end in pairs) <= most)


def _number(environment: Mapping[str, str], name: str, default: int, *, least: int) -> int:
    text = environment.get(name) or f"{default}"
    if not text.isdecimal() or int(text) < least:
        raise UsageError(f"{name} is {text!r}", expected=f"a whole number from {least} on")
    return int(text)


def routes(job: Job, number: int, environment: Mapping[str, str]) -> dict[str, Route]:
    """Return the route of every topic that is read; rows are dealt to `number` buckets."""
    found: dict[str, Route] = {}
    own = timelines(job, environment)
    for feed, changefeed in enumerate(job.changefeeds):
        if changefeed.needs:
            continue
        language = language_of(job, changefeed)
        spread = number if own[feed].spreads else 1
        for ordinal, topic in enumerate(changefeed.topics):
            found[topic.name] = Route(
                feed,
                ordinal,
                language,
                topic.end_offsets,
                buckets=spread,
                netted=own[feed].nets_early and spread > 1,
            )
    return found


def timelines(job: Job, environment: Mapping[str, str]) -> dict[int, Timeline]:
    """Return the timeline of every changefeed that is read; UsageError for a wrong environment."""
    return {
        feed: _timeline(
            changefeed, lenient=job.lenient, net=not hands_back_events(changefeed, environment)
        )
        for feed, changefeed in enumerate(job.changefeeds)
        if not changefeed.needs
    }


def _timeline(changefeed: ChangefeedJob, *, lenient: bool, net: bool) -> Timeline:
    return Timeline(
        protocol=changefeed.protocol,
        sources=tuple(
            Source(ordinal, number)
            for ordinal, topic in enumerate(changefeed.topics)
            for number in range(len(topic.end_offsets))
        ),
        inclusive=changefeed.inclusive,
        by_record=changefeed.by_record,
        assembled=assembled(changefeed),
        lenient=lenient,
        net=net,
        truncates=sends_truncate(changefeed.protocol, changefeed.settings),
    )

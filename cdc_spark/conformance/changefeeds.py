"""From the changefeeds of a job to what the library reads and orders them by."""

from __future__ import annotations

from cdc_spark.conformance.job import ChangefeedJob, Job
from cdc_spark.debezium_vitess.values import definitions
from cdc_spark.ordering.hold import Source
from cdc_spark.ordering.operators import Route, Timeline
from cdc_spark.protocols import Language

METADATA = "provide.transaction.metadata"
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
        definitions=definitions(changefeed.tables, changefeed.settings),
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


def routes(job: Job) -> dict[str, Route]:
    """Return the route of every topic that is read."""
    found: dict[str, Route] = {}
    for feed, changefeed in enumerate(job.changefeeds):
        if changefeed.needs:
            continue
        language = language_of(job, changefeed)
        for ordinal, topic in enumerate(changefeed.topics):
            found[topic.name] = Route(feed, ordinal, language, topic.end_offsets)
    return found


def timelines(job: Job) -> dict[int, Timeline]:
    """Return the timeline of every changefeed that is read."""
    return {
        feed: _timeline(changefeed, lenient=job.lenient)
        for feed, changefeed in enumerate(job.changefeeds)
        if not changefeed.needs
    }


def _timeline(changefeed: ChangefeedJob, *, lenient: bool) -> Timeline:
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
    )

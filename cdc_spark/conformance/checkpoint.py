"""What a checkpoint has been read from: `reading.json` beside it.

Offsets mean something in one topic only. Kafka gives each topic an id; one that was deleted
and made again has another, although its name and maybe its offsets look alike. So a checkpoint is
gone on with only where topics and ids are those that it was begun with.

Source: Apache Kafka 4.1, KIP-516 (topic identifiers).
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from cdc_spark.conformance import source, topic_ids
from cdc_spark.conformance.job import Job
from cdc_spark.errors import SetupError, UsageError
from cdc_spark.untyped import Session

FILE = "reading.json"


def begin(spark: Session, job: Job) -> Mapping[str, int]:
    """Note what is read, or hold it against what was noted; return the topics' partitions now.

    Raises UsageError for the checkpoint of another job, SetupError for a topic that is not there or
    not the one that was read.
    """
    wanted = sorted({topic.name for _, topic in source.wanted(job)} & set(source.offsets(job)))
    topics = topic_ids.of(spark, job, wanted)
    ids = {name: topic.id for name, topic in topics.items()}
    partitions = {name: topic.partitions for name, topic in topics.items()}
    note = job.work_dir / FILE
    if not job.checkpoint.exists() or not note.exists():
        note.write_text(json.dumps(ids, indent=1), encoding="utf-8")
        return partitions
    noted: dict[str, str] = json.loads(note.read_text(encoding="utf-8"))
    if set(noted) != set(wanted):
        odd = sorted(set(noted) ^ set(wanted))
        whose = "the checkpoint" if odd[0] in noted else "the job"
        raise UsageError(
            f"{job.work_dir} has the checkpoint of another job: only {whose} reads topic {odd[0]}",
            expected=f"the topics {', '.join(sorted(noted)[:5])}",
            hint="a job that is started again keeps its work directory; another gets an empty one",
        )
    for name, was in noted.items():
        if ids[name] != was:
            raise SetupError(
                f"topic {name} was deleted and made again below the checkpoint:"
                f" its id was {was} and is {ids[name]}",
                expected="the topic that the checkpoint was read from",
                hint="what the old topic held beyond the checkpoint is lost: begin with an empty"
                " work directory",
            )
    return partitions

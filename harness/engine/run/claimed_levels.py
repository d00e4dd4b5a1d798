"""Which levels a command certifies: what is asked for, held against what the consumer claims.

A level that a consumer does not claim is never run in its name. Without a claim, materialise
and stream are run together, and what the consumer lacks it says itself, case by case.
"""

from __future__ import annotations

from harness.engine.plan.levels import BELONGS, steps_of
from harness.engine.run.preflight import undeclared
from harness.errors import UsageError
from harness.model.finding import Judgement, Verdict
from harness.model.level import Level
from harness.runner.manifest import Consumer
from harness.scenario.expand import Case

# What reads topics that we fill; both together are one run, whose level is None.
ON_TOPICS = (Level.MATERIALISE, Level.STREAM)


def levels_to_run(consumer: Consumer, level: Level | None) -> tuple[Level | None, ...]:
    """Return the runs that a command comes to: a level each, None for materialise and stream.

    `level` is the one that is asked for, None for all that is claimed. Raises UsageError for one
    that the consumer does not claim, and where it claims no level that needs no more words.
    """
    claims = consumer.levels
    if level is not None:
        if claims is not None and level not in claims:
            raise _unclaimed(consumer, level)
        return (level,)
    if claims is None:
        return (None,)
    both = tuple(one for one in ON_TOPICS if one in claims)
    found: tuple[Level | None, ...] = (None,) if both == ON_TOPICS else both
    if Level.DECODE in claims:
        found = (*found, Level.DECODE)
    if not found:
        raise UsageError(
            f"{consumer.name} claims only the level live, which needs filled topics",
            expected="--level live --live FILE.yaml",
            hint="docs/guides/certify-live.md has a file to start from",
        )
    return found


def declined(consumer: Consumer, case: Case) -> Verdict | None:
    """Return the verdict on a case that the consumer's own declaration rules out, None to run it.

    For runs of materialise and stream together that somebody else than a command asks for.
    """
    if not consumer.supports(case.protocol):
        return undeclared(consumer, case)
    claims = consumer.levels
    level = next(one for one in ON_TOPICS if BELONGS[one](steps_of(case)))
    if claims is None or level in claims:
        return None
    detail = f"belongs to the level {level}, which {consumer.name} does not claim"
    return Verdict(case.id, Judgement.NOT_APPLICABLE, (), detail)


def _unclaimed(consumer: Consumer, level: Level) -> UsageError:
    claims = [one.value for one in Level if one in (consumer.levels or ())]
    return UsageError(
        f"nothing is applicable: {consumer.name} does not claim the level {level}",
        expected=f"--level {' or '.join(claims)}",
        hint=f"add {level} to `levels` in {consumer.target or 'its manifest'}, once it does it",
    )

"""What no consumer can read is judged by what the consumer says of it, not by its tables.

A consumer that gives up names the messages that stopped it; one that sets such messages aside lists
them as dead letters. Answering as if nothing had been there is the fault: a stream that lost a
message in silence cannot be trusted any more. Places are compared, never words: a text with many
numbers in it names nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.model.finding import Finding, FindingKind, Judgement, Place, Verdict
from harness.model.observed import DeadLetter, Observed, Outcome
from harness.verdict.case import Judged

SHOWN = 3


def judge_hostile(judged: Judged, observed: Observed) -> Verdict:
    """Return the verdict on an answer (`done` or `error`) to a delivery with hostile messages."""
    wanted = judged.hostile or ()
    if observed.outcome is Outcome.ERROR:
        return _gave_up(judged, observed, wanted)
    if observed.dead_letters is None:
        what = "the consumer answers `done` and says nothing of a message that cannot be read"
        return _failed(judged, what, wanted)
    letters = observed.dead_letters
    missing = [place for place in wanted if not any(_is(one, place) for one in letters)]
    if missing:
        what = "the dead letters lack a message that cannot be read"
        return _failed(judged, what, missing)
    bad = {str(place) for place in wanted}
    right = [p for there in judged.places.values() for p in there if str(p) not in bad]
    innocent = [place for place in right if any(_is(one, place) for one in letters)]
    if innocent:
        return _failed(judged, "a message that can be read is among the dead letters", innocent)
    return Verdict(judged.case, Judgement.PASS, (), "set aside what cannot be read")


def owed(places: Sequence[Place]) -> str:
    """Return what a consumer is to answer where messages cannot be read."""
    shown = ", ".join(str(place) for place in places[:SHOWN])
    return f"status `error` with `messages`, or dead letters, that name: {shown}"


def _gave_up(judged: Judged, observed: Observed, wanted: Iterable[Place]) -> Verdict:
    named = observed.stopped_at
    if not named:
        what = f"the consumer gave up and `messages` does not say where: {observed.detail}"
        return _failed(judged, what, wanted)
    wrong = [one for one in named if not any(_is(one, place) for place in wanted)]
    if wrong:
        place = f"{wrong[0].topic}/{wrong[0].partition}@{wrong[0].offset}"
        what = f"the consumer gave up at {place}, which can be read: {observed.detail}"
        return _failed(judged, what, wanted)
    return Verdict(judged.case, Judgement.PASS, (), f"gave up in order: {observed.detail}")


def _is(letter: DeadLetter, place: Place) -> bool:
    same_topic = letter.topic == place.topic or letter.topic.endswith(f".{place.topic}")
    return same_topic and (letter.partition, letter.offset) == (place.partition, place.offset)


def _failed(judged: Judged, what: str, wanted: Iterable[Place]) -> Verdict:
    places = tuple(wanted)
    if judged.faults:
        what = f"{what} (fault {', '.join(dict.fromkeys(judged.faults))})"
    finding = Finding(
        FindingKind.CONSUMER,
        what,
        judged.main_clause(),
        judged.line,
        expected=owed(places),
        places=places,
    )
    return Verdict(judged.case, Judgement.FAIL, (finding,))

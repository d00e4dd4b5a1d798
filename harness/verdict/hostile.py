"""What no consumer can read is judged by what the consumer says of it, not by its tables.

A consumer that gives up names the message that stopped it; one that sets such messages aside lists
them as dead letters. Answering as if nothing had been there is the fault: a stream that lost a
message in silence cannot be trusted any more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from harness.model.finding import Finding, FindingKind, Judgement, Place, Verdict
from harness.model.observed import DeadLetter, Observed, Outcome
from harness.verdict.case import Judged

SHOWN = 3


def judge_hostile(judged: Judged, observed: Observed) -> Verdict:
    """Return the verdict on an answer (`done` or `error`) to a delivery with hostile messages."""
    wanted = judged.hostile or ()
    if observed.outcome is Outcome.ERROR:
        if any(names(observed.detail, place) for place in wanted):
            return Verdict(judged.case, Judgement.PASS, (), f"gave up in order: {observed.detail}")
        what = f"the consumer gave up and does not say at which message: {observed.detail}"
        return _failed(judged, what, wanted)
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


def names(text: str, place: Place) -> bool:
    """Return whether a text names a message: topic (real or canonical), partition and offset."""
    topic = re.compile(rf"[\w.-]*{re.escape(place.topic)}(?![\w.-]*\w)")
    if topic.search(text) is None:
        return False
    numbers = Counter(re.findall(r"\d+", topic.sub(" ", text)))
    return not Counter([str(place.partition), str(place.offset)]) - numbers


def _is(letter: DeadLetter, place: Place) -> bool:
    same_topic = letter.topic == place.topic or letter.topic.endswith(f".{place.topic}")
    return same_topic and (letter.partition, letter.offset) == (place.partition, place.offset)


def _failed(judged: Judged, what: str, wanted: Iterable[Place]) -> Verdict:
    places = tuple(wanted)
    shown = ", ".join(str(place) for place in places[:SHOWN])
    finding = Finding(
        FindingKind.CONSUMER,
        what,
        judged.main_clause(),
        judged.line,
        expected=f"status `error` naming topic, partition and offset, or a dead letter: {shown}",
        places=places,
    )
    return Verdict(judged.case, Judgement.FAIL, (finding,))

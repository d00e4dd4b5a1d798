"""What becomes of the messages of a batch that cannot be read, or that somebody skipped by name."""

from __future__ import annotations

from cdc_spark.errors import PoisonError
from cdc_spark.events import Event, Kind
from cdc_spark.set_aside import SKIPPED, MessagePlace, Policy, packed
from cdc_spark.untyped import ArrowBatch, np, pa
from cdc_spark.vectorised import blocks
from cdc_spark.vectorised.blocks import PLACES
from cdc_spark.vectorised.reader import Numbers

# What stays of a skipped message that holds DDL; its rows are set aside.
STAYS = (Kind.DDL, Kind.RESOLVED)


def judged(policy: Policy, messages: ArrowBatch, numbers: Numbers, block: ArrowBatch) -> ArrowBatch:
    """Return the block of these messages of a batch as the policy wants it.

    Raises PoisonError for what can neither be read nor was skipped, where poison is to fail the
    query. DDL of a skipped message stays: whoever executes statements passes over it, whichever
    partition's copy came first. So does a resolved event beside it, which rows may wait for.
    """
    if not (policy.fails or policy.keeps or policy.skipped):
        return block
    of_message, kinds = block["order"].to_numpy() >> PLACES, block["kind"].to_numpy()
    replaced: dict[int, Event] = {}
    for at in np.flatnonzero(kinds == Kind.ERROR):
        number, reason = int(of_message[at]), block["payload"][int(at)].as_py()
        place = place_of(messages, number)
        if place in policy.skipped:
            reason = f"{SKIPPED}: {reason}"
        elif policy.fails:
            raise poison(place, reason)
        replaced[number] = _event(policy, messages, number, reason)
    gone = np.isin(of_message, list(replaced))
    for number in _skipped(policy, messages, numbers):
        mine = of_message == number
        if Kind.DDL in kinds[mine]:
            mine &= ~np.isin(kinds, STAYS)
        if number not in replaced and mine.any():
            replaced[number] = _event(policy, messages, number, SKIPPED)
            gone |= mine
    if not replaced:
        return block
    kept = block.filter(pa.array(~gone))
    events = blocks.block_of((number, [event]) for number, event in replaced.items())
    return blocks.together([kept, events])


def place_of(messages: ArrowBatch, number: int) -> MessagePlace:
    """Return where a message of a batch stands."""
    return MessagePlace(*(messages[name][int(number)].as_py() for name in MessagePlace._fields))


def poison(place: MessagePlace, reason: str) -> PoisonError:
    """Return the error that stops a query at a message that cannot be read."""
    return PoisonError(
        f"{place}: {reason}",
        hint=f"nothing was committed past it; skip=[{tuple(place)!r}] sets this message aside,"
        " poison='dead_letter' all that cannot be read",
    )


def _skipped(policy: Policy, messages: ArrowBatch, numbers: Numbers) -> list[int]:
    """Return which of these messages were skipped by name."""
    if not policy.skipped or not len(numbers):
        return []
    offsets = messages["offset"].take(pa.array(numbers)).to_numpy(zero_copy_only=False)
    found = numbers[np.isin(offsets, [place.offset for place in policy.skipped])]
    return [int(one) for one in found if place_of(messages, one) in policy.skipped]


def _event(policy: Policy, messages: ArrowBatch, number: int, reason: str) -> Event:
    if not policy.keeps:
        return Event(Kind.ERROR, payload=reason)
    (message,) = messages.slice(number, 1).to_pylist()
    return Event(Kind.ERROR, payload=packed(reason, message))

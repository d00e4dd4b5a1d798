"""What is done to the consumer and to the registry while a delivery is read.

Source: clause `kafka.at-least-once`; https://github.com/airbytehq/airbyte/pull/31093 (offsets ahead
of data), https://github.com/apache/paimon/issues/9666 and its likes (a batch that came
twice).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from harness.errors import StepError, plural
from harness.faults.actions import (
    AfterCommits,
    AfterRecords,
    AtCrashPoint,
    ForgetSchema,
    Instances,
    Join,
    Kill,
    Pause,
    Reached,
    StartRegistry,
    Step,
    StopRegistry,
    TroubleRegistry,
    messages,
    sent,
)
from harness.faults.choose import chosen, first, last, nothing
from harness.faults.fault import Disturbance, Invariant
from harness.faults.option import KEY, TRANSACTION, Option, Options, Takes
from harness.model.record import Record


def kill(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Kill the consumer at a moment; it is armed before anything is sent."""
    when = _moment(steps, options, random)
    return (Kill(when, resume=options.flag("resume")), *steps)


def slow_consumer(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Stop the consumer in its tracks for a while."""
    when = _moment(steps, options, random)
    return (Pause(when, options.number("milliseconds")), *steps)


def instances(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Run several instances of the consumer in one group."""
    del random
    return (Instances(options.number("count")), *steps)


def join(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Start another instance of the consumer at a moment."""
    when = _moment(steps, options, random)
    return (Join(when, options.number("count")), *steps)


def registry_down(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Take the registry away from a transaction's first message on, until another's last."""
    del random
    begin = _position(steps, first, options.text("from"), options.line)
    end = len(steps)
    if "to" in options:
        end = _position(steps, last, options.text("to"), options.line) + 1
    if end <= begin:
        what = f"{options.text('to')!r} comes before {options.text('from')!r}"
        raise nothing(what, options.line, "`to` at or after `from`")
    return (*steps[:begin], StopRegistry(), *steps[begin:end], StartRegistry(), *steps[end:])


def registry_restart(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Restart the registry behind a transaction's last message."""
    del random
    at = _position(steps, last, options.text("after"), options.line) + 1
    return (*steps[:at], StopRegistry(), StartRegistry(), *steps[at:])


def registry_trouble(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Let the registry answer late, or with errors at first, from the beginning on."""
    if not sent(steps):
        raise nothing("no message is sent", options.line)
    late, errors = options.number("milliseconds", 0), options.number("errors", 0)
    return (TroubleRegistry(late, errors, random.getrandbits(32)), *steps)


def registry_forgets(steps: Sequence[Step], options: Options, random: Random) -> tuple[Step, ...]:
    """Let the registry have forgotten the schema of a transaction's first row from the start."""
    del random
    _, records = messages(steps)
    chosen_rows = chosen(records, options)
    for record, is_chosen in zip(records, chosen_rows, strict=True):
        if is_chosen and record.value is not None and record.value_schema is not None:
            return (ForgetSchema(record.value_schema.schema, record), *steps)
    raise nothing("no chosen message names a schema by its value", options.line)


def _moment(steps: Sequence[Step], options: Options, random: Random) -> Reached:
    if "at" in options:
        return AtCrashPoint(options.text("at"), options.number("hit", 1))
    if "hit" in options:
        what = "`hit` counts how often a crash point is reached, and none is named"
        raise StepError(what, line=options.line, expected="`at` beside `hit`")
    if "after-commits" in options:
        return AfterCommits(options.number("after-commits"))
    drawn = "within-records" in options
    count, there = options.number("within-records" if drawn else "after-records"), len(sent(steps))
    if count > there:
        raise nothing(
            f"what is sent is {plural(there, 'message')}",
            options.line,
            f"a number from 1 to {there}",
        )
    return AfterRecords(random.randint(1, count) if drawn else count)


def _position(
    steps: Sequence[Step],
    find: Callable[[Sequence[Record], str, int], int],
    name: str,
    line: int,
) -> int:
    numbers, records = messages(steps)
    return numbers[find(records, name, line)]


PAUSE_MS = 2000
TROUBLE_MAX_MS, TROUBLE_MAX_ERRORS = 8000, 5  # what clients bear by default: 10 s and some tries
_ALL = frozenset(Invariant)
_MOMENT = ("after-records", "within-records", "after-commits", "at")
_MOMENTS = (
    Option("after-records", Takes.NUMBER, "When it has read this many messages."),
    Option(
        "within-records",
        Takes.NUMBER,
        "When it has read as many messages as the case's seed draws, from 1 to this number.",
    ),
    Option("after-commits", Takes.NUMBER, "When it has committed its position this often."),
    Option("at", Takes.TEXT, "At a crash point that the consumer declares, as between two writes."),
    Option("hit", Takes.NUMBER, "At the crash point for the n-th time, else for the first."),
)


ROWS: tuple[Disturbance, ...] = (
    Disturbance(
        "kill",
        "Kills the consumer with signal 9 at a moment, and starts it again where it was.",
        _ALL,
        (
            *_MOMENTS,
            Option(
                "resume",
                Takes.FLAG,
                "Whether it is started again; where not, other instances have to be there.",
                default=True,
            ),
        ),
        act=kill,
        live=True,
        one_of=_MOMENT,
        example={"after-records": 3},
    ),
    Disturbance(
        "slow-consumer",
        "Stops the consumer in its tracks at a moment, for a while, and lets it go on.",
        _ALL,
        (*_MOMENTS, Option("milliseconds", Takes.NUMBER, "For how long.", PAUSE_MS)),
        act=slow_consumer,
        live=True,
        one_of=_MOMENT,
        example={"after-records": 10, "milliseconds": 500},
    ),
    Disturbance(
        "instances",
        "Runs several instances of the consumer at once, in one group.",
        _ALL,
        (Option("count", Takes.NUMBER, "How many.", 2, least=2, most=8),),
        act=instances,
        live=True,
        example={"count": 2},
    ),
    Disturbance(
        "join",
        "Starts another instance of the consumer at a moment, in the group of those that run.",
        _ALL,
        (*_MOMENTS[:3], Option("count", Takes.NUMBER, "How many.", 1, most=7)),
        act=join,
        live=True,
        one_of=_MOMENT[:3],
        example={"after-records": 3},
    ),
    Disturbance(
        "registry-down",
        "Takes the schema registry away while messages are sent.",
        _ALL,
        (
            Option(
                "from",
                Takes.TRANSACTION,
                "The transaction before whose first message it goes.",
                required=True,
            ),
            Option(
                "to",
                Takes.TRANSACTION,
                "The transaction after whose last message it is back; without it, after "
                "everything.",
            ),
        ),
        act=registry_down,
        live=True,
        example={"from": "t2", "to": "t2"},
    ),
    Disturbance(
        "registry-restart",
        "Restarts the schema registry; it knows the same ids afterwards.",
        _ALL,
        (
            Option(
                "after",
                Takes.TRANSACTION,
                "The transaction after which it happens.",
                required=True,
            ),
        ),
        act=registry_restart,
        live=True,
        example={"after": "t1"},
    ),
    Disturbance(
        "registry-trouble",
        "Lets the schema registry answer a consumer late, or with status 500 at first.",
        _ALL,
        (
            Option(
                "milliseconds",
                Takes.NUMBER,
                "How long each answer takes.",
                most=TROUBLE_MAX_MS,
            ),
            Option(
                "errors",
                Takes.NUMBER,
                "How often at most a question is answered 500 before it is answered; the case's "
                "seed draws from 1 to this number for each.",
                most=TROUBLE_MAX_ERRORS,
            ),
        ),
        act=registry_trouble,
        live=True,
        some_of=("milliseconds", "errors"),
        example={"errors": 3},
    ),
    Disturbance(
        "registry-forgets",
        "Lets the schema registry answer 404 to a consumer that asks for the schema of a row: "
        "whatever was written with it cannot be read.",
        frozenset({Invariant.BYTES, Invariant.ONCE}),
        (TRANSACTION, KEY),
        act=registry_forgets,
        live=True,
        example={"transaction": "t1"},
    ),
)

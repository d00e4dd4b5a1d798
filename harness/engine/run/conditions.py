"""The conditions of a run, collected before it begins, from what it is about to do."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

import orjson

from harness.engine.run.declared import Declared
from harness.engine.run.provenance import commit, machine, services
from harness.model.conditions import Conditions, Excuse, OwnedLoss
from harness.runner.manifest import Consumer
from harness.scenario.expand import Case
from harness.services import Settings
from harness.services.settings import SECRET

_ACCOUNT = re.compile(r"//[^/@\s]*@")
VALUE_CHARACTERS = 60
VALUES_SHOWN = 4


def conditions_of(
    command: Sequence[str],
    consumer: Consumer,
    settings: Settings,
    declared: Declared,
    cases: Sequence[Case] = (),
    wanted: Sequence[str] = (),
) -> Conditions:
    """Return the conditions of a run that these words do again; `wanted` are its services.

    What levels tell in their own way is not in it: `catalogue`, `seed` and `strict`.
    """
    return Conditions(
        shlex.join(command),
        commit(),
        machine=machine(),
        services=services(settings, wanted),
        options=given(settings),
        declared=_declared(consumer),
        settings=settings_of(cases),
        losses=_losses(declared),
        excuses=_excuses(declared),
    )


def given(settings: Settings) -> Mapping[str, str]:
    """Return the settings that were given, without secrets: neither values nor accounts in URLs."""
    return {name: hidden(name, one.value) for name, one in sorted(settings.given.items())}


def hidden(name: str, value: str) -> str:
    """Return a setting's value as a person may see it."""
    return "***" if SECRET.search(name) and value else _ACCOUNT.sub("//***@", value)


def _declared(consumer: Consumer) -> Mapping[str, str]:
    """Return what a consumer says of itself, under the keys of its manifest; "" is left out."""
    design = {key.replace("_", "-"): value.value for key, value in asdict(consumer.design).items()}
    said = {
        "version": consumer.version,
        "homepage": consumer.homepage,
        "protocols": _list(consumer.protocols),
        "levels": _list(consumer.levels),
        "guarantee": consumer.guarantee.value,
        "capabilities": _list(consumer.capabilities),
        "crash-points": _list(consumer.crash_points),
        **{f"design.{key}": value for key, value in design.items()},
        "result": consumer.result.holder.value,
        "attach": "a system that ran already" if consumer.attach else "",
        "max-changefeeds": str(consumer.max_changefeeds),
        "max-starts": str(consumer.max_starts or ""),
    }
    return {key: value for key, value in said.items() if value}


def _list(names: Iterable[str] | None) -> str:
    return "" if names is None else ", ".join(sorted(map(str, names)))


def _excuses(declared: Declared) -> tuple[Excuse, ...]:
    """Return the known failures that are in force."""
    return tuple(
        Excuse(one.cases, one.verdict.value, one.finding, one.reason, one.link, one.expires)
        for one in declared.known
    )


def _losses(declared: Declared) -> tuple[OwnedLoss, ...]:
    """Return the losses that are owned up to."""
    return tuple(
        OwnedLoss(one.types, one.reason, tuple(one.protocols or ())) for one in declared.lossy
    )


def settings_of(cases: Sequence[Case]) -> Mapping[str, tuple[str, ...]]:
    """Return for each protocol which settings its cases have, each with its first values."""
    found: dict[str, dict[str, set[str]]] = {}
    for case in cases:
        of_protocol = found.setdefault(case.protocol, {})
        for name, value in case.settings.items():
            of_protocol.setdefault(name, set()).add(_value(value))
    return {
        protocol: tuple(
            f"{name} = {_values(sorted(values))}" for name, values in sorted(of.items())
        )
        for protocol, of in sorted(found.items())
    }


def _values(values: Sequence[str]) -> str:
    more = len(values) - VALUES_SHOWN
    return " | ".join([*values[:VALUES_SHOWN], *([f"… {more} more"] if more > 0 else [])])


def _value(value: object) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    text = " ".join(text.split())
    return text if len(text) <= VALUE_CHARACTERS else f"{text[: VALUE_CHARACTERS - 1]}…"

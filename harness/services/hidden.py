"""What must not be shown, by value: passwords of settings, and of accounts in addresses.

A name says that its value is a secret (`settings.SECRET`); the value may come back in anything: a
driver's error, a mirror's address, a consumer's last output.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast
from urllib.parse import unquote

from harness.services.settings import PREFIX, SECRET, Settings

SHOWN = "***"
LEAST = 6  # shorter values are words of any text
ACCOUNT = re.compile(r"(?<=//)[^/@\s]*@")
PROXIES = re.compile(r"(?i:https?|all)_proxy")
Node = TypeVar("Node")


class Secrets:
    """Values that are replaced wherever they stand."""

    def __init__(self, values: Iterable[str]) -> None:
        """Take the values; what is too short to be looked for is left out."""
        found = {value for value in values if len(value) >= LEAST}
        longest = sorted(found, key=lambda value: (-len(value), value))
        self._pattern = re.compile("|".join(map(re.escape, longest))) if longest else None

    @classmethod
    def of(cls, env: Mapping[str, str], settings: Settings | None = None) -> Secrets:
        """Return the secrets that our variables, proxies and settings have."""
        ours = {n: v for n, v in env.items() if n.startswith(PREFIX) or PROXIES.fullmatch(n)}
        given = {} if settings is None else {n: one.value for n, one in settings.given.items()}
        return cls(value for named in (ours, given) for value in _values(named))

    def hidden(self, text: str) -> str:
        """Return a text without secrets."""
        return text if self._pattern is None else self._pattern.sub(SHOWN, text)

    def hidden_in(self, node: Node) -> Node:
        """Return plain data, of whatever shape, without secrets in its texts."""
        return node if self._pattern is None else cast("Node", self._walked(node))

    def _walked(self, node: object) -> object:
        match node:
            case str():
                return self.hidden(node) if type(node) is str else node
            case tuple():
                return tuple(map(self._walked, cast("tuple[object, ...]", node)))
            case list():
                return list(map(self._walked, cast("list[object]", node)))
            case Mapping():
                named = cast("Mapping[object, object]", node)
                return {name: self._walked(value) for name, value in named.items()}
            case _ if is_dataclass(node) and not isinstance(node, type):
                there = ((one.name, getattr(node, one.name)) for one in fields(node) if one.init)
                return replace(node, **{name: self._walked(value) for name, value in there})
            case _:
                return node


def without_accounts(text: str) -> str:
    """Return a text whose addresses have no account."""
    return ACCOUNT.sub(f"{SHOWN}@", text)


def _values(named: Mapping[str, str]) -> Iterator[str]:
    for name, value in named.items():
        if SECRET.search(name.lower()):
            yield value
        for account in ACCOUNT.findall(value):
            password = account.removesuffix("@").partition(":")[2]
            yield from {password, unquote(password)}

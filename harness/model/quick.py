"""Frozen classes, made quickly.

A frozen dataclass checks each assignment of its own constructor, which is most of its price: five
sixths for eight fields. Streams make hundreds of thousands of rows, origins and records a second,
so they make them here: the places of the class are filled while they are open, and what fills them
then becomes an instance. It is equal to one made the plain way, and as frozen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


def quick(cls: Callable[P, T]) -> Callable[P, T]:
    """Return a constructor with the arguments of `cls`, a dataclass with slots and nothing else.

    Nothing of the class's own making runs: no `__post_init__`, no default factories; TypeError for
    a class that has any.
    """
    places = fields(cast("Any", cls))
    if hasattr(cls, "__post_init__") or any(p.default_factory is not MISSING for p in places):
        raise TypeError(f"{cls} makes more than its fields")
    known: dict[str, Any] = {
        "cls": cls,
        "blank": type("Blank", (), {"__slots__": tuple(place.name for place in places)}),
        **{f"default_{p.name}": p.default for p in places if p.default is not MISSING},
    }
    given = [
        p.name + (f"=default_{p.name}" if f"default_{p.name}" in known else "") for p in places
    ]
    body = "; ".join(f"made.{place.name} = {place.name}" for place in places)
    text = (
        f"def make({', '.join(given)}):\n"
        f"    made = blank(); {body}\n"
        "    made.__class__ = cls\n"
        "    return made\n"
    )
    exec(text, known)  # noqa: S102  dataclasses writes its constructors in the same way
    return cast("Callable[P, T]", known["make"])

"""Which known products fail a clause, a case or by a finding: whole runs that were kept, real bugs.

`third_parties.json` is written by `examples/consumers/matrix.py write` from the kept runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import msgspec

from harness.report.explain.text import listed, paragraph
from harness.report.real_bugs import Bug, bugs, provoking
from harness.scenario.document import Scenario

CASES_SHOWN = 2


class Product(msgspec.Struct, frozen=True):
    """A consumer that was certified.

    `fails` has its failing cases, each with its defect's id (or none), then what its findings name:
    a kind, a blank, a clause.
    """

    says: str
    version: str
    day: str
    defects: Mapping[str, str]
    fails: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that a product fails; `named` has pairs of a finding's kind and its clause."""

    case: str
    defect: str
    named: tuple[tuple[str, str], ...]

    @property
    def scenario(self) -> str:
        """Return the scenario's id."""
        return self.case.partition("[")[0]


@lru_cache(maxsize=1)
def products() -> Mapping[str, Product]:
    """Return what is known of products, by the name of their configuration."""
    data = (files("harness.report.explain") / "third_parties.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, Product])


def failures(product: Product) -> Iterator[Failure]:
    """Yield what a product fails."""
    for case, (defect, *named) in product.fails.items():
        pairs = [pair.partition(" ") for pair in named]
        yield Failure(case, defect, tuple((kind, clause) for kind, _, clause in pairs))


def product_lines(concerns: Callable[[Failure], bool]) -> Iterator[str]:
    """Yield the products of whose failures some are meant, with their defects."""
    items: list[list[str]] = []
    for name, product in products().items():
        found: dict[str, list[str]] = {}
        for failure in failures(product):
            if concerns(failure):
                found.setdefault(failure.defect, []).append(failure.case)
        if found:
            items.append([f"  {name} {product.version}, {product.day}", *_defects(product, found)])
    yield from listed("Known products that fail it", items, shown=len(items))


def _defects(product: Product, found: Mapping[str, list[str]]) -> Iterator[str]:
    for defect, cases in found.items():
        more = f" and {len(cases) - CASES_SHOWN} more" if len(cases) > CASES_SHOWN else ""
        where = f"in {', '.join(cases[:CASES_SHOWN])}{more}"
        what = product.defects.get(defect, "")
        yield from paragraph(
            f"{defect}: {what} Shown {where}." if defect else f"Shown {where}.", 4, 4
        )


def bug_lines(scenarios: Iterable[Scenario], links: Iterable[str] = ()) -> Iterator[str]:
    """Yield the real bugs that scenarios provoke, and those with one of some addresses."""
    those, named = tuple(scenarios), set(links)
    items = [
        [*paragraph(bug.what, 2, 2), *(f"    {address}" for address in bug.seen_in)]
        for bug in _every()
        if provoking(bug, those) or named & set(bug.seen_in)
    ]
    yield from listed("Real bugs of this kind", items)


def _every() -> Iterator[Bug]:
    for group in bugs().values():
        yield from group

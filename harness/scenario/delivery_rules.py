"""Disturbed deliveries name what exists, and are allowed in every protocol that they run in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from harness.documents import PlainObject
from harness.documents.nearest import did_you_mean, one_of
from harness.documents.yaml_file import Path
from harness.protocols import PROTOCOLS
from harness.protocols.clauses import CLAUSES
from harness.protocols.description import Claim, Permission
from harness.scenario.draft import Draft, Problems
from harness.scenario.expand import PLAIN, combinations
from harness.scenario.grammar import grammar
from harness.scenario.matrix_rules import axes
from harness.scenario.pairwise import profiles


def variants_are_not_called_plain(draft: Draft) -> Problems:
    """Keep the name `plain` for the undisturbed run."""
    if PLAIN in draft.data.get("delivery", {}):
        what = f"the name `{PLAIN}` belongs to the undisturbed run"
        yield draft.at_key(("delivery", PLAIN), what, "another name")


def clauses_cover_the_matrix(draft: Draft) -> Problems:
    """Ask for a clause of each protocol that a disturbance is run in."""
    for path, step in _steps(draft):
        clauses: Mapping[str, str] = step.get("allowed-by", {})
        for protocol in _protocols(draft, path) if clauses else ():
            if protocol not in clauses:
                what = f"no clause allows this in the protocol `{protocol}`"
                yield draft.at_key((*path, "allowed-by"), what, f"`{protocol}`: a clause id")


def faults_fit_the_matrix(draft: Draft) -> Problems:
    """Refuse a disturbance that makes no sense in one of the protocols, or is called too tame."""
    for path, name, step, _ in _faults(draft):
        for protocol in _protocols(draft, path):
            permission = PROTOCOLS[protocol].permissions.get(name)
            if permission is None:
                what = f"`{name}` makes no sense in the protocol `{protocol}`"
                known = _listed(p for p, row in PROTOCOLS.items() if name in row.permissions)
                hint = "leave the case out under `matrix.exclude`"
                yield draft.at_key(path, what, f"a matrix of {known} only", hint)
            elif not _is_claimed(step, permission.claim):
                what = f"`{name}` {_SAID[permission.claim]} in the protocol `{protocol}`"
                yield draft.at_key(path, what, _CLAIMS[permission.claim])


def clauses_permit_their_fault(draft: Draft) -> Problems:
    """Refuse a clause that permits something else, and options that no clause covers."""
    for path, name, step, _ in _faults(draft):
        for protocol, clause in step.get("allowed-by", {}).items():
            permitting = _permission(protocol, name).clauses
            if permitting and clause in CLAUSES and clause not in permitting:
                what = f"the clause `{clause}` does not permit `{name}`"
                yield draft.at((*path[:-1], "allowed-by", protocol), what, one_of(permitting))
        for option in step[name] if "allowed-by" in step else ():
            for protocol in _protocols(draft, path):
                if option in _permission(protocol, name).without:
                    what = f"with `{option}` no clause allows this in the protocol `{protocol}`"
                    known = _listed(
                        each
                        for each, row in PROTOCOLS.items()
                        if name in row.permissions and option not in row.permissions[name].without
                    )
                    yield draft.at_key((*path, option), what, f"a matrix of {known} only")


def _permission(protocol: str, fault: str) -> Permission:
    """Return what a protocol says to a fault; one of no clauses where it makes no sense."""
    return PROTOCOLS[protocol].permissions.get(fault, Permission(Claim.HOSTILE))


def transactions_are_known(draft: Draft) -> Problems:
    """Refuse names that no transaction has, and a range that ends before it starts."""
    names = [name for _, name in draft.transactions()]
    for path, name, step, fault in _faults(draft):
        options: PlainObject = step[name]
        for key, value in options.items():
            is_name = fault["properties"][key].get("$ref") == "#/$defs/transaction-name"
            if is_name and value not in names:
                yield draft.at(
                    (*path, key),
                    f"no transaction is called `{value}`",
                    one_of(names) if names else "a transaction under `upstream`",
                    did_you_mean(value, names),
                )
        first, last = options.get("from"), options.get("to")
        if first in names and last in names and names.index(last) < names.index(first):
            what = f"`{last}` comes before `{first}`"
            yield draft.at((*path, "to"), what, f"`{first}` or a later transaction")


_SAID: Mapping[Claim, str] = MappingProxyType(
    {
        Claim.ALLOWED: "is allowed",
        Claim.SEEN: "is beyond what anybody promises",
        Claim.HOSTILE: "is hostile",
    }
)
# Claim of a fault -> what the step has to say; that may be tamer than need be, never bolder.
_CLAIMS: Mapping[Claim, str] = MappingProxyType(
    {
        Claim.ALLOWED: "`allowed-by` with a clause of the protocol, or `seen-in` with a link",
        Claim.SEEN: "`seen-in` with a link",
        Claim.HOSTILE: "`hostile: true`",
    }
)


def _protocols(draft: Draft, path: Path) -> Iterator[str]:
    """Yield the protocols that a step is run in: those of the matrix that its variant is left in.

    An exclusion that names nothing there is a mistake of its own, and reported as such.
    """
    data = draft.data
    whole = {**axes(data), "delivery": (path[1],)}
    exclude = data["matrix"].get("exclude", ())
    left = combinations(whole, exclude, profiles(data))
    yield from dict.fromkeys(chosen["protocol"] for chosen in left)


def _is_claimed(step: PlainObject, claim: Claim) -> bool:
    claims = {
        Claim.ALLOWED: {Claim.ALLOWED, Claim.SEEN},
        Claim.SEEN: {Claim.SEEN},
        Claim.HOSTILE: {Claim.HOSTILE},
    }
    return not claims[claim].isdisjoint(step)


def _listed(names: Iterable[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def _faults(draft: Draft) -> Iterator[tuple[Path, str, PlainObject, PlainObject]]:
    """Yield of each step the path of its fault's key, the fault's name, itself, and the grammar."""
    known: PlainObject = grammar()["$defs"]["delivery-step"]["properties"]
    for path, step in _steps(draft):
        for name in step:
            if name not in frozenset(Claim):
                yield (*path, name), name, step, known[name]


def _steps(draft: Draft) -> Iterator[tuple[Path, PlainObject]]:
    for variant, steps in draft.data.get("delivery", {}).items():
        for number, step in enumerate(steps):
            yield ("delivery", variant, number), step

"""A patch: one function, attribute or table entry of the harness, replaced for a while.

A function is replaced where it is: its code calls the replacement, so whoever holds it, in a table
or under another name, is given the replacement too. The replacement is made from the original,
which still works. Whatever was remembered before is forgotten. A patch is meant for a child process
that ends after it: objects made before, such as compiled templates, keep what they hold.
"""

from __future__ import annotations

import gc
import importlib
import sys
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import count
from types import CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any, NamedTuple, cast

from harness.errors import HarnessBug
from harness.protocols import PROTOCOLS

# Any: a patch reaches into code of every type; what fits is the row's business.
Change = Callable[[Any], Any]
_NUMBERS = count()
_CACHED = type(cache(lambda: None))


class _Known(NamedTuple):
    """The caches that a module held when it had so many names."""

    names: int
    caches: tuple[Any, ...]


_KNOWN: dict[ModuleType, _Known] = {}


@dataclass(frozen=True, slots=True)
class Patch:
    """What is replaced, `module:name` or `module:Class.name`, and by what.

    `change` makes the replacement from the original. With `entry`, the target is a mapping and the
    value under that key is replaced. `then` is a second patch, for what one place does not decide.
    """

    target: str
    change: Change
    entry: tuple[Any, ...] = ()
    then: Patch | None = None


def patch(target: str, change: Change) -> Patch:
    """Return the patch that replaces a target by what `change` makes of it."""
    return Patch(target, change)


def result(target: str, change: Change) -> Patch:
    """Return the patch that changes what a function returns."""
    return Patch(target, partial(_changed_result, change))


def _changed_result(change: Change, original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given, **named: change(original(*given, **named))


def adjusted(target: str, change: Callable[[Any, Any], Any]) -> Patch:
    """Return the patch that changes what a function returns, by its first argument as well."""
    return Patch(target, partial(_adjusted_result, change))


def _adjusted_result(
    change: Callable[[Any, Any], Any], original: Callable[..., Any]
) -> Callable[..., Any]:
    return lambda *given, **named: change(original(*given, **named), given[0])


def instead(target: str, function: Callable[..., Any]) -> Patch:
    """Return the patch that puts another function in the place of one."""
    return Patch(target, lambda _: function)


def constant(target: str, value: object) -> Patch:
    """Return the patch that puts a value in the place of an attribute."""
    return Patch(target, lambda _: value)


def returns(target: str, value: object) -> Patch:
    """Return the patch by which a function returns a value, whatever it is given."""

    def same(*given: object, **named: object) -> object:
        del given, named
        return value

    return instead(target, same)


def entry(target: str, key: object, change: Change) -> Patch:
    """Return the patch that changes the value under a key of a mapping."""
    return Patch(target, change, (key,))


@contextmanager
def applied(one: Patch) -> Generator[None]:
    """Replace the target within the block.

    Raises HarnessBug where the target does not exist, or is of a kind that cannot be replaced.
    """
    with ExitStack() as undo:
        _forget()
        undo.callback(_forget)  # the last of all, when the original is back
        holder, name, original = _found(one.target)
        if one.entry:
            _replace_entry(undo, one, original)
        elif (function := _function(original)) is not None:
            _replace_code(undo, function, one.change)
        else:
            _replace_attribute(undo, holder, name, original, one.change(original))
        if one.then is not None:
            undo.enter_context(applied(one.then))
        yield


def _found(target: str) -> tuple[Any, str, Any]:
    """Return what holds a target, the target's name there, and the target."""
    module, _, path = target.partition(":")
    try:
        holder: Any = importlib.import_module(module)
        *outer, name = path.split(".")
        for part in outer:
            holder = getattr(holder, part)
        # A class's own attributes as they are written, not bound.
        written = vars(holder)[name] if isinstance(holder, type) else getattr(holder, name)
    except (ImportError, AttributeError, KeyError) as error:
        raise HarnessBug(f"a mutant patches {target}, which does not exist") from error
    return holder, name, written


def _function(original: object) -> FunctionType | None:
    """Return the function behind a name, None where it is none."""
    match original:
        case FunctionType():
            return original
        case staticmethod() | classmethod():
            return _function(cast("Any", original).__func__)
        case property():
            return _function(original.fget)
        case cached_property():
            return _function(cast("Any", original).func)
        case _:
            return _function(getattr(original, "__wrapped__", None)) if original else None


def _replacement(*given: object, **named: object) -> object:
    raise HarnessBug(f"nothing replaces what was called with {given} {named}")


def _through(*given: object, **named: object) -> object:
    return _replacement(*given, **named)  # the name is another in each copy of this code


def _replace_code(undo: ExitStack, function: FunctionType, change: Change) -> None:
    before = (function.__code__, function.__defaults__, function.__kwdefaults__)
    original = FunctionType(
        before[0], function.__globals__, function.__name__, before[1], function.__closure__
    )
    original.__kwdefaults__ = before[2]
    name = f"__replacement_{next(_NUMBERS)}"
    function.__globals__[name] = change(original)
    undo.callback(function.__globals__.pop, name)
    undo.callback(_set_code, function, *before)
    _set_code(function, _calling(name, before[0].co_freevars), None, None)


def _calling(name: str, free: tuple[str, ...]) -> CodeType:
    """Return code that calls a global of this name; it has as many free variables as asked for."""
    return _through.__code__.replace(co_names=(name,), co_freevars=free)


def _set_code(
    function: FunctionType,
    code: CodeType,
    defaults: tuple[Any, ...] | None,
    named: dict[str, Any] | None,
) -> None:
    with warnings.catch_warnings():
        # A generator's code gives way to a plain function's, which returns the generator.
        warnings.simplefilter("ignore", DeprecationWarning)
        function.__code__ = code
    function.__defaults__ = defaults
    cast("Any", function).__kwdefaults__ = named


def _replace_entry(undo: ExitStack, one: Patch, table: Any) -> None:  # noqa: ANN401 - see Change
    (key,) = one.entry
    if isinstance(table, MappingProxyType):
        table = next(each for each in gc.get_referents(cast("object", table)))
    if not isinstance(cast("object", table), dict) or key not in table:
        raise HarnessBug(f"a mutant patches {one.target}[{key!r}], which does not exist")
    rows: dict[Any, Any] = table
    undo.callback(rows.__setitem__, key, rows[key])
    rows[key] = one.change(rows[key])


def _replace_attribute(
    undo: ExitStack,
    holder: Any,  # noqa: ANN401 - see Change
    name: str,
    original: object,
    value: object,
) -> None:
    """Set an attribute, and the same name in each module of ours that imported it."""
    holders: list[Any] = [holder]
    if isinstance(holder, ModuleType):
        holders += [m for m in _modules() if m is not holder and vars(m).get(name) is original]
    for each in holders:
        undo.callback(_set, each, name, original)
        _set(each, name, value)


def _set(holder: Any, name: str, value: object) -> None:  # noqa: ANN401 - see Change
    if isinstance(holder, type | ModuleType):
        setattr(holder, name, value)
    else:
        object.__setattr__(holder, name, value)  # a frozen row of a table is changed as well


def _modules() -> Iterator[ModuleType]:
    """Yield the modules of ours, and of the packages that register protocols."""
    packages = {"harness", *PROTOCOLS.packages}
    for name, module in tuple(sys.modules.items()):
        if name.partition(".")[0] in packages:
            yield module


def _forget() -> None:
    """Empty the caches of functions and methods."""
    for one in known_caches():
        one.cache_clear()


def known_caches() -> Iterator[Any]:
    """Yield the caches of our modules; a module is searched again when it has more or fewer names.

    A process that forks children calls this before, so that none of them searches.
    """
    for module in _modules():
        names = len(vars(module))
        known = _KNOWN.get(module)
        if known is None or known.names != names:
            known = _KNOWN[module] = _Known(names, tuple(_caches_in(module)))
        yield from known.caches


def _caches_in(module: ModuleType) -> Iterator[Any]:
    for each in tuple(vars(module).values()):
        held = vars(each).values() if isinstance(each, type) else (each,)
        yield from (one for one in held if isinstance(one, _CACHED))

"""TOML as people write it, within bounds: every refusal is a `tomllib.TOMLDecodeError`."""

from __future__ import annotations

import tomllib
from typing import Any, cast

INTEGER_BITS = 64  # TOML 1.0: an integer that does not fit is an error


def parse(text: str) -> dict[str, Any]:
    """Return the tree of a TOML text; raises TOMLDecodeError, also for depth and big integers."""
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError("the values are nested too deep") from None
    except ValueError as error:
        raise tomllib.TOMLDecodeError(str(error).partition(";")[0]) from None
    level: list[Any] = [tree]
    while level:
        if any(isinstance(each, int) and each.bit_length() > INTEGER_BITS for each in level):
            raise tomllib.TOMLDecodeError(f"an integer has more than {INTEGER_BITS} bits")
        level = [child for each in level for child in _children(each)]
    return tree


def _children(node: Any) -> list[Any]:  # noqa: ANN401 - whatever TOML says
    if isinstance(node, dict):
        return list(cast("dict[str, Any]", node).values())
    return [*node] if isinstance(node, list) else []

"""The part of the scenario grammar that speaks of faults, drawn from their table.

`$defs.delivery-step` of `harness/scenario/grammar.json` is what `delivery_step` returns, but for
the protocols that `allowed-by` may name, which `harness.scenario.grammar` adds; a test holds the
two together, and `python -m harness.faults.grammar` prints it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

from harness.documents import JsonSchema
from harness.faults import FAULTS
from harness.faults.fault import Disturbance
from harness.faults.option import TIMES, TRANSACTION, Option, Takes
from harness.protocols.description import Claim

CLAIMS = tuple(claim.value for claim in Claim)

_TYPES: Mapping[Takes, str] = {
    Takes.NUMBER: "integer",
    Takes.WORD: "string",
    Takes.TEXT: "string",
    Takes.FLAG: "boolean",
}
# Options whose shape the grammar shares with other parts -> the shared name, and its description.
_SHARED: Mapping[Takes, tuple[str, str]] = {
    Takes.TRANSACTION: ("transaction-name", TRANSACTION.meaning),
    Takes.KEY: ("row", ""),
}


def delivery_step() -> JsonSchema:
    """Return the JSON Schema of one step of a delivery."""
    return {
        "title": "one disturbance and its permission",
        "description": (
            "One disturbance: exactly one fault, and exactly one of `allowed-by`, `seen-in` and "
            "`hostile`."
        ),
        "type": "object",
        "additionalProperties": False,
        "allOf": [{"oneOf": _each(tuple(FAULTS))}, {"oneOf": _each(CLAIMS)}],
        "properties": {**{name: _fault(f) for name, f in FAULTS.items()}, **_claims()},
    }


def _each(names: Sequence[str]) -> list[JsonSchema]:
    return [{"required": [name]} for name in names]


def _claims() -> JsonSchema:
    return {
        "allowed-by": {
            "title": "a clause id for each protocol",
            "description": (
                "The clause that permits the disturbance, for each protocol of the matrix. The "
                "tables must be right."
            ),
            "type": "object",
            "minProperties": 1,
            "additionalProperties": False,
            "properties": {},
        },
        "seen-in": {
            "$ref": "#/$defs/link",
            "description": (
                "Where the disturbance was seen although nobody promises it. The case is `beyond`: "
                "run and reported apart, and counted only with `--beyond`."
            ),
        },
        "hostile": {
            "title": "true",
            "description": (
                "The disturbance is malformed, or loses what the tables need: the consumer's "
                "declared error policy is judged, not its tables."
            ),
            "type": "boolean",
            "enum": [True],
        },
    }


def _fault(fault: Disturbance) -> JsonSchema:
    required = [option.name for option in fault.options if option.required]
    schema: JsonSchema = {
        "title": _title(fault),
        "description": fault.meaning,
        "type": "object",
        **({"required": required} if required else {}),
        **({"oneOf": _each(fault.one_of)} if fault.one_of else {}),
        **({"minProperties": 1} if fault.some_of else {}),
        "additionalProperties": False,
        "properties": {option.name: _option(option) for option in fault.options},
    }
    return {**schema, "examples": [dict(fault.example)]}


def _title(fault: Disturbance) -> str:
    must = [f"`{option.name}`" for option in fault.options if option.required]
    may = [f"`{option.name}`" for option in fault.options if not option.required]
    if not fault.options:
        return "an empty mapping"
    if not may:
        return _joined(must)
    return f"{_joined(must)}, and perhaps {_joined(may)}" if must else f"perhaps {_joined(may)}"


def _joined(names: Sequence[str]) -> str:
    return " and ".join([*([", ".join(names[:-1])] if names[1:] else []), names[-1]])


def _option(option: Option) -> JsonSchema:
    if option == TIMES:
        return {"$ref": "#/$defs/times"}
    if option.takes in _SHARED:
        shared, described = _SHARED[option.takes]
        own = {} if option.meaning == described else {"description": option.meaning}
        return {"$ref": f"#/$defs/{shared}", **own}
    return {
        "title": "a single word" if option.takes is Takes.WORD else option.noun(),
        "description": option.meaning,
        "type": _TYPES[option.takes],
        **({"enum": list(option.words)} if option.words else {}),
        **({"minLength": 1} if option.takes is Takes.TEXT else {}),
        **_bounds(option),
        **({"default": option.default} if option.default is not None else {}),
    }


def _bounds(option: Option) -> dict[str, int]:
    if option.takes is not Takes.NUMBER:
        return {}
    return {"minimum": option.least, "maximum": option.most}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(delivery_step(), indent=2, ensure_ascii=False) + "\n")

"""Conditions of a model: CEL expressions that a tuple may carry, evaluated through cel-python.

The package comes with the extra `conditions` and is imported when a condition is first evaluated. Whatever prevents
an answer (a missing package, a missing or mistyped parameter, an expression that fails) raises `Undecided`: a
condition that cannot be evaluated never grants.
"""

import importlib
import ipaddress
import math
from collections.abc import Callable, Mapping
from typing import Any

from auth.model import Model
from auth.relations import Undecided


class ConditionEvaluator:
    """Evaluates the conditions of one model; compiled expressions are kept."""

    def __init__(self, model: Model) -> None:
        self._conditions = model.conditions
        self._types = {name: item.get("parameters", {}) for name, item in model.document.get("conditions", {}).items()}
        self._programs: dict[str, Any] = {}

    def hold(self, name: str, written: Mapping[str, Any] | None, asked: Mapping[str, Any] | None) -> bool:
        """Evaluate a condition; what was written with the tuple takes precedence over what the question brings.

        Raises Undecided when there is no answer.
        """
        if name not in self._conditions:
            raise Undecided(f"Condition {name!r} is not part of the model.", condition=name)
        cel = _cel()
        given = {**(asked or {}), **(written or {})}
        if missing := sorted(set(self._types[name]) - set(given)):
            raise Undecided(f"Condition {name!r} needs {', '.join(missing)} in the context.", condition=name)
        try:
            program = self._programs.get(name)
            if program is None:
                environment = cel.Environment()
                program = environment.program(
                    environment.compile(self._conditions[name].expression), functions=_functions(cel)
                )
                self._programs[name] = program
            variables = {key: _converted(cel, given[key], type_) for key, type_ in self._types[name].items()}
            result = program.evaluate(variables)
        except Exception as error:  # the library raises many kinds; every one of them means "no answer"
            raise Undecided(f"Condition {name!r} could not be evaluated.", condition=name) from error
        if not isinstance(result, cel.celtypes.BoolType | bool):
            raise Undecided(f"Condition {name!r} did not give a truth value.", condition=name)
        return bool(result)


def _cel() -> Any:
    try:
        return importlib.import_module("celpy")
    except ImportError as error:
        raise Undecided(
            "A condition cannot be evaluated: install the package with `pip install 'stoa-platform[conditions]'`."
        ) from error


def _functions(cel: Any) -> dict[str, Callable[..., Any]]:
    """Return what the language adds to CEL: addresses and networks."""

    def in_cidr(address: Any, network: Any) -> Any:
        return cel.celtypes.BoolType(ipaddress.ip_address(str(address)) in ipaddress.ip_network(str(network)))

    def as_address(text: Any) -> Any:
        return cel.celtypes.StringType(ipaddress.ip_address(str(text)))

    return {"in_cidr": in_cidr, "ipaddress": as_address}


def _converted(cel: Any, value: Any, declared: Mapping[str, Any]) -> Any:
    """Turn a JSON value into the declared type. Raises TypeError or ValueError when it is not one."""
    types = cel.celtypes
    kind = declared["type_name"]
    match kind:
        case "TYPE_NAME_BOOL":
            return types.BoolType(_exactly(value, bool))
        case "TYPE_NAME_STRING":
            return types.StringType(_exactly(value, str))
        case "TYPE_NAME_INT" | "TYPE_NAME_UINT":
            return (types.IntType if kind.endswith("_INT") else types.UintType)(_whole(value))
        case "TYPE_NAME_DOUBLE":
            if isinstance(value, bool):
                raise TypeError("a truth value is not a number")
            number = float(value)
            if not math.isfinite(number):
                raise ValueError("a number must be finite")
            return types.DoubleType(number)
        case "TYPE_NAME_TIMESTAMP":
            return types.TimestampType(_exactly(value, str))
        case "TYPE_NAME_DURATION":
            return types.DurationType(_exactly(value, str))
        case "TYPE_NAME_IPADDRESS":
            return types.StringType(ipaddress.ip_address(_exactly(value, str)))
        case "TYPE_NAME_LIST":
            [of] = declared["generic_types"]
            return types.ListType([_converted(cel, item, of) for item in _exactly(value, list)])
        case "TYPE_NAME_MAP":
            [of] = declared["generic_types"]
            return types.MapType(
                {
                    types.StringType(_exactly(key, str)): _converted(cel, item, of)
                    for key, item in _exactly(value, dict).items()
                }
            )
        case _:
            return cel.json_to_cel(value)


def _exactly(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"expected {kind.__name__}, found {type(value).__name__}")
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise TypeError("expected a whole number")
    return int(value)

"""A call to an operation of an API as the request that is sent: path, query, headers and body, written as it says."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from resolvers.engines.remote_tools.arguments import UnfitArguments
from schema.headers import is_our_own


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """What is sent to an API; the target is the path and the query, below the API's own address."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes | None


def request_of(tool: Mapping[str, Any], arguments: Mapping[str, Any]) -> ApiRequest:
    """The request of a call whose arguments fit the tool's schema. Raises UnfitArguments."""
    told = tool["request"]
    path, query, headers = told["path"], list[tuple[str, str]](), {"Accept": "application/json, text/*;q=0.5"}
    for one in told["parameters"]:
        given = arguments.get(one["in"]) or {}
        name = one["name"]
        if name not in given:
            continue
        if one["in"] == "path":
            path = path.replace(f"{{{name}}}", _segment(name, _simple(name, given[name])))
        elif one["in"] == "query":
            query += _query(one, given[name])
        else:
            headers[name] = _header(name, _simple(name, given[name]))
    if "{" in path:
        raise UnfitArguments("The operation's path has a part that no argument fills.")
    body = None
    if "body" in told and "body" in arguments:
        headers["Content-Type"] = told["body"]
        body = json.dumps(arguments["body"], separators=(",", ":")).encode()
    return ApiRequest(told["method"], f"{path}?{urlencode(query)}" if query else path, headers, body)


def _segment(name: str, text: str) -> str:
    if text in ("", ".", ".."):
        raise UnfitArguments(f"The path argument {name!r} is a value that leads to another path.")
    return quote(text, safe="")


def _header(name: str, text: str) -> str:
    if is_our_own(name) or not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
        raise UnfitArguments(f"The header {name!r} is said by the platform itself.")
    if not text.isascii() or not text.isprintable():
        raise UnfitArguments(f"The header {name!r} takes printable ASCII.")
    return text


def _simple(name: str, value: Any) -> str:
    if isinstance(value, list):
        return ",".join(_text(name, one) for one in value)
    return _text(name, value)


def _query(one: Mapping[str, Any], value: Any) -> Iterator[tuple[str, str]]:
    name = one["name"]
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (f"{name}[{key}]" if one["style"] == "deepObject" else key), _text(name, inner)
    elif isinstance(value, list) and one["explode"]:
        for inner in value:
            yield name, _text(name, inner)
    else:
        yield name, _simple(name, value)


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, str | int | float):
        return str(value)
    raise UnfitArguments(f"The argument {name!r} holds a value in another one, which has no place there.")

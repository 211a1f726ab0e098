"""Whether a request comes from a person's browser, which shows pages, or from a program, which reads data."""

from starlette.requests import Request

_PAGE = frozenset({"text/html", "application/xhtml+xml"})
_DATA = frozenset({"application/json", "application/graphql-response+json", "text/event-stream", "multipart/mixed"})


def is_visit(request: Request) -> bool:
    """Return whether a browser comes to see a page: it would rather have HTML than any form of data.

    A request that names its document by the hash is none, whatever its headers say.
    """
    if request.method not in ("GET", "HEAD") or "extensions" in request.query_params:
        return False
    page = data = 0.0
    for part in request.headers.get("accept", "").lower().split(","):
        name, _, rest = part.partition(";")
        weight = _weight(rest)
        if name.strip() in _PAGE:
            page = max(page, weight)
        elif name.strip() in _DATA:
            data = max(data, weight)
    return page > data


def _weight(parameters: str) -> float:
    """The `q` of one media range; 1 without one, 0 when it cannot be read."""
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0

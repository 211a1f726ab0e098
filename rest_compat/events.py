"""Paths that answer with a stream of server-sent events."""

from rest_compat.route import OperationRoute


class StreamRoute(OperationRoute):
    """A route that answers with events as they happen."""

"""The REST door: the paths of a service, each one operation.

A change that would break clients opens the new behaviour with `version=2`, at `/<service>/v2/...`, and marks the old
path `deprecated=Deprecation(...)`; both stand side by side for at least six months (contract section 9).
"""

from typing import Any

from resolvers.operation import Operation
from rest_compat.envelopes import Envelope
from rest_compat.route import Deprecation, OperationRoute, ProjectHeader
from rest_compat.transfer import DownloadRoute, UploadRoute


class Door:
    """The paths of one service, under its prefix and any further ones."""

    def __init__(self, prefix: str, tag: str, *, also: tuple[str, ...] = ()) -> None:
        self.tag, self.prefix = tag, prefix
        self.prefixes = (prefix, *also)
        self.routes: list[OperationRoute] = []
        self.operations: dict[str, Operation[..., Any]] = {}
        self._methods: dict[str, set[str]] = {}
        self._words: set[str] = set()

    def get(self, path: str, op: Operation[..., Any], **how: Any) -> None:
        """Open a read."""
        self._open("GET", path, op, **how)

    def post(self, path: str, op: Operation[..., Any], *, status: int = 201, **how: Any) -> None:
        """Open a create (201) or an action (200, or 202 when it only queues)."""
        self._open("POST", path, op, status=status, **how)

    def upload(self, path: str, op: Operation[..., Any], **how: Any) -> None:
        """Open a create whose body is a form with a file."""
        self._open("POST", path, op, status=201, route=UploadRoute, **how)

    def download(self, path: str, op: Operation[..., Any], **how: Any) -> None:
        """Open a read that answers with bytes, or with the range of them that was asked for."""
        self._open("GET", path, op, route=DownloadRoute, **how)

    def put(self, path: str, op: Operation[..., Any], **how: Any) -> None:
        """Open an update."""
        self._open("PUT", path, op, **how)

    def patch(self, path: str, op: Operation[..., Any], **how: Any) -> None:
        """Open a partial update."""
        self._open("PATCH", path, op, **how)

    def delete(self, path: str, op: Operation[..., Any], **how: Any) -> None:
        """Open a deletion."""
        self._open("DELETE", path, op, **how)

    def _open(
        self,
        method: str,
        path: str,
        op: Operation[..., Any],
        *,
        status: int = 200,
        created: int | None = None,
        empty: bool = False,
        envelope: type[Envelope] | None = None,
        project: ProjectHeader = "optional",
        version: int = 1,
        deprecated: Deprecation | None = None,
        operation_id: str | None = None,
        versioned: bool = True,
        route: type[OperationRoute] = OperationRoute,
    ) -> None:
        name = operation_id or op.name  # a second path of an operation needs a name of its own
        if version > 1:
            path, name = f"/v{version}{path}", f"{name}_v{version}"
        self.operations[op.name] = op
        allowed = self._methods.setdefault(path, set())
        allowed |= {method, "HEAD"} if method == "GET" else {method}
        for prefix in self.prefixes:
            main = prefix == self.prefixes[0]
            if "{" not in path:
                self._words.add(prefix + path)
            self.routes.append(
                route(
                    prefix + path,
                    operation=op,
                    method=method,
                    allowed=allowed,
                    words=self._words,
                    status=status,
                    created=created,
                    empty=empty,
                    envelope=envelope,
                    project=project,
                    tag=self.tag,
                    deprecated=deprecated,
                    versioned=versioned,
                    operation_id=name if main else f"{name}_{prefix.strip('/').split('/')[0]}",
                )
            )

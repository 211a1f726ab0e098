"""An answer that is read far more often than it is looked into: rows, and the resource that they stand for."""

from typing import Protocol, TypeVar

ResourceT_co = TypeVar("ResourceT_co", covariant=True)


class View(Protocol[ResourceT_co]):
    """What a hot read answers with in place of a resource.

    REST writes `json_bytes()` and builds nothing; GraphQL reads the attributes that were asked for, which have the
    names and types of the resource's own; Python code that wants the resource itself calls `resource()`.
    """

    def json_bytes(self) -> bytes:
        """The resource as JSON, in the resource's own field order."""
        ...

    def resource(self) -> ResourceT_co:
        """The resource itself."""
        ...

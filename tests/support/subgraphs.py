"""The subgraph of each service, built once for all tests of a process that read it: six of them cost a second."""

import functools

from schema.subgraph import Subgraph, build_subgraph


@functools.cache
def subgraph(service: str) -> Subgraph:
    """Return the subgraph of a service. Not to be changed."""
    return build_subgraph(service)

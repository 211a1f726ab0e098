"""Defines how deep the columns of Parquet files nest, told by their footers before anything reads them.

DuckDB's reader takes twice as long for each further level of a list, and does not stop when it is told to: a file of
3 KB with 26 levels held a thread for 49 seconds. Its footer is read in a millisecond, however deep it is.
"""

from collections.abc import Iterable
from typing import Any, Final

MOST_LEVELS: Final = 32
"""Levels between the root of a file's schema and its deepest leaf; a list takes two, a structure one."""


class TooDeep(Exception):
    """A file nests deeper than is read. The text is a sentence without any of the content."""


def require_shallow(session: Any, paths: Iterable[str]) -> None:
    """Raises TooDeep when the columns of any of the files nest deeper than is read."""
    for path in paths:
        counts = session.execute("select num_children from parquet_schema(?)", [path]).fetchall()
        if levels(int(count or 0) for (count,) in counts) > MOST_LEVELS:
            raise TooDeep(f"Its columns nest deeper than the {MOST_LEVELS} levels that are read.")


def levels(children: Iterable[int]) -> int:
    """The levels of a tree below its root, from the number of children of each node, every node before its own."""
    deepest = 0
    open_nodes: list[int] = []
    for count in children:
        while open_nodes and not open_nodes[-1]:
            open_nodes.pop()
        if open_nodes:
            open_nodes[-1] -= 1
        deepest = max(deepest, len(open_nodes))
        open_nodes.append(count)
    return deepest

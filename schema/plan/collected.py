"""What selections choose, where the document alone tells it: found out once for a document and not for each request.

The library collects the fields of each selection in every request, since directives and fragments may choose others
each time. A selection of fields alone, without any directive or fragment however deep, always chooses the same, and
its shape is always the same. A document that is asked again is the same tree of nodes, so these are kept by the nodes.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from graphql import FieldNode, GraphQLObjectType, SelectionSetNode

from schema.plan.projection import LARGEST, Shape

MOST_SELECTIONS: Final = 500
"""Selections that are kept of one schema, each with the document that it stands in."""


class Collected:
    """What one selection chooses of one type."""

    __slots__ = ("_shaped", "fields", "selection", "shape")

    def __init__(self, selection: SelectionSetNode, fields: Any) -> None:
        self.selection, self.fields = selection, fields  # both are kept, so that no identity can be used again
        self.shape: Shape | None = None
        self._shaped = False

    def shaped(self, make: Callable[[], Shape | None]) -> Shape | None:
        """Return its shape, made when it is first asked for."""
        if not self._shaped:
            self.shape, self._shaped = make(), True
        return self.shape


class CollectedSelections:
    """The selections of one schema that choose the same whatever the variables hold."""

    def __init__(self, most: int = MOST_SELECTIONS) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[GraphQLObjectType, int], Collected] = OrderedDict()
        self._by_set: dict[int, Collected] = {}

    def of(self, on: GraphQLObjectType, selection: SelectionSetNode) -> Any:
        """What the library has collected before; None where it has to."""
        found = self._kept.get((on, id(selection)))
        if found is None:
            return None
        self._kept.move_to_end((on, id(selection)))
        return found.fields

    def keep(self, on: GraphQLObjectType, selection: SelectionSetNode, fields: Any) -> None:
        """Keep what the library has collected, unless it may be something else the next time."""
        if not _constant(selection, LARGEST):
            return
        made = self._kept[on, id(selection)] = Collected(selection, fields)
        self._by_set[id(fields.grouped_field_set)] = made
        while len(self._kept) > self._most:
            _, dropped = self._kept.popitem(last=False)
            del self._by_set[id(dropped.fields.grouped_field_set)]

    def of_set(self, grouped_field_set: Any) -> Collected | None:
        """Return whose set of fields this is."""
        return self._by_set.get(id(grouped_field_set))


def _constant(selection: SelectionSetNode, most: int) -> int:
    """How many of so many nodes are left after a selection of fields alone; 0 where it is anything else."""
    for node in selection.selections:
        most -= 1
        if most <= 0 or not isinstance(node, FieldNode) or node.directives:
            return 0
        if node.selection_set is not None:
            most = _constant(node.selection_set, most)
    return most

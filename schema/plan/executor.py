"""Cheaper execution of what most of an answer consists of: objects of which only plain fields are asked, however deep.

The library resolves each field of each object through a dozen calls. Where all that was chosen of an object is plain,
this executor has a projection do it (`projection.py`). Whatever is not so plain, and whatever goes wrong, is executed
by the library itself, so that every error, its path and every null stand where the specification wants them.
"""

from typing import Any
from weakref import WeakKeyDictionary

from graphql import GraphQLObjectType, GraphQLSchema
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from schema.graph_bounds import NULLS, ON_ERROR
from schema.plan.collected import CollectedSelections
from schema.plan.projection import LARGEST, Chosen, Projection, Projections, Shape

_PROJECTIONS: WeakKeyDictionary[GraphQLSchema, tuple[Projections, CollectedSelections]] = WeakKeyDictionary()


def projections_of(schema: GraphQLSchema) -> tuple[Projections, CollectedSelections]:
    """The projections of a schema, and what selections choose of it."""
    known = _PROJECTIONS.get(schema)
    if known is None:
        known = _PROJECTIONS[schema] = Projections(), CollectedSelections()
    return known


class PlanExecutor(StrawberryGraphQLCoreExecutionContext):
    """Strawberry's executor, with a short way for objects of plain fields."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if (self.operation_extensions or {}).get(ON_ERROR) == NULLS:
            self.error_propagation = False
        self._projections, self._collected = projections_of(self.schema)
        # By the identity of the set of fields, which the library makes once for each selection of a request; it is
        # kept in the value so that its identity cannot be used again.
        self._shapes: dict[tuple[GraphQLObjectType, int], tuple[Any, Shape | None]] = {}
        self._written: dict[tuple[GraphQLObjectType, int], Projection] = {}

    def collect_subfields(self, return_type: GraphQLObjectType, field_details_list: Any) -> Any:
        """Collect what is chosen of an object, or give what was collected of the same nodes before."""
        node, deferred, *fragment = field_details_list[0]
        selection = node.selection_set
        if len(field_details_list) > 1 or deferred is not None or any(fragment) or selection is None:
            return super().collect_subfields(return_type, field_details_list)
        found = self._collected.of(return_type, selection)
        if found is None:
            found = super().collect_subfields(return_type, field_details_list)
            self._collected.keep(return_type, selection, found)
        return found

    def execute_fields(
        self, parent_type: GraphQLObjectType, source_value: Any, path: Any, grouped_field_set: Any, *rest: Any
    ) -> Any:
        """Execute the fields of one object."""
        key = (parent_type, id(grouped_field_set))
        project = self._written.get(key) or self._projection(key, grouped_field_set)
        if project is not None:
            try:
                return project(source_value)
            except Exception:  # noqa: S110 - the library finds out what is wrong, and tells it
                pass
        return super().execute_fields(parent_type, source_value, path, grouped_field_set, *rest)

    def _projection(self, key: tuple[GraphQLObjectType, int], grouped_field_set: Any) -> Projection | None:
        if key not in self._shapes:
            watched = self.middleware_manager is not None and self.middleware_manager.middlewares
            kept = self._collected.of_set(grouped_field_set)
            if watched:
                shape = None
            elif kept is not None:
                shape = kept.shaped(lambda: self._shape(key[0], grouped_field_set))
            else:
                shape = self._shape(key[0], grouped_field_set)
            self._shapes[key] = grouped_field_set, shape
        shape = self._shapes[key][1]
        project = None if shape is None else self._projections.of(shape)
        if project is not None:
            self._written[key] = project
        return project

    def _shape(self, parent_type: GraphQLObjectType, grouped_field_set: Any, most: int = LARGEST) -> Shape | None:
        """What was chosen of an object, or None unless all of it is plain and no more than so many fields."""
        chosen, size = [], len(grouped_field_set)
        if size > most:
            return None
        for response_name, details in grouped_field_set.items():
            node = details[0].node
            plain = self._projections.plain(parent_type, node.name.value)
            if plain is None:
                return None
            if any(one.name.value == "stream" for detail in details for one in detail.node.directives or ()):
                return None  # it cuts the list into parts
            below = None
            if plain.object_type is not None:
                fields, deferred, _ = self.collect_subfields(plain.object_type, details)
                below = None if deferred else self._shape(plain.object_type, fields, most - size)
                if below is None:
                    return None
                size += below.size
            chosen.append(Chosen(response_name, node.name.value, below))
        return Shape(parent_type, tuple(chosen), size)

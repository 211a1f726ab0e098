"""Defines how deep a document nests and how many aliases it spells out, told without walking any fragment twice."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    OperationDefinitionNode,
    SelectionSetNode,
)

MOST_INTROSPECTION: Final = 20
"""How deep a question about the schema may nest; those of the usual clients nest 14 deep."""
MOST_NESTING: Final = 60
"""How deep selections may stand in one another, those of fragments included; what walks a document relies on it."""


@dataclass(frozen=True, slots=True)
class SelectionShape:
    """What a selection comes to, its fragments included."""

    depth: int = 0
    aliases: int = 0
    introspection: int = 0
    """How deep it nests below `__schema` or `__type`."""
    nesting: int = 0


def shape_errors(document: DocumentNode, *, max_depth: int, max_aliases: int) -> list[GraphQLError]:
    """Return what is wrong with a document that nests deeper or spells out more aliases."""
    errors = []
    aliases = nesting = 0
    try:
        shapes = _Shapes(document)
        for operation in document.definitions:
            if not isinstance(operation, OperationDefinitionNode):
                continue
            shape = shapes.of(operation.selection_set)
            aliases += shape.aliases
            name = operation.name.value if operation.name else "anonymous"
            if shape.depth > max_depth:
                errors.append(GraphQLError(f"'{name}' exceeds maximum operation depth of {max_depth}", operation))
            if shape.introspection > MOST_INTROSPECTION:
                errors.append(
                    GraphQLError(f"'{name}' asks for the schema deeper than {MOST_INTROSPECTION} levels", operation)
                )
            nesting = max(nesting, shape.nesting)
        for name in shapes.fragments:  # those that no operation uses are walked by what comes after too
            nesting = max(nesting, shapes.fragment(name).nesting)
    except RecursionError:
        nesting = MOST_NESTING + 1
    if nesting > MOST_NESTING:
        errors.append(
            GraphQLError(f"Selections may stand in one another {MOST_NESTING} deep, those of fragments included.")
        )
    if aliases > max_aliases:
        errors.append(GraphQLError(f"{aliases} aliases found. Allowed: {max_aliases}"))
    return errors


class _Shapes:
    """The shapes of one document. Each fragment is walked once, whoever spreads it and however often."""

    def __init__(self, document: DocumentNode) -> None:
        definitions = document.definitions
        self.fragments = {d.name.value: d for d in definitions if isinstance(d, FragmentDefinitionNode)}
        self._known: dict[str, SelectionShape] = {}

    def of(self, selection: SelectionSetNode) -> SelectionShape:
        parts = list(self._parts(selection))
        return SelectionShape(
            max((part.depth for part in parts), default=0),
            sum(part.aliases for part in parts),
            max((part.introspection for part in parts), default=0),
            1 + max((part.nesting for part in parts), default=0),
        )

    def fragment(self, name: str) -> SelectionShape:
        if name not in self._known:
            self._known[name] = SelectionShape()  # one inside itself, or none at all, is refused by other rules
            if name in self.fragments:
                self._known[name] = self.of(self.fragments[name].selection_set)
        return self._known[name]

    def _parts(self, selection: SelectionSetNode) -> Iterator[SelectionShape]:
        for node in selection.selections:
            if isinstance(node, FragmentSpreadNode):
                yield self.fragment(node.name.value)
                continue
            inner = SelectionShape() if node.selection_set is None else self.of(node.selection_set)  # type: ignore[attr-defined]
            if not isinstance(node, FieldNode):
                yield inner
                continue
            aliases = inner.aliases + (node.alias is not None)
            if node.selection_set is None:
                yield SelectionShape(0, aliases)
            elif node.name.value.startswith("__"):
                yield SelectionShape(0, aliases, 1 + inner.depth, inner.nesting)
            else:
                yield SelectionShape(1 + inner.depth, aliases, inner.introspection, inner.nesting)

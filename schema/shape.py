"""How deep a document nests and how many aliases it spells out, told without walking any fragment twice."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    OperationDefinitionNode,
    SelectionSetNode,
    ValidationContext,
)
from graphql.validation import ASTValidationRule


@dataclass(frozen=True, slots=True)
class Shape:
    """What a selection comes to, its fragments included."""

    depth: int = 0
    aliases: int = 0


def shape_rule(*, max_depth: int, max_aliases: int) -> type[ASTValidationRule]:
    """The rule that refuses what nests deeper or spells out more aliases."""

    class ShapeRule(ASTValidationRule):
        def __init__(self, context: ValidationContext) -> None:
            super().__init__(context)
            shapes = _Shapes(context)
            aliases = 0
            for operation in context.document.definitions:
                if not isinstance(operation, OperationDefinitionNode):
                    continue
                shape = shapes.of(operation.selection_set)
                aliases += shape.aliases
                if shape.depth > max_depth:
                    name = operation.name.value if operation.name else "anonymous"
                    self.report_error(
                        GraphQLError(f"'{name}' exceeds maximum operation depth of {max_depth}", operation)
                    )
            if aliases > max_aliases:
                self.report_error(GraphQLError(f"{aliases} aliases found. Allowed: {max_aliases}"))

    return ShapeRule


class _Shapes:
    """The shapes of one document. Each fragment is walked once, whoever spreads it and however often."""

    def __init__(self, context: ValidationContext) -> None:
        definitions = context.document.definitions
        self._fragments = {d.name.value: d for d in definitions if isinstance(d, FragmentDefinitionNode)}
        self._known: dict[str, Shape] = {}

    def of(self, selection: SelectionSetNode) -> Shape:
        parts = list(self._parts(selection))
        return Shape(max((part.depth for part in parts), default=0), sum(part.aliases for part in parts))

    def _parts(self, selection: SelectionSetNode) -> Iterator[Shape]:
        for node in selection.selections:
            if isinstance(node, FragmentSpreadNode):
                yield self._fragment(node.name.value)
                continue
            inner = Shape() if node.selection_set is None else self.of(node.selection_set)  # type: ignore[attr-defined]
            if not isinstance(node, FieldNode):
                yield inner
                continue
            nests = node.selection_set is not None and not node.name.value.startswith("__")
            yield Shape(1 + inner.depth if nests else 0, inner.aliases + (node.alias is not None))

    def _fragment(self, name: str) -> Shape:
        if name not in self._known:
            self._known[name] = Shape()  # one inside itself, or none at all, is refused by other rules
            if name in self._fragments:
                self._known[name] = self.of(self._fragments[name].selection_set)
        return self._known[name]

"""One service's part of the graph, as an Apollo Federation 2 subgraph.

It is made of the same classes and the same resolvers as the whole graph, which fields are left out of:

- a root field belongs to the service in whose folder of `resolvers/` its operation stands; one without an operation,
  such as `node`, is left out, because a gateway has its own way to an entity;
- an edge belongs to the service whose class it leads to: `Project.dataConnections` is resolved by assets, wherever
  it is written;
- an entity (`resolvers/entities.py`) is whole in its own service; in another one it is its key, and the edges that
  this other service resolves;
- everything else is a value: each subgraph that uses it holds it in full, and says `@shareable`.

So a new class joins by the folder that it stands in, and needs at most one line in `resolvers/entities.py`.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NewType, cast

import strawberry
from graphql import (
    ArgumentNode,
    BooleanValueNode,
    ConstDirectiveNode,
    DefinitionNode,
    DocumentNode,
    GraphQLObjectType,
    NameNode,
    ObjectTypeDefinitionNode,
    StringValueNode,
    parse,
    print_ast,
    print_schema,
)
from strawberry.annotation import StrawberryAnnotation
from strawberry.types.base import (
    StrawberryContainer,
    StrawberryObjectDefinition,
    get_object_definition,
    has_object_definition,
)
from strawberry.types.field import StrawberryField
from strawberry.types.lazy_type import LazyType
from strawberry.types.union import StrawberryUnion

from auth.rate_limit import CallKind
from resolvers.entities import ENTITIES, Entity
from resolvers.operation import Operation
from schema.base import Info
from schema.errors import InvalidParameter, MissingRequiredField, ValidationError
from schema.graph import Graph, build_graph
from schema.graph_bounds import GraphSettings
from schema.node import MOST_LETTERS

FEDERATION = "https://specs.apollo.dev/federation/v2.3"
MOST_REFERENCES = 10_000
"""How many entities one request of a gateway may ask for."""

SERVICE_FOLDERS = ("governance", "assets", "utils", "talk2data", "data_readiness", "search")
ROOTS = ("Query", "Mutation", "Subscription")
_MACHINERY = ("_Service", "_Any", "_Entity")

_SHAREABLE: Final = ConstDirectiveNode(name=NameNode(value="shareable"), arguments=())

Representation = NewType("Representation", object)
_ANY = strawberry.scalar(
    name="_Any",
    description="A reference to an entity: its type name and its key.",
    serialize=lambda value: value,
    parse_value=lambda value: value,
)


@strawberry.type(name="_Service", description="What this subgraph tells a gateway about itself.")
class _Service:
    sdl: str = strawberry.field(description="This subgraph's schema.")


class Subgraph(Graph):
    """The schema of one service."""

    def __init__(self, service: str, settings: GraphSettings | None = None) -> None:
        self.service = service.replace("-", "_")
        self._extra: list[StrawberryField] = [self._service_field()]
        resolvable = sorted(filter(self._is_resolvable, ENTITIES), key=lambda model: model.__name__)
        if resolvable:
            self._extra.insert(0, self._entities_field(resolvable))
        whole = build_graph(settings)
        super().__init__(
            query=whole.query,
            mutation=self._if_any(whole.mutation),
            subscription=self._if_any(whole.subscription),
            types=resolvable,
            execution_context_class=whole.execution_context_class,
            extensions=whole.extensions,
            config=whole.config,
            scalar_overrides={Representation: _ANY},
        )
        self._entities = {self._name(model): ENTITIES[model] for model in resolvable}
        self.sdl = self._federated()

    def get_fields(self, type_definition: StrawberryObjectDefinition) -> list[StrawberryField]:
        """The fields of a type that this service answers for."""
        fields, origin = type_definition.fields, type_definition.origin
        if type_definition.is_input or type_definition.is_interface:
            return fields
        if type_definition.name in ROOTS and not type_definition.is_input:
            own = [field for field in fields if _operated_by(field) == self.service]
            return [*own, *self._extra] if type_definition.name == "Query" else own
        entity = ENTITIES.get(origin)
        if entity is None:
            return fields
        whole = _service_of(origin) == self.service
        return [
            field
            for field in fields
            if field.python_name == entity.key
            or (whole if field.base_resolver is None else _resolved_by(field, origin) == self.service)
        ]

    def _is_resolvable(self, model: type) -> bool:
        """Return whether this service adds anything to an entity."""
        if _service_of(model) == self.service:
            return True
        edges = (field for field in _definition(model).fields if field.base_resolver is not None)
        return any(_resolved_by(field, model) == self.service for field in edges)

    def _if_any(self, root: type | None) -> type | None:
        """The root type, unless none of its fields is this service's."""
        own = root is not None and any(_operated_by(field) == self.service for field in _definition(root).fields)
        return root if own else None

    def _name(self, model: type) -> str:
        return self.config.name_converter.from_type(_definition(model))

    def _service_field(self) -> StrawberryField:
        def resolve() -> _Service:
            return _Service(sdl=self.sdl)

        field = strawberry.field(resolve, name="_service", description="This subgraph's schema, for a gateway.")
        field.python_name = "_service"
        return field

    def _entities_field(self, models: Sequence[type]) -> StrawberryField:
        async def resolve(info: Info, representations: Any) -> Any:
            return await self._resolve(info, representations)

        union = StrawberryUnion("_Entity", type_annotations=tuple(map(StrawberryAnnotation, models)))
        resolve.__annotations__ |= {"representations": list[Representation], "return": list[union | None]}  # type: ignore[valid-type]
        field = strawberry.field(
            resolve, name="_entities", description="The entities behind references, for a gateway."
        )
        field.python_name = "_entities"
        return field

    async def _resolve(self, info: Info, representations: Sequence[Any]) -> list[Any]:
        """Read all references at once, type by type; what cannot be read is null."""
        if len(representations) > MOST_REFERENCES:
            raise ValidationError(
                f"One request may name {MOST_REFERENCES} entities at most; this one names {len(representations)}.",
                field="representations",
            )
        named = [self._reference(item) for item in representations]
        wanted: dict[str, dict[str, None]] = {}
        for name, key in named:
            wanted.setdefault(name, {})[key] = None
        await info.context.charge({CallKind.READ.value: len(wanted)}, most=len(self._entities))
        reads = [self._entities[name].read(info.context, list(keys)) for name, keys in wanted.items()]
        found = dict(zip(wanted, await asyncio.gather(*reads), strict=True))
        return [found[name].get(key) for name, key in named]

    def _reference(self, item: Any) -> tuple[str, str]:
        name = item.get("__typename") if isinstance(item, Mapping) else None
        entity = self._entities.get(name) if isinstance(name, str) else None
        if entity is None:
            raise InvalidParameter(
                f"__typename must name an entity of this service: {', '.join(self._entities)}.", field="representations"
            )
        key = item.get(self._key(entity))
        if isinstance(key, str) and len(key) > MOST_LETTERS:
            raise InvalidParameter(f"A key has {MOST_LETTERS} characters at most.", field="representations")
        if not isinstance(key, str):
            raise MissingRequiredField(f"A reference to {name} needs {self._key(entity)}.", field="representations")
        return cast("str", name), key

    def _key_of(self, type_: GraphQLObjectType) -> str | None:
        entity = ENTITIES.get(type_.extensions["strawberry-definition"].origin)
        return None if entity is None else self._key(entity)

    def _key(self, entity: Entity) -> str:
        field = next(field for field in _definition(entity.model).fields if field.python_name == entity.key)
        return self.config.name_converter.from_field(field)

    def _federated(self) -> str:
        """The schema as a gateway wants it: without the machinery, with keys and shared types told."""
        link = f'extend schema @link(url: "{FEDERATION}", import: ["@key", "@shareable"])\n\n'
        document = parse(print_schema(self._schema))
        return link + print_ast(DocumentNode(definitions=tuple(self._definitions(document)))) + "\n"

    def _definitions(self, document: DocumentNode) -> Iterator[DefinitionNode]:
        for definition in document.definitions:
            name = getattr(getattr(definition, "name", None), "value", "")
            if name in _MACHINERY:
                continue
            if not isinstance(definition, ObjectTypeDefinitionNode):
                yield definition
                continue
            if name in ROOTS:
                kept = tuple(f for f in definition.fields or () if not f.name.value.startswith("_"))
                if kept:
                    yield _changed(definition, fields=kept)
                continue
            yield _changed(definition, directives=(*(definition.directives or ()), self._directive(name)))

    def _directive(self, name: str) -> ConstDirectiveNode:
        key = self._key_of(cast("GraphQLObjectType", self._schema.type_map[name]))
        if key is None:
            return _SHAREABLE
        arguments = [ArgumentNode(name=NameNode(value="fields"), value=StringValueNode(value=key))]
        if name not in self._entities:
            unknown = BooleanValueNode(value=False)
            arguments.append(ArgumentNode(name=NameNode(value="resolvable"), value=unknown))
        return ConstDirectiveNode(name=NameNode(value="key"), arguments=tuple(arguments))  # type: ignore[arg-type]


def _definition(model: type) -> StrawberryObjectDefinition:
    return get_object_definition(model, strict=True)


def _changed(node: ObjectTypeDefinitionNode, **values: Any) -> ObjectTypeDefinitionNode:
    kept = {key: getattr(node, key) for key in ("description", "name", "interfaces", "directives", "fields")}
    return ObjectTypeDefinitionNode(**(kept | values))


def _service_of(of: Any) -> str | None:
    """The service whose folder a class or function stands in, as `schema.assets.data_connection` does."""
    folders = getattr(of, "__module__", "").split(".")[1:2]
    return folders[0] if folders and folders[0] in SERVICE_FOLDERS else None


def _operated_by(field: StrawberryField) -> str | None:
    """The service of the operation that a root field opens, whichever form the field gives it."""
    operations = (value for value in field.metadata.values() if isinstance(value, Operation))
    return next((_service_of(operation.run) for operation in operations), None)


def _resolved_by(field: StrawberryField, on: type) -> str | None:
    """The service that an edge leads to; the class's own when it leads to no class of a service."""
    found = _service_of(_innermost(field.type))
    return _service_of(on) if found is None else found


def _innermost(type_: Any) -> Any:
    """The class inside lists, optionals, lazy names and pages."""
    while True:
        if isinstance(type_, LazyType):
            type_ = type_.resolve_type()
        elif isinstance(type_, StrawberryContainer):
            type_ = type_.of_type
        else:
            arguments = getattr(type_, "__pydantic_generic_metadata__", {}).get("args") or ()
            definition = get_object_definition(type_) if has_object_definition(type_) else None
            variables = tuple(definition.type_var_map.values()) if definition is not None else ()
            if not (arguments or variables):
                return type_
            type_ = (arguments or variables)[0]


def build_subgraph(service: str, settings: GraphSettings | None = None) -> Subgraph:
    """The subgraph of one service with the given bounds."""
    return Subgraph(service, settings)

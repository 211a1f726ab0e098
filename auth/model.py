"""An authorization model, read: its types, its relations and what may be granted on them.

Build one with `Model.parse(text)` from the modelling language, with `Model.from_json(document)` from an OpenFGA
authorization model, or take the platform's own with `platform_model()`.
"""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from auth.dsl import ModelSyntaxError, model_version, parse
from auth.relations import NotInModel, split_object, split_user


@dataclass(frozen=True, slots=True)
class This:
    """Users that a tuple names directly."""


@dataclass(frozen=True, slots=True)
class Computed:
    """Whoever holds another relation of the same object."""

    relation: str


@dataclass(frozen=True, slots=True)
class FromParent:
    """Whoever holds `relation` on an object that the tuples of `tupleset` name."""

    tupleset: str
    relation: str


@dataclass(frozen=True, slots=True)
class Union:
    """Whoever holds any of them."""

    operands: tuple["Rewrite", ...]


@dataclass(frozen=True, slots=True)
class Intersection:
    """Whoever holds all of them."""

    operands: tuple["Rewrite", ...]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Whoever holds the base and not what is taken away."""

    base: "Rewrite"
    subtract: "Rewrite"


Rewrite = This | Computed | FromParent | Union | Intersection | Exclusion


@dataclass(frozen=True, slots=True)
class Restriction:
    """One kind of user that a direct relation accepts."""

    type: str
    relation: str = ""
    wildcard: bool = False
    condition: str | None = None

    def __str__(self) -> str:
        """The spelling of the language."""
        tail = ":*" if self.wildcard else f"#{self.relation}" if self.relation else ""
        return f"{self.type}{tail}" + (f" with {self.condition}" if self.condition else "")


@dataclass(frozen=True, slots=True)
class RelationDefinition:
    """A relation of a type: how it is computed and whom a tuple may name."""

    name: str
    rewrite: Rewrite
    restrictions: tuple[Restriction, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """A CEL expression over typed parameters; `parameters` maps a name to its type, such as `list<string>`."""

    name: str
    expression: str
    parameters: Mapping[str, str]


class TupleLike(Protocol):
    """Describes what the model and the evaluator read of a tuple."""

    @property
    def user(self) -> str: ...
    @property
    def relation(self) -> str: ...
    @property
    def object(self) -> str: ...
    @property
    def condition(self) -> str | None: ...
    @property
    def context(self) -> Mapping[str, Any] | None: ...


class Model:
    """A checked model; immutable. `document` is its OpenFGA JSON and `version` names its content."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.version = model_version(document)
        self.types: dict[str, dict[str, RelationDefinition]] = {
            definition["type"]: dict(_relations(definition)) for definition in document["type_definitions"]
        }
        self.conditions = {
            name: Condition(
                name,
                condition["expression"],
                {key: _parameter(value) for key, value in condition.get("parameters", {}).items()},
            )
            for name, condition in document.get("conditions", {}).items()
        }
        for type_, relations in self.types.items():
            for relation in relations.values():
                self._check(type_, relation, relation.rewrite)
                self._check_restrictions(type_, relation)
                self._check_ends(type_, relation.name)

    @classmethod
    def parse(cls, text: str) -> "Model":
        """Read the modelling language. Raises ModelError."""
        return cls(parse(text))

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> "Model":
        """Read an OpenFGA authorization model. Raises ModelError."""
        return cls(document)

    def relation(self, type_: str, name: str) -> RelationDefinition:
        """Find a relation. Raises NotInModel with what the model has instead."""
        relations = self.types.get(type_)
        if relations is None:
            raise NotInModel(f"The model has no type {type_!r}; it has {', '.join(sorted(self.types))}.")
        found = relations.get(name)
        if found is None:
            known = ", ".join(sorted(relations)) or "none"
            raise NotInModel(f"Type {type_} has no relation {name!r}; it has {known}.")
        return found

    def direct(self, type_: str) -> dict[str, tuple[Restriction, ...]]:
        """The relations of a type that tuples may state, with whom they accept."""
        return {name: item.restrictions for name, item in self.types.get(type_, {}).items() if item.restrictions}

    @cached_property
    def node_types(self) -> tuple[str, ...]:
        """The types with relations of their own that some relation accepts: tuples naming one of these lead further."""
        relations = [relation for held in self.types.values() for relation in held.values()]
        named = {one.type for relation in relations for one in relation.restrictions}
        return tuple(sorted(name for name in named if self.types.get(name)))

    @cached_property
    def only_adds(self) -> bool:
        """Return whether another tuple can never take something away: no relation says `but not`."""
        return not any(
            _takes_away(relation.rewrite) for relations in self.types.values() for relation in relations.values()
        )

    def leading_to(self, object_type: str) -> tuple[str, ...]:
        """The types that may stand on a chain of tuples before an object of a type, at whichever distance, sorted."""
        found: set[str] = set()
        pending = [object_type]
        while pending:
            new = self._named_on.get(pending.pop(), frozenset()) - found
            found |= new
            pending.extend(new)
        return tuple(sorted(found))

    @cached_property
    def _named_on(self) -> dict[str, frozenset[str]]:
        """The types that tuples on an object of each type may name."""
        return {
            type_: frozenset(one.type for relation in relations.values() for one in relation.restrictions)
            for type_, relations in self.types.items()
        }

    def accepts(self, item: TupleLike) -> bool:
        """Return whether a tuple fits the type restrictions, its condition included."""
        try:
            self.validate(item)
        except NotInModel:
            return False
        return True

    def validate(self, item: TupleLike) -> None:
        """Check a tuple before it is written. Raises NotInModel with a sentence that says what is accepted."""
        type_, _ = split_object(item.object)
        relation = self.relation(type_, item.relation)
        user_type, user_id, user_relation = split_user(item.user)
        if not relation.restrictions:
            raise NotInModel(f"{item.relation} on {type_} is computed and cannot be granted.")
        if item.user == f"{item.object}#{item.relation}":
            raise NotInModel(
                f"{item.user} holds {item.relation} on {item.object} by itself; there is nothing to grant."
            )
        wanted = Restriction(user_type, user_relation, user_id == "*", item.condition)
        if wanted not in relation.restrictions:
            accepted = ", ".join(map(str, relation.restrictions))
            raise NotInModel(f"{item.relation} on {type_} accepts {accepted}, not {wanted}.")

    def validate_question(self, user: str, relation: str, object_: str) -> None:
        """Check that a question can be asked of this model. Raises NotInModel."""
        self.relation(split_object(object_)[0], relation)
        user_type, _, user_relation = split_user(user)
        if user_relation:
            self.relation(user_type, user_relation)
        elif user_type not in self.types:
            raise NotInModel(f"The model has no type {user_type!r}.")

    def _check(self, type_: str, relation: RelationDefinition, rewrite: Rewrite) -> None:
        where = f"{type_}#{relation.name}"
        match rewrite:
            case This():
                if not relation.restrictions:
                    raise ModelSyntaxError(f"{where} is direct but lists no types.")
            case Computed(name):
                if name not in self.types[type_]:
                    raise ModelSyntaxError(f"{where} needs {name}, which {type_} does not define.")
            case FromParent(tupleset, name):
                self._check_parent(type_, where, tupleset, name)
            case Union(operands) | Intersection(operands):
                for operand in operands:
                    self._check(type_, relation, operand)
            case Exclusion(base, subtract):
                self._check(type_, relation, base)
                self._check(type_, relation, subtract)

    def _check_parent(self, type_: str, where: str, tupleset: str, name: str) -> None:
        link = self.types[type_].get(tupleset)
        if link is None:
            raise ModelSyntaxError(f"{where} looks for {tupleset}, which {type_} does not define.")
        if not isinstance(link.rewrite, This) or any(r.wildcard or r.relation for r in link.restrictions):
            raise ModelSyntaxError(f'{where}: {tupleset} after "from" must be direct and name plain objects only.')
        if not any(name in self.types.get(r.type, {}) for r in link.restrictions):
            raise ModelSyntaxError(f"{where}: no type that {tupleset} accepts defines {name}.")

    def _check_restrictions(self, type_: str, relation: RelationDefinition) -> None:
        for restriction in relation.restrictions:
            where = f"{type_}#{relation.name}"
            if restriction.type not in self.types:
                raise ModelSyntaxError(f"{where} accepts {restriction}, but there is no such type.")
            if restriction.relation and restriction.relation not in self.types[restriction.type]:
                raise ModelSyntaxError(f"{where} accepts {restriction}, but there is no such relation.")
            if restriction.condition and restriction.condition not in self.conditions:
                raise ModelSyntaxError(f"{where} needs condition {restriction.condition}, which is not defined.")

    def _check_ends(self, type_: str, name: str, seen: tuple[str, ...] = ()) -> None:
        """A relation that is only defined by itself can never hold."""
        if name in seen:
            raise ModelSyntaxError(f"{type_}#{name} is defined by itself: {' -> '.join([*seen, name])}.")
        for inner in _leaves(self.types[type_][name].rewrite):
            if isinstance(inner, Computed):
                self._check_ends(type_, inner.relation, (*seen, name))


@functools.cache
def platform_model() -> Model:
    """The platform's own model, `auth/model.fga`."""
    return Model.parse((Path(__file__).parent / "model.fga").read_text(encoding="utf-8"))


def spelled(rewrite: Rewrite) -> str:
    """Write a rewrite in the modelling language again."""
    match rewrite:
        case This():
            return "a direct grant"
        case Computed(relation):
            return relation
        case FromParent(tupleset, relation):
            return f"{relation} from {tupleset}"
        case Union(operands):
            return " or ".join(map(_enclosed, operands))
        case Intersection(operands):
            return " and ".join(map(_enclosed, operands))
        case Exclusion(base, subtract):
            return f"{_enclosed(base)} but not {_enclosed(subtract)}"


def _enclosed(rewrite: Rewrite) -> str:
    return f"({spelled(rewrite)})" if isinstance(rewrite, Union | Intersection | Exclusion) else spelled(rewrite)


def _leaves(rewrite: Rewrite) -> Iterator[Rewrite]:
    match rewrite:
        case Union(operands) | Intersection(operands):
            for operand in operands:
                yield from _leaves(operand)
        case Exclusion(base, subtract):
            yield from _leaves(base)
            yield from _leaves(subtract)
        case _:
            yield rewrite


def _takes_away(rewrite: Rewrite) -> bool:
    match rewrite:
        case Exclusion():
            return True
        case Union(operands) | Intersection(operands):
            return any(map(_takes_away, operands))
        case _:
            return False


def _relations(definition: dict[str, Any]) -> Iterator[tuple[str, RelationDefinition]]:
    metadata = (definition.get("metadata") or {}).get("relations") or {}
    for name, rewrite in (definition.get("relations") or {}).items():
        listed = (metadata.get(name) or {}).get("directly_related_user_types") or []
        yield (
            name,
            RelationDefinition(
                name,
                _rewrite(rewrite),
                tuple(
                    Restriction(
                        item["type"],
                        item.get("relation") or "",
                        item.get("wildcard") is not None,
                        item.get("condition") or None,
                    )
                    for item in listed
                ),
            ),
        )


def _parameter(declared: Mapping[str, Any]) -> str:
    of = "".join(f"<{_parameter(inner)}>" for inner in declared.get("generic_types") or ())
    return str(declared["type_name"]).removeprefix("TYPE_NAME_").lower() + of


def _rewrite(document: Mapping[str, Any]) -> Rewrite:
    [(kind, body)] = document.items()
    match kind:
        case "this":
            return This()
        case "computedUserset":
            return Computed(body["relation"])
        case "tupleToUserset":
            return FromParent(body["tupleset"]["relation"], body["computedUserset"]["relation"])
        case "union":
            return Union(tuple(map(_rewrite, body["child"])))
        case "intersection":
            return Intersection(tuple(map(_rewrite, body["child"])))
        case "difference":
            return Exclusion(_rewrite(body["base"]), _rewrite(body["subtract"]))
        case _:
            raise ModelSyntaxError(f"The model uses {kind!r}, which schema 1.1 does not know.")

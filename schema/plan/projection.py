"""Projections: an object and what was chosen of it become an answer by a straight line of code, written once.

A *shape* is a type with the fields that were chosen of it, and the shapes of those that are objects. It is plain as
long as all of its fields only read an attribute, and are leaves, plain shapes, or lists of either. For such a shape
the library's work comes to this: read the attribute, check for null, write the leaf, and so on down. A projection is
that as a Python function, without a loop over the fields, a path or a call for each value. It raises for anything that
is not as it should be: a null that must not be, a value that has to be awaited, an exception in place of a value.
Whoever calls it then asks the library, which knows how to tell it.
"""

import keyword
import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from typing import Any, Final, NamedTuple

from graphql import (
    GraphQLBoolean,
    GraphQLField,
    GraphQLFloat,
    GraphQLID,
    GraphQLInt,
    GraphQLObjectType,
    GraphQLString,
    TypeNameMetaFieldDef,
    Undefined,
    get_named_type,
    is_enum_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    is_object_type,
)
from strawberry.types.field import StrawberryField

MOST_SHAPES: Final = 1000
"""Shapes that are remembered of one schema."""

MOST_FIELDS: Final = 50_000
"""Fields that all of these may have together: what a field takes of memory, its code included, is about a kilobyte."""

LARGEST: Final = 1000
"""Fields of one shape. A larger one, as a few fragments make it by naming each other, is left to the library."""

DEEPEST_LISTS: Final = 10
"""Lists within lists; Python nests no more than twenty loops."""

Projection = Callable[[Any], dict[str, Any]]


class Chosen(NamedTuple):
    """One field of a shape."""

    response_name: str
    field_name: str
    below: "Shape | None"


class Shape(NamedTuple):
    """A type, and what was chosen of it."""

    type: GraphQLObjectType
    fields: tuple[Chosen, ...]
    size: int
    """Its fields, and those of all shapes below."""


class Read(NamedTuple):
    """How an attribute is got at without asking the object for it.

    A class may have these in `__plan_reads__`, by attribute, and `__plan_row__`: the name of what its objects keep.
    """

    expression: str
    """Python over `r`, which is what the object keeps."""
    written: str | None = None
    """None: it gives what the attribute gives. Otherwise what the scalar of this name writes of that, or for `ENUM` the
    value of its member."""


ENUM: Final = "value of an enum"

MOST_CLASSES: Final = 20
"""Classes for which one shape gets a function of its own."""


class Unfit(Exception):
    """A value that a projection leaves to the library."""


class Plain(NamedTuple):
    """A field that only reads an attribute."""

    attribute: str | None
    """None for `__typename`."""
    type: Any
    object_type: GraphQLObjectType | None
    """What it leads to; None for leaves."""


class Projections:
    """The projections of one schema. A shape gets its own when it is met the second time: writing it takes longer than
    asking the library once.
    """

    def __init__(self, most: int = MOST_SHAPES, most_fields: int = MOST_FIELDS) -> None:
        self._most, self._most_fields = most, most_fields
        self._fields = 0
        self._plain: dict[tuple[GraphQLObjectType, str], Plain | None] = {}
        self._made: OrderedDict[Shape, Projection | None] = OrderedDict()

    def plain(self, parent: GraphQLObjectType, name: str) -> Plain | None:
        """The field of a type, or None when it is not plain."""
        key = (parent, name)
        if key not in self._plain:
            self._plain[key] = _plain(parent, name)
        return self._plain[key]

    def written(self, type_: Any, shape: Shape | None) -> Callable[[Any], Any]:
        """What writes a value of a type; `shape` is what was chosen of the objects in it. Nobody here remembers it."""
        return _Writer(self).value(type_, shape)

    def of(self, shape: Shape) -> Projection | None:
        """The projection of a shape; None the first time."""
        if shape not in self._made:
            self._made[shape] = None
            self._fields += shape.size
            while len(self._made) > self._most or self._fields > self._most_fields:
                self._fields -= self._made.popitem(last=False)[0].size
            return None
        self._made.move_to_end(shape)
        made = self._made[shape]
        if made is None:
            made = self._made[shape] = _Writer(self).written(shape)
        return made


def _plain(parent: GraphQLObjectType, name: str) -> Plain | None:
    if name == "__typename":
        return Plain(None, TypeNameMetaFieldDef.type, None)
    field = parent.fields.get(name)
    definition = None if field is None else field.extensions.get("strawberry-definition")
    if field is None or not isinstance(definition, StrawberryField) or field.args:
        return None
    if not _only_reads(field, definition):
        return None
    attribute, inner = definition.python_name, get_named_type(field.type)
    if not attribute.isidentifier() or keyword.iskeyword(attribute) or str(field.type).count("[") > DEEPEST_LISTS:
        return None
    if is_leaf_type(inner):
        return Plain(attribute, field.type, None)
    if is_object_type(inner) and inner.is_type_of is None:
        return Plain(attribute, field.type, inner)
    return None


def _only_reads(field: GraphQLField, definition: StrawberryField) -> bool:
    """Whether resolving a field comes to reading its attribute.

    Strawberry's own mark says only that there is no resolver. Permissions and other extensions of the field may stand
    before the attribute all the same, or a way of its own to get at it.
    """
    return (
        getattr(field.resolve, "_is_default", False)
        and definition.is_basic_field
        and definition.default_resolver is getattr
        and type(definition).get_result is StrawberryField.get_result
    )


class _Writer:
    """Writes the source of one projection, and of those that it needs."""

    def __init__(self, projections: Projections) -> None:
        self._projections = projections
        self._names: dict[str, Any] = {"Unfit": Unfit}
        self._lines: list[str] = []

    def written(self, shape: Shape) -> Projection:
        name = self._function(shape)
        exec("\n".join(self._lines), self._names)  # noqa: S102 - numbered names alone
        made: Projection = self._names[name]
        return made

    def value(self, type_: Any, shape: Shape | None) -> Callable[[Any], Any]:
        """Write a function of a value of any type."""
        below = None if shape is None else self._function(shape)
        name = f"w{self._given(None)}"
        self._lines += [f"def {name}(v):", *self._value(type_, "v", 1, below), " return v"]
        exec("\n".join(self._lines), self._names)  # noqa: S102 - see `_body`
        made: Callable[[Any], Any] = self._names[name]
        return made

    def _given(self, value: Any) -> str:
        name = f"g{len(self._names)}"
        self._names[name] = value
        return name

    def _function(self, shape: Shape) -> str:
        """The name of a function that writes the objects of a shape, each in the way that suits its class."""
        below = [None if chosen.below is None else self._function(chosen.below) for chosen in shape.fields]
        known: dict[type, Projection] = {}
        ways, first = self._given(known), self._given(None)
        self._names[first] = self._chooser(shape, below, known)
        name = f"p{ways}"
        self._lines += [
            f"def {name}(o):",
            f" way = {ways}.get(o.__class__)",
            f" return way(o) if way is not None else {first}(o)",
        ]
        return name

    def _chooser(self, shape: Shape, below: list[str | None], known: dict[type, Projection]) -> Projection:
        """What is called for the first object of a class."""
        usual: list[Projection] = []

        def chosen(o: Any) -> dict[str, Any]:
            reads, row = getattr(o.__class__, "__plan_reads__", None), getattr(o.__class__, "__plan_row__", None)
            if reads is not None and row is not None and len(known) < MOST_CLASSES:
                way = self._body(shape, below, reads, row)
            else:
                if not usual:
                    usual.append(self._body(shape, below, {}, None))
                way = usual[0]
            _fit(o, known, way)
            return way(o)

        return chosen

    def _body(self, shape: Shape, below: list[str | None], reads: Mapping[str, Read], row: str | None) -> Projection:
        lines, answer = [], []
        for at, chosen in enumerate(shape.fields):
            plain = self._projections.plain(shape.type, chosen.field_name)
            assert plain is not None
            if plain.attribute is None:
                answer.append(f"{chosen.response_name!r}: {shape.type.name!r}")
                continue
            lines += self._field(plain, f"v{at}", below[at], reads.get(plain.attribute))
            answer.append(f"{chosen.response_name!r}: v{at}")
        name = f"b{self._given(None)}"
        kept = [] if row is None else [f" r = o.{row}"]
        # Like a dataclass's own methods, the source is made of names that were checked and of nothing else: response
        # names are put in as literals, attributes are identifiers of our classes, all else is numbered.
        source = [f"def {name}(o):", *kept, *lines, f" return {{{', '.join(answer)}}}"]
        exec("\n".join(source), self._names)  # noqa: S102 - see above
        made: Projection = self._names[name]
        return made

    def _field(self, plain: Plain, at: str, below: str | None, read: Read | None) -> list[str]:
        """The lines that make a variable what is answered of a field."""
        if read is not None and read.written is None:
            return [f" {at} = {read.expression}", *self._value(plain.type, at, 1, below)]
        written = None if read is None else self._as_written(plain.type, at, read)
        if read is None or written is None:
            return [f" {at} = o.{plain.attribute}", *self._value(plain.type, at, 1, below)]
        missing = [f" if {at} is None: raise Unfit"] if is_non_null_type(plain.type) else []
        return [f" {at} = {read.expression}", *missing, *written]

    def _as_written(self, type_: Any, at: str, read: Read) -> list[str] | None:
        """What is left to do with what was read as it is written; None when the type writes it otherwise."""
        inner = type_.of_type if is_non_null_type(type_) else type_
        if is_list_type(inner):
            return None
        if read.written != ENUM:
            return [] if inner.name == read.written else None
        members = _spelled(inner) if is_enum_type(inner) else None
        if members is None:
            return None
        names = self._given({member.value: name for member, name in members[1].items()})
        return [f" if {at} is not None: {at} = {names}[{at}]"]

    def _value(self, type_: Any, at: str, depth: int, below: str | None) -> list[str]:
        """The lines that make a variable's value what is answered."""
        pad = " " * depth
        if is_non_null_type(type_):
            return [f"{pad}if {at} is None: raise Unfit", *self._filled(type_.of_type, at, depth, below)]
        return [f"{pad}if {at} is not None:", *self._filled(type_, at, depth + 1, below)]

    def _filled(self, type_: Any, at: str, depth: int, below: str | None) -> list[str]:
        """The same for a value that is not null."""
        pad = " " * depth
        if is_list_type(type_):
            item, items = f"i{depth}{at}", f"l{depth}{at}"
            return [
                f"{pad}if {at}.__class__ is not list and {at}.__class__ is not tuple: raise Unfit",
                f"{pad}{items} = []",
                f"{pad}for {item} in {at}:",
                *self._value(type_.of_type, item, depth + 1, below),
                f"{pad} {items}.append({item})",
                f"{pad}{at} = {items}",
            ]
        if below is not None:
            return [f"{pad}{at} = {below}({at})"]
        return [pad + line.format(at=at, write=self._given(_refusing(type_.coerce_output_value))) for line in
                self._leaf(type_)]  # fmt: skip

    def _leaf(self, type_: Any) -> list[str]:
        """How a leaf is written: what most values are as they stand, any other by the type itself."""
        if type_ is GraphQLString or type_ is GraphQLID:
            return ["if {at}.__class__ is not str: {at} = {write}({at})"]
        if type_ is GraphQLInt:
            return ["if {at}.__class__ is not int or not -2147483648 <= {at} <= 2147483647: {at} = {write}({at})"]
        if type_ is GraphQLBoolean:
            return ["if {at} is not True and {at} is not False: {at} = {write}({at})"]
        if type_ is GraphQLFloat:
            finite = self._given(math.isfinite)
            return [f"if {{at}}.__class__ is not float or not {finite}({{at}}): {{at}} = {{write}}({{at}})"]
        if is_enum_type(type_) and (members := _spelled(type_)) is not None:
            kind, names = self._given(members[0]), self._given(members[1])
            return [f"{{at}} = {names}[{{at}}] if {{at}}.__class__ is {kind} else {{write}}({{at}})"]
        return ["{at} = {write}({at})"]


def _spelled(type_: Any) -> tuple[type[Enum], dict[Enum, str]] | None:
    """The names of an enum's members, when its values are members of a class and each has one."""
    kind = getattr(type_, "wrapped_cls", None)
    if not isinstance(kind, type) or not issubclass(kind, Enum):
        return None
    try:
        return kind, {member: type_.coerce_output_value(member) for member in kind}
    except Exception:
        return None


def _refusing(write: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A type may take any value; one that has to be awaited or raised is the library's business, and so is nothing."""

    known: dict[type, None] = {}

    def written(value: Any) -> Any:
        if value.__class__ not in known:
            _fit(value, known, None)
        answer = write(value)
        if answer is None or answer is Undefined:
            raise Unfit
        return answer

    return written


def _fit(value: Any, known: dict[type, Any], way: Any) -> None:
    """Remember how values of a class are looked into. Raises Unfit when the library does not look into them either."""
    if value is None or value is Undefined or isinstance(value, (Awaitable, Exception)):
        raise Unfit
    if len(known) < 100:
        known[value.__class__] = way

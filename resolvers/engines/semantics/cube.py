"""Cube: data models in YAML, with cubes of dimensions, measures, segments and joins."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.documents import Understood, UnreadableDocument, text_of
from resolvers.engines.semantics.binding import PHYSICAL
from resolvers.engines.semantics.fragments import FragmentRefused, aggregated, fragment, table_parts
from resolvers.engines.semantics.model import (
    LONGEST_SYNONYM,
    Dataset,
    Field,
    Link,
    Measure,
    Model,
    Words,
    by_name,
    places,
    short,
    unread,
)

_TYPES: Final = {
    "count": "count",
    "count_distinct": "count_distinct",
    "countdistinct": "count_distinct",
    "sum": "sum",
    "avg": "avg",
    "min": "min",
    "max": "max",
}
_WRITTEN: Final = frozenset({"number", "string", "time", "boolean"})
"""Measures whose SQL aggregates by itself."""
_CHANGING: Final = ("rolling_window", "rollingWindow", "multi_stage", "time_shift", "group_by", "reduce_by", "case")
"""What makes another figure of a measure than its SQL says."""
_OF_CUBES: Final = frozenset(
    {"name", "sql_table", "sql", "title", "description", "joins", "dimensions", "measures", "segments"}
)
_OF_DIMENSIONS: Final = frozenset({"name", "sql", "type", "primary_key", "primaryKey", "title", "description"})
_OF_MEASURES: Final = frozenset({"name", "sql", "type", "filters", "title", "description"})
_NAME: Final = re.compile(r"\{\s*([A-Za-z_]\w{0,200})\s*(?:\.\s*([A-Za-z_]\w{0,200})\s*)?\}(\s*\.)?")
_WORD: Final = re.compile(r"[A-Za-z_]\w{0,200}")
_COLUMN, _MEMBER = "stoa_column_of_", "stoa_member_of_"
"""What stands before the name of a cube in SQL, until it is parsed."""


def read_cube(document: Mapping[str, Any], dialect: str, found: Understood) -> list[Model]:
    """The one model of a file. Raises UnreadableDocument."""
    if not isinstance(document.get("cubes"), list | dict):
        raise UnreadableDocument("The file is no data model of Cube: it has no `cubes`.")
    if document.get("views"):
        found.miss("views", "Views show members of cubes, and say nothing of their own.")
    listed = list(places(document.get("cubes"), "cubes"))
    cubes = {name.casefold(): name for _, said in listed if (name := text_of(said.get("name"))) is not None}
    model = Model("cube")
    for where, said in listed:
        try:
            _Cube(said, where, dialect, found, model, cubes).read()
        except FragmentRefused as refused:
            found.miss(where, str(refused))
    return [model]


class _Cube:
    def __init__(
        self,
        said: Mapping[str, Any],
        where: str,
        dialect: str,
        found: Understood,
        model: Model,
        cubes: Mapping[str, str],
    ) -> None:
        name = text_of(said.get("name"))
        if name is None or not _WORD.fullmatch(name):
            raise FragmentRefused("A cube has a `name` of letters, digits and _.")
        self.said, self.where, self.dialect, self.found, self.model = said, where, dialect, found, model
        self.name, self.cubes = name, cubes

    def read(self) -> None:
        """Read the cube. Raises FragmentRefused where its table is not known."""
        if self.said.get("extends"):
            raise FragmentRefused("A cube that extends another one is not followed. Write out what it takes over.")
        source = text_of(self.said.get("sql_table")) or text_of(self.said.get("sql"))
        if source is None:
            raise FragmentRefused("A cube has a `sql_table` or a `sql`.")
        made = Dataset(self.name, table_parts(source.rstrip().rstrip(";"), self.dialect), self.where)
        made.words = self._words(self.said, self.where)
        made.fields = by_name(self._fields(), self.found)
        self.model.datasets.append(made)
        unread(self.said, _OF_CUBES, self.found, self.where)
        for where, one in places(self.said.get("measures"), f"{self.where}.measures"):
            name = text_of(one.get("name")) or where.rpartition(".")[2]
            try:
                tree = self._measure(one)
            except FragmentRefused as refused:
                self.found.miss(where, str(refused))
                continue
            unread(one, _OF_MEASURES, self.found, where)
            made.measures.setdefault(name.casefold(), tree)
            self.model.measures.append(Measure(name, tree, self.name, self._words(one, where, name), where))
        for where, one in places(self.said.get("joins"), f"{self.where}.joins"):
            try:
                self.model.links.append(self._link(one, where))
            except FragmentRefused as refused:
                self.found.miss(where, str(refused))
        for where, _ in places(self.said.get("segments"), f"{self.where}.segments"):
            self.found.miss(where, "A segment is no measure, and is not taken.")

    def _fields(self) -> Iterator[Field]:
        for where, one in places(self.said.get("dimensions"), f"{self.where}.dimensions"):
            name, text = text_of(one.get("name")) or where.rpartition(".")[2], text_of(one.get("sql"))
            try:
                if text is None:
                    raise FragmentRefused("A dimension without `sql` is not followed.")
                yield Field(name, self._tree(text), self._words(one, where, name), where)
                unread(one, _OF_DIMENSIONS, self.found, where)
            except FragmentRefused as refused:
                self.found.miss(where, str(refused))

    def _measure(self, said: Mapping[str, Any]) -> exp.Expr:
        changed = [name for name in _CHANGING if said.get(name)]
        if changed:
            raise FragmentRefused(f"{', '.join(changed)} makes another figure of it, which is not followed.")
        kind, text = (text_of(said.get("type")) or "").lower(), text_of(said.get("sql"))
        tree = self._tree(text) if text is not None else None
        filters = [self._tree(text_of(one.get("sql")) or "") for _, one in places(said.get("filters"), "")]
        if kind in _WRITTEN:
            if tree is None or filters:
                raise FragmentRefused(f"A measure of the type {kind} has `sql`, and no filters.")
            return tree
        if kind not in _TYPES:
            raise FragmentRefused(f"Measures of the type {kind[:50]!r} are not taken.")
        return aggregated(_TYPES[kind], tree, filters)

    def _link(self, said: Mapping[str, Any], where: str) -> Link:
        """A join, from the cube with many rows to the one with one. Raises FragmentRefused."""
        other = self.cubes.get((text_of(said.get("name")) or "").casefold())
        if other is None:
            raise FragmentRefused("It joins a cube that the file does not have.")
        tree = self._tree(text_of(said.get("sql")) or "")
        pairs = []
        for part in tree.flatten() if isinstance(tree, exp.And) else [tree]:
            part = part.unnest()
            left, right = (part.this, part.expression) if isinstance(part, exp.EQ) else (None, None)
            if not isinstance(left, exp.Column) or not isinstance(right, exp.Column):
                raise FragmentRefused("Joins are by columns that are equal, and by nothing else.")
            if right.table.casefold() != other.casefold():
                left, right = right, left
            if left.table.casefold() != self.name.casefold() or right.table.casefold() != other.casefold():
                raise FragmentRefused("Each side of a join is a column of one of its two cubes.")
            pairs.append((left.name, right.name))
        own, theirs = tuple(one for one, _ in pairs), tuple(one for _, one in pairs)
        kind = (text_of(said.get("relationship")) or "").lower()
        if kind in ("one_to_many", "has_many", "hasmany"):
            return Link(f"{other} to {self.name}", other, self.name, theirs, own, where=where)
        return Link(f"{self.name} to {other}", self.name, other, own, theirs, where=where)

    # SQL.

    def _tree(self, text: str) -> exp.Expr:
        """An expression, whose names in braces are cubes and members of cubes. Raises FragmentRefused."""
        tree = fragment(_NAME.sub(self._spelled, text), self.dialect).copy()
        for one in tree.find_all(exp.Column):
            prefix = next((each for each in (_COLUMN, _MEMBER) if one.table.startswith(each)), None)
            if prefix is not None:
                cube = self.cubes[one.table.removeprefix(prefix).casefold()]
                one.set("table", exp.to_identifier(cube, quoted=True))
                one.this.set("quoted", True)
                if prefix == _COLUMN:
                    one.meta[PHYSICAL] = True
            elif one.table:
                raise FragmentRefused(f"{one.sql()[:200]} is no member of a cube. Write it as {{cube.member}}.")
        return tree

    def _spelled(self, match: re.Match[str]) -> str:
        """A name in braces as SQL has it."""
        first, second, dot = match.groups()
        cube = self.name if first == "CUBE" else self.cubes.get(first.casefold())
        if second is not None and not dot:
            if cube is None:
                raise FragmentRefused(f"The file has no cube {first[:200]!r}.")
            return f"{_MEMBER}{cube}.{second}"
        if second is None and dot:
            if cube is None:
                raise FragmentRefused(f"The file has no cube {first[:200]!r}.")
            return f"{_COLUMN}{cube}."
        if second is None:
            return f"{_MEMBER}{self.name}.{first}"
        raise FragmentRefused(f"{match.group(0)[:200]} is not followed.")

    def _words(self, said: Mapping[str, Any], where: str, name: str | None = None) -> Words:
        """A title is another name."""
        title, name = text_of(said.get("title")), name or self.name
        other = (title,) if title and title.casefold() != name.casefold() and len(title) <= LONGEST_SYNONYM else ()
        return Words(short(said.get("description"), self.found, where), other)

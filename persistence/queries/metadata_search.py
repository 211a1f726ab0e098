"""From the neutral tree of a catalog search to bound SQL, for SQLite and PostgreSQL alike.

Nothing of a query ever becomes SQL, FTS5 or tsquery text: values are bound, and the words given to a free-text index
consist of the letters a-z, the digits and `_` (`split_words`). Every free-text condition is defined by what a LIKE
over the stored words says; the index only finds the candidates faster, so both stores answer alike.

How a page is made of the assets that fulfil such a condition is told in `asset_pages.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeGuard

import sqlalchemy as sa

from persistence.queries.relevance import BY_RELEVANCE, Phrase, folded, relevance
from persistence.repository import Scope
from persistence.tables.catalog import WORDS_TABLE, metadata_assets
from schema.utils.metadata_asset import AssetType
from schema.utils.search_query import (
    OWN_FIELDS,
    WORD_TAGS,
    All,
    Between,
    Dotted,
    Exists,
    FieldKind,
    Flag,
    Never,
    Query,
    Some,
    Text,
    names_field,
    split_words,
)

_INT64: Final = 2**63 - 1
_LIST_FIELDS: Final = ("owners", "tags")
_words = sa.table(WORDS_TABLE, sa.column("rowid"), sa.column("search_words"))

Condition = sa.ColumnElement[bool]


def in_scope(scope: Scope, assets: sa.FromClause = metadata_assets) -> list[Condition]:
    """The tenant that every catalog statement stays in: organization and project."""
    if scope.project_id is None:
        raise ValueError("the catalog is read inside one project")
    return [assets.c.organization_id == scope.organization_id, assets.c.project_id == scope.project_id]


def _scope_conditions(scope: Scope, assets: sa.FromClause, *, keep_project: bool) -> list[Condition]:
    """The scope, spelled so that SQLite does not choose its index by it.

    Without statistics SQLite believes that two equal columns leave a handful of rows, and would read the whole tenant
    by the unique index. A plus sign before a column is its documented way to leave an index alone.
    """
    organization, project = in_scope(scope, assets)
    return [_unindexed(organization), project if keep_project else _unindexed(project)]


def _unindexed(condition: Condition) -> Condition:
    assert isinstance(condition, sa.BinaryExpression)
    column = sa.UnaryExpression(condition.left, operator=sa.sql.operators.custom_op("+"), type_=condition.left.type)
    return column == condition.right


def _of_columns(query: Query) -> TypeGuard[Text | Flag | Between | Exists]:
    """Return whether a part asks for a table by one of its columns."""
    field = None if isinstance(query, All | Some | Never | Dotted) else query.field
    return field is not None and field.startswith("columns.")


def _by_itself(query: Query) -> bool:
    """Return whether a part of an OR is found by an index of its own, which PostgreSQL has to be told."""
    return isinstance(query, Dotted) or _of_columns(query)


def _led_by_index(query: Query) -> bool:
    """Return whether the free-text index, or the columns that fit, lead to all that a query finds."""
    if _by_itself(query):
        return True
    match query:
        case Text(value, _, field):
            return (field is None or field in WORD_TAGS) and bool(split_words(value))
        case All(parts):
            return any(_led_by_index(part) for part in parts)
        case Some(parts):
            return all(_led_by_index(part) for part in parts)
        case _:
            return False


def prefix_range(column: sa.ColumnElement[Any], prefix: str) -> Condition:
    """Values of a code-point-ordered column that begin with a prefix, as a range that an index can answer."""
    above = _after(prefix)
    return column >= prefix if above is None else sa.and_(column >= prefix, column < above)


def subtree(column: sa.ColumnElement[Any], fqn: str) -> Condition:
    """A dotted name and all below it, of a code-point-ordered column."""
    return sa.or_(column == fqn, prefix_range(column, f"{fqn}."))


def _after(prefix: str) -> str | None:
    """The smallest text above every text that begins with the prefix."""
    while prefix:
        last = ord(prefix[-1])
        if last < 0x10FFFF:
            return prefix[:-1] + chr(0xE000 if last == 0xD7FF else last + 1)  # surrogates are no characters
        prefix = prefix[:-1]
    return None


@dataclass(frozen=True, slots=True)
class Compiler:
    """Turns a tree into one SQL condition over `assets`, which is the catalog table or an alias of it."""

    scope: Scope
    dialect: str
    assets: sa.FromClause = metadata_assets

    def scoped(self, led: bool) -> list[Condition]:
        """The tenant, leaving the choice of an index to what the query asks for."""
        if self.dialect == "sqlite":
            return _scope_conditions(self.scope, self.assets, keep_project=not led)
        return in_scope(self.scope, self.assets)

    def condition(self, query: Query) -> Condition:
        """The condition of a whole tree."""
        match query:
            case All(parts):
                return sa.and_(sa.true(), *self._together(parts))
            case Some(parts) if self.dialect == "postgresql" and any(map(_by_itself, parts)):
                return self._either(parts)
            case Some(parts):
                return sa.or_(*[self.condition(part) for part in parts])
            case Never(part):
                return sa.not_(self._certain(self.condition(part)))
            case _ if _of_columns(query):
                return self._of_columns(query)
            case Text():
                return self._text(query)
            case Dotted():
                return self._dotted(query)
            case Flag(field, value):
                return self.assets.c[field].is_(value)
            case Exists(field):
                return self._exists(field)
            case Between():
                return self._between(query)

    def _either(self, parts: Sequence[Query]) -> Condition:
        """Each part by its own index: PostgreSQL reads every asset for an OR that holds a subquery."""
        arms: list[sa.Select[Any]] = []
        for part in parts:
            assets = metadata_assets.alias()
            inner = Compiler(self.scope, self.dialect, assets)
            arms.append(sa.select(assets.c.row_number).where(*inner.scoped(False), inner.condition(part)))
        return self.assets.c.row_number.in_(sa.union(*arms))

    def _certain(self, condition: Condition) -> Condition:
        # NOT of an unknown is unknown in SQL; a search knows only yes and no.
        return sa.func.coalesce(condition, sa.false())

    def _together(self, parts: Sequence[Query]) -> list[Condition]:
        """The conditions of an AND; its free words are asked of the index in one go."""
        found: list[Condition] = []
        looked_for: list[tuple[Sequence[str], bool]] = []
        for part in parts:
            if isinstance(part, Text) and (words := self._words_of(part)):
                looked_for.append((words, part.prefix))
                if len(words) > 1:
                    found.append(self._spelled(words, part.prefix))
            else:
                found.append(self.condition(part))
        return [self._in_index(looked_for), *found] if looked_for else found

    def _words_of(self, text: Text) -> list[str]:
        """The stored spelling of a text that is looked for among the words; empty for other texts."""
        if text.field is None:
            return split_words(text.value)
        letter = WORD_TAGS.get(text.field)
        return [] if letter is None else [f"{letter}_{word}" for word in split_words(text.value)]

    def _text(self, text: Text) -> Condition:
        if text.field is not None and OWN_FIELDS[text.field] is FieldKind.KEYWORD:
            column: sa.ColumnElement[Any] = sa.func.lower(self.assets.c[text.field])
            value = folded(text.value)
            return prefix_range(column, value) if text.prefix else column == value
        words = self._words_of(text)
        if not words:
            return sa.true() if text.field is None else sa.false()
        found = self._in_index([(words, text.prefix)])
        return found if len(words) == 1 else sa.and_(found, self._spelled(words, text.prefix))

    def _dotted(self, query: Dotted) -> Condition:
        """The assets themselves, found apart from all else: the last part leads to few by the index of names."""
        value = folded(query.value)
        above, _, last = value.rpartition(".")
        if not query.prefix:
            return self._apart(lambda one: [_lower(one, "name") == last, _ends(one, "fully_qualified_name", value)])
        if last:
            return self._apart(lambda one: [prefix_range(_lower(one, "name"), last), _ends(one, "parent_fqn", above)])
        parents = metadata_assets.alias()
        scoped = Compiler(self.scope, self.dialect, parents).scoped(False)
        named = [_lower(parents, "name") == above.rpartition(".")[2], _ends(parents, "fully_qualified_name", above)]
        fitting = sa.select(parents.c.fully_qualified_name).where(*scoped, *named)
        # A service is no asset itself: what lies in it are its few databases.
        return self._apart(
            lambda one: [one.c.parent_fqn.in_(fitting)],
            lambda one: [one.c.type == AssetType.DATABASE.value, _lower(one, "parent_fqn") == above],
        )

    def _apart(self, *ways: Callable[[sa.FromClause], list[Condition]]) -> Condition:
        """The assets that subqueries find, each by the index that suits it, whatever leads to all the rest."""
        arms: list[sa.Select[Any]] = []
        for conditions in ways:
            assets = metadata_assets.alias()
            inner = Compiler(self.scope, self.dialect, assets)
            arms.append(sa.select(assets.c.row_number).where(*inner.scoped(False), *conditions(assets)))
        return self.assets.c.row_number.in_(arms[0] if len(arms) == 1 else sa.union(*arms))

    def _spelled(self, words: Sequence[str], prefix: bool) -> Condition:
        """The words stand next to each other in the stored words: what a free-text condition means."""
        looked_for = f" {' '.join(words)}{'' if prefix else ' '}"
        return self.assets.c.search_words.contains(looked_for, autoescape=True)

    def _in_index(self, looked_for: Sequence[tuple[Sequence[str], bool]]) -> Condition:
        """Every word is among the stored words: what the free-text index of the store can say."""
        if self.dialect == "sqlite":
            terms = [f'"{word}"{star}' for word, star in _starred(looked_for, "*")]
            match = sa.literal_column(WORDS_TABLE).op("MATCH", is_comparison=True)
            query = sa.bindparam(None, " AND ".join(terms), sa.Text)
            return self.assets.c.row_number.in_(sa.select(_words.c.rowid).where(match(query)))
        terms = [f"'{word}'{star}" for word, star in _starred(looked_for, ":*")]
        tsquery = sa.cast(sa.bindparam(None, " & ".join(terms), sa.Text), _TsQuery())
        return _vector(self.assets).op("@@", is_comparison=True)(tsquery)

    def _exists(self, field: str) -> Condition:
        column = self.assets.c[field]
        if field in _LIST_FIELDS:
            return sa.and_(column.is_not(None), sa.cast(column, sa.Text) != "[]")
        if OWN_FIELDS[field] in (FieldKind.KEYWORD, FieldKind.WORDS):
            return sa.and_(column.is_not(None), column != "")
        return column.is_not(None)

    def _between(self, query: Between) -> Condition:
        column = self.assets.c[query.field]
        parts: list[Condition] = [column.is_not(None)]
        low, high = query.low, query.high
        # A whole number that no column can hold is beyond every value, and no driver has to carry it.
        if isinstance(low, int) and abs(low) > _INT64:
            parts.append(sa.false() if low > 0 else sa.true())
        elif low is not None:
            parts.append(column >= _bound(low) if query.include_low else column > _bound(low))
        if isinstance(high, int) and abs(high) > _INT64:
            parts.append(sa.true() if high > 0 else sa.false())
        elif high is not None:
            parts.append(column <= _bound(high) if query.include_high else column < _bound(high))
        return sa.and_(*parts)

    def _of_columns(self, query: Text | Flag | Between | Exists) -> Condition:
        """Holds for a table when one of its columns fits."""
        columns = metadata_assets.alias()
        inner = Compiler(self.scope, self.dialect, columns)
        renamed = _renamed(query, (query.field or "").removeprefix("columns."))
        parents = (
            sa.select(columns.c.parent_id)
            .where(
                *inner.scoped(_led_by_index(renamed)),
                columns.c.type == "column",
                columns.c.deleted_at.is_(None),
                columns.c.parent_id.is_not(None),
                inner.condition(renamed),
            )
            .distinct()
        )
        return self.assets.c.id.in_(parents)


def _lower(assets: sa.FromClause, column: str) -> sa.ColumnElement[Any]:
    return sa.func.lower(assets.c[column])


def _ends(assets: sa.FromClause, column: str, parts: str) -> Condition:
    """Return whether a dotted name is, or ends in, these parts, in small letters."""
    whole = _lower(assets, column)
    return sa.or_(whole == parts, whole.endswith(f".{parts}", autoescape=True))


def _renamed(query: Text | Flag | Between | Exists, name: str) -> Query:
    match query:
        case Text(value, prefix, _):
            return Text(value, prefix, name)
        case Flag(_, value):
            return Flag(name, value)
        case Exists():
            return Exists(name)
        case Between(_, low, high, with_low, with_high):
            return Between(name, low, high, with_low, with_high)


def _bound(value: int | datetime) -> sa.ColumnElement[Any] | datetime:
    return sa.literal(value, sa.BigInteger()) if isinstance(value, int) else value  # wider than some of the columns


def _starred(looked_for: Sequence[tuple[Sequence[str], bool]], star: str) -> dict[tuple[str, str], None]:
    """Each word once, the last of a prefix search with the store's sign for prefixes."""
    return dict.fromkeys(
        (word, star if prefix and at == len(words) - 1 else "")
        for words, prefix in looked_for
        for at, word in enumerate(words)
    )


def _vector(assets: sa.FromClause) -> sa.ColumnElement[Any]:
    """The words as the GIN index of PostgreSQL holds them; constants are literal, as the index has them."""
    space: sa.ColumnElement[str] = sa.literal_column("' '")
    return sa.func.array_to_tsvector(sa.func.string_to_array(sa.func.btrim(assets.c.search_words), space))


class _TsQuery(sa.types.UserDefinedType[str]):
    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "TSQUERY"


@dataclass(frozen=True, slots=True)
class Window:
    """Holds which part of the found assets is wanted, in which order."""

    sort_by: str = "name"
    descending: bool = False
    limit: int = 50
    offset: int = 0
    sought: tuple[Phrase, ...] = ()
    """What names are compared with, in the order of relevance."""

    @property
    def end(self) -> int:
        """Return how many assets this window and those before it have."""
        return self.offset + self.limit


def search_conditions(
    scope: Scope,
    dialect: str,
    query: Query,
    *,
    resource_uri: str | None = None,
    asset_type: str | None = None,
    parent_fqn: str | None = None,
) -> list[Condition]:
    """Everything that a found asset fulfils. What was deleted is hidden unless the query speaks of `deleted_at`."""
    assets = metadata_assets
    compiler = Compiler(scope, dialect)
    found = compiler.scoped(parent_fqn is None and _led_by_index(query))
    if parent_fqn is not None:
        found.append(assets.c.parent_fqn == parent_fqn)
    if resource_uri is not None:
        found.append(assets.c.resource_uri == resource_uri)
    if asset_type is not None:
        found.append(assets.c.type == asset_type)
    if not names_field(query, "deleted_at"):
        found.append(assets.c.deleted_at.is_(None))
    if query != All():
        found.append(compiler.condition(query))
    return found


def sort_key(assets: sa.FromClause, window: Window) -> sa.ColumnElement[Any]:
    """Return what a window is sorted by, before the names and ids that break ties."""
    if window.sort_by == BY_RELEVANCE and BY_RELEVANCE not in assets.c:
        return relevance(assets, window.sought).label(BY_RELEVANCE)
    return assets.c[window.sort_by]


def search_order(assets: sa.FromClause, window: Window) -> list[sa.ColumnElement[Any]]:
    """The order of a window: ties are broken by id, so pages never overlap; assets without a position come last.

    What is alike relevant is in the order of its names.
    """
    keys = [sort_key(assets, window), *([assets.c.name] if window.sort_by == BY_RELEVANCE else []), assets.c.id]
    first, *ties = [key.desc() if window.descending else key.asc() for key in keys]
    return [first.nulls_last() if window.sort_by == "ordinal_position" else first, *ties]

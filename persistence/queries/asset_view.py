"""Catalog rows as answers: positional rows become JSON without a resource being built for each.

This is the one place where a catalog row becomes what callers see. A row holds the columns of `answer_columns` in the
order of the resource's fields: JSON columns as text, which is passed through untouched, and moments as ISO 8601 text
that the store wrote. Five hundred children then cost the driver, one dictionary each and orjson, and little else.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, cast

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.util import await_only

from persistence.columns import Moment
from persistence.engine import Database, Values
from persistence.tables.catalog import metadata_assets
from schema.plan import ENUM, Read
from schema.utils.metadata_asset import AssetOwner, AssetTag, AssetType, ChangeDescription, MetadataAsset

NAMES: Final = tuple(MetadataAsset.model_fields)
"""What a row holds, before the revision at its end."""

WIDTH: Final = len(NAMES) + 1

_INDEX: Final = {name: at for at, name in enumerate(NAMES)}
_CHILDREN_AT: Final = _INDEX["children"]
_JSON_FIELDS: Final = tuple(
    name for name in NAMES if name in metadata_assets.c and isinstance(metadata_assets.c[name].type, sa.JSON | JSONB)
)
_MOMENT_FIELDS: Final = tuple(
    name for name in NAMES if name in metadata_assets.c and isinstance(metadata_assets.c[name].type, Moment)
)
_FLAG_FIELDS: Final = tuple(
    name for name in NAMES if name in metadata_assets.c and isinstance(metadata_assets.c[name].type, sa.Boolean)
)


class _AsText(sa.sql.expression.ColumnElement[str]):
    """A JSON column as the text that the store keeps, or a moment as ISO 8601 in UTC."""

    inherit_cache = True
    type = sa.Text()
    _traverse_internals = [("column", sa.sql.visitors.InternalTraversal.dp_clauseelement)]

    def __init__(self, column: sa.ColumnElement[Any]) -> None:
        self.column = column


@compiles(_AsText, "postgresql")
def _as_text_in_postgresql(element: _AsText, compiler: SQLCompiler, **kw: Any) -> str:
    column = compiler.process(element.column, **kw)
    if isinstance(element.column.type, Moment):
        return f"to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
    return f"{column}::text"


@compiles(_AsText)
def _as_text_elsewhere(element: _AsText, compiler: SQLCompiler, **kw: Any) -> str:
    column = compiler.process(element.column, **kw)
    if isinstance(element.column.type, Moment):
        return f"substr({column}, 1, 10) || 'T' || substr({column}, 12) || 'Z'"
    return column


def _answer_column(name: str) -> sa.ColumnElement[Any]:
    if name == "version":
        major, minor = metadata_assets.c.version_major, metadata_assets.c.version_minor
        return sa.cast(major, sa.Text) + sa.literal_column("'.'") + sa.cast(minor, sa.Text)
    if name == "children":
        return sa.null()
    column = metadata_assets.c[name]
    if name in _JSON_FIELDS or name in _MOMENT_FIELDS:
        return _AsText(column)
    if name in _FLAG_FIELDS:
        return sa.type_coerce(column, sa.Integer)  # the row becomes a boolean once, in `values`
    return column


answer_columns: Final[tuple[sa.ColumnElement[Any], ...]] = (
    *(_answer_column(name).label(f"a{at}") for at, name in enumerate(NAMES)),
    metadata_assets.c.revision,
)
"""What a select must ask for so that its rows are answers."""


def _source() -> str:
    """Write the function that makes one row a dictionary: one expression for each field, no loop.

    It runs 500 times for one answer, where a loop over the fields measured twice as long. Like a dataclass's own
    methods, its source is made of our own field names and of nothing else.
    """
    written: list[str] = []
    for at, name in enumerate(NAMES):
        value = f"row[{at}]"
        if name in _JSON_FIELDS:
            value = f"None if {value} is None else Fragment({value})"
        elif name in _MOMENT_FIELDS:
            value = f"{value} and {value}.replace('.000000Z', 'Z')"
        elif name in _FLAG_FIELDS:
            value = f"None if {value} is None else {value} == 1"
        written.append(f"{name!r}: {value}")
    return f"def values_of(row):\n    return {{{', '.join(written)}}}"


def _builder() -> Callable[[Sequence[Any]], dict[str, Any]]:
    names: dict[str, Any] = {"Fragment": orjson.Fragment}
    exec(_source(), names)  # noqa: S102 - see above
    values_of: Callable[[Sequence[Any]], dict[str, Any]] = names["values_of"]
    return values_of


_values_of: Final = _builder()

_FORM: Final = 1
"""Count this up when an asset is written in another way than its expressions and columns tell."""


def _rendered_by() -> str:
    select = sa.select(*answer_columns)
    told = (str(_FORM), _source(), *(str(select.compile(dialect=dialect())) for dialect in _DIALECTS))
    return hashlib.blake2b("\0".join(told).encode(), digest_size=8).hexdigest()


_DIALECTS: Final = (sqlite.dialect, postgresql.dialect)

RENDERED_BY: Final = _rendered_by()
"""Which code writes an asset: the same as long as it would write the same. A document of any other is not given."""


class Document(NamedTuple):
    """An asset as it is answered, without its children."""

    content: bytes
    """JSON."""
    digest: str
    """Of the content: 64 bits as sixteen digits."""


def document_of(row: Sequence[Any]) -> Document:
    """A row of `answer_columns` as it is answered."""
    content = orjson.dumps(_values_of(row))
    return Document(content, hashlib.blake2b(content, digest_size=8).hexdigest())


class WrittenAsset:
    """An asset of which nothing but its document is known, or with that its revision and the digest of the document.

    A `View[MetadataAsset]` for who writes answers.
    """

    __slots__ = ("_content", "_digest", "_revision")

    def __init__(self, content: bytes, *, digest: str | None = None, revision: int | None = None) -> None:
        self._content, self._digest, self._revision = content, digest, revision

    def json_bytes(self) -> bytes:
        """The asset as JSON."""
        return self._content

    def resource(self) -> MetadataAsset:
        """The asset as the resource that it stands for."""
        return MetadataAsset.model_validate_json(self._content)


class HotStatement:
    """A select that is compiled once for each kind of store and answers with the driver's own rows.

    Building and recognising a statement costs SQLAlchemy ten times what a read of one asset costs the store.
    """

    def __init__(self, select: sa.Select[Any]) -> None:
        self._select = select
        self._compiled: dict[str, tuple[str, dict[str, Any], list[str] | None]] = {}

    def rows(self, connection: sa.Connection, *, binary: bool = False, **values: str | None) -> list[Sequence[Any]]:
        """The rows for the given values of the statement's `bindparam`s; `binary` is better where they hold bytes."""
        text, given = self._spelled(connection.dialect, values)
        return driver_rows(connection, text, given, binary=binary)

    async def glanced(self, database: Database, *, binary: bool = False, **values: str | None) -> list[Sequence[Any]]:
        """The rows without a unit of work, for a statement that finds few by a key. Raises DatabaseError."""
        return await database.glance(*self._spelled(database.sync_engines[0].dialect, values), binary=binary)

    def _spelled(self, dialect: sa.Dialect, values: Mapping[str, Any]) -> tuple[str, Values]:
        if dialect.name not in self._compiled:
            made = self._select.compile(dialect=dialect)
            order = list(made.positiontup) if made.positional and made.positiontup is not None else None
            self._compiled[dialect.name] = (str(made), dict(made.params), order)
        text, defaults, order = self._compiled[dialect.name]
        named = {**defaults, **values}
        return text, named if order is None else tuple([named[name] for name in order])


def driver_rows(
    connection: sa.Connection, text: str, values: Mapping[str, Any] | tuple[Any, ...], *, binary: bool = False
) -> list[Any]:
    """The rows that the driver itself gives for a statement, inside of the unit of work that the connection is in.

    What SQLAlchemy makes of each result (a description of its columns, of which an asset has 46, and their names in
    three spellings) costs as much as PostgreSQL's answer about one asset. Who listens to statements hears this one too,
    and a failure is told as any other: for both, the statement goes the usual way.
    """
    heard = connection.dispatch.before_cursor_execute or connection.engine.dispatch.before_cursor_execute
    if not heard:
        if connection.dialect.name == "sqlite" and not connection.in_transaction():
            connection.begin()  # the statements of one unit see one state of the store
        driver: Any = connection.connection.driver_connection
        try:
            if connection.dialect.is_async:
                rows: list[Any] = await_only(_fetched(driver, text, values, binary))
                return rows
            return list(driver.execute(text, values).fetchall())
        except connection.dialect.loaded_dbapi.Error:
            pass
    result = connection.exec_driver_sql(text, cast("Any", values))
    cursor = result.cursor
    assert cursor is not None
    found = list(cursor.fetchall())
    result.close()
    return found


async def _fetched(driver: Any, text: str, values: Any, binary: bool) -> Any:
    cursor = await driver.execute(text, values, binary=binary)
    return await cursor.fetchall()


class AssetView:
    """One asset as its row, with the children that were asked for: each a view, or all as documents to be written.

    A `View[MetadataAsset]`.
    """

    __slots__ = ("_children", "_documents", "_row", "undocumented")

    __plan_reads__: ClassVar[Mapping[str, Read]]
    __plan_row__: ClassVar[str]

    def __init__(
        self,
        row: Sequence[Any],
        children: "list[AssetView] | None" = None,
        *,
        documents: Sequence[Document] | None = None,
        undocumented: Sequence[int] = (),
    ) -> None:
        self._row = row
        self._children = children
        self._documents = documents
        self.undocumented = undocumented
        """The rows of those children that the store had no document of."""

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> "AssetView":
        """An old version as it was stored."""
        row: list[Any] = [document.get(name) for name in NAMES]
        for name in _JSON_FIELDS:
            at = _INDEX[name]
            row[at] = None if row[at] is None else orjson.dumps(row[at]).decode()
        return cls([*row, None])

    @property
    def row(self) -> Sequence[Any]:
        """The asset as it was read."""
        return self._row

    def values(self) -> dict[str, Any]:
        """Names and JSON-ready values in the resource's order; JSON columns are ready-made fragments."""
        values = _values_of(self._row)
        if self._documents is not None:
            values["children"] = orjson.Fragment(b"[%b]" % b",".join([child.content for child in self._documents]))
        elif self._children is not None:
            values["children"] = [_values_of(child._row) for child in self._children]
        return values

    def json_bytes(self) -> bytes:
        """The asset as JSON."""
        if self._documents:
            return self._joined(self._documents)
        return orjson.dumps(self.values())

    def _joined(self, documents: Sequence[Document]) -> bytes:
        """The same with the children in their place, each byte of theirs copied once."""
        own = list(_values_of(self._row).items())
        before, after = dict(own[:_CHILDREN_AT]), dict(own[_CHILDREN_AT + 1 :])
        children = [child.content for child in documents]
        children[0] = b'%b,"children":[%b' % (orjson.dumps(before)[:-1], children[0])
        children[-1] = b"%b],%b" % (children[-1], orjson.dumps(after)[1:])
        return b",".join(children)

    def document(self) -> dict[str, Any]:
        """The asset as plain values, as a version keeps it."""
        document: dict[str, Any] = orjson.loads(self.json_bytes())
        return document

    def resource(self) -> MetadataAsset:
        """The asset as the resource that it stands for."""
        made = MetadataAsset.model_validate_json(self.json_bytes())
        made._revision = self._revision
        return made

    @property
    def _revision(self) -> int | None:
        revision: int | None = self._row[-1]
        return revision

    @property
    def _told_by(self) -> bytes | None:
        """Return what tells the answer from every other one and is shorter; None where there is no such thing."""
        if self._documents is None:
            return None
        return orjson.dumps(_values_of(self._row)) + "".join([child.digest for child in self._documents]).encode()

    @property
    def children(self) -> "list[AssetView] | None":
        """The direct children, or None when they were not asked for."""
        if self._children is None and self._documents is not None:
            self._children = [AssetView.of_document(orjson.loads(child.content)) for child in self._documents]
        return self._children

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """A field of the asset, with the type that the resource gives it."""

    def __repr__(self) -> str:
        return f"<AssetView {self.fully_qualified_name!r} {self.version}>"


@lru_cache(4096)
def _moment(text: str) -> datetime:
    """Read a moment; what was taken in together has the same ones."""
    return datetime.fromisoformat(text)


_TYPES: Final = {kind.value: kind for kind in AssetType}


_READ: Final[dict[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(_JSON_FIELDS, orjson.loads),
    **dict.fromkeys(_MOMENT_FIELDS, _moment),
    **dict.fromkeys(_FLAG_FIELDS, bool),
    "type": _TYPES.__getitem__,
    "owners": lambda text: [AssetOwner.model_validate(owner) for owner in orjson.loads(text)],
    "tags": lambda text: [AssetTag.model_validate(tag) for tag in orjson.loads(text)],
    "change_description": ChangeDescription.model_validate_json,
}


def _reader(name: str) -> property:
    """One field of an asset as an attribute; ten thousand of them are read for a large answer of the graph."""
    at, read = _INDEX[name], _READ.get(name)
    if read is None:
        return property(lambda view: view._row[at])
    return property(lambda view: None if (value := view._row[at]) is None else read(value))


for _name in NAMES:
    if not hasattr(AssetView, _name):
        setattr(AssetView, _name, _reader(_name))


_READS: Final = {
    name: Read(f"None if r[{at}] is None else r[{at}] == 1")
    if name in _FLAG_FIELDS
    else Read(f"r[{at}] and r[{at}].replace('.000000Z', 'Z')", "DateTime")
    if name in _MOMENT_FIELDS
    else Read(f"r[{at}]", ENUM if name == "type" else None)
    for at, name in enumerate(NAMES)
    if name in (*_FLAG_FIELDS, *_MOMENT_FIELDS, "type") or (name not in _READ and name != "children")
}
AssetView.__plan_reads__, AssetView.__plan_row__ = _READS, "_row"


@lru_cache(256)
def narrow_view(names: frozenset[str]) -> tuple[type[AssetView], tuple[sa.ColumnElement[Any], ...]]:
    """Views that have some of an asset's fields, and what a select must ask for so that its rows are such.

    Their rows are as wide as any, with nulls; any other field raises AttributeError.
    """
    columns = [
        column if name in names else sa.null().label(f"a{at}")
        for at, (name, column) in enumerate(zip(NAMES, answer_columns, strict=False))
    ]
    hidden = {name: property(partial(_not_read, name)) for name in NAMES if name not in names and name != "children"}
    reads = {name: read for name, read in _READS.items() if name in names}
    body = {"__slots__": (), **hidden, "__plan_reads__": reads}
    return type("NarrowAssetView", (AssetView,), body), (*columns, answer_columns[-1])


def _not_read(name: str, _view: AssetView) -> Any:
    raise AttributeError(f"{name} was not read")

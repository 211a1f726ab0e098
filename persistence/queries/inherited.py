"""What an asset has from what it is in: owners and a level of sensitivity, the nearest first, and from where."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.metadata_search import in_scope
from persistence.queries.workflows import ancestry
from persistence.repository import Scope
from persistence.tables.catalog import metadata_assets
from schema.data_readiness.classification import CATEGORIES, ClassificationKind

_LEVELS: Final = CATEGORIES[ClassificationKind.SENSITIVITY]


@dataclass(frozen=True, slots=True)
class Inherited:
    """Holds who answers for an asset and how sensitive it is, each with the asset that says so."""

    owners: Sequence[Mapping[str, Any]] = ()
    owners_from: str | None = None
    level: str | None = None
    level_from: str | None = None


def inherited(connection: sa.Connection, scope: Scope, fqns: Iterable[str]) -> dict[str, Inherited]:
    """Return what each of some assets has, of its own or from the nearest thing that it is in; one statement."""
    lines = {fqn: ancestry(fqn) for fqn in fqns}
    asset = metadata_assets.c
    said: dict[str, tuple[Sequence[Mapping[str, Any]], str | None]] = {}
    for some in chunks(sorted({name for line in lines.values() for name in line})):
        query = sa.select(asset.fully_qualified_name, asset.owners, asset.tags).where(
            *in_scope(scope), asset.deleted_at.is_(None), asset.fully_qualified_name.in_(some)
        )
        for name, owners, tags in connection.execute(query):
            levels = [tag["tag_fqn"] for tag in tags or () if tag.get("category_name") == _LEVELS]
            said[name] = (owners or (), levels[0] if levels else None)
    return {fqn: _nearest(line[::-1], said) for fqn, line in lines.items()}


def _nearest(line: Sequence[str], said: Mapping[str, tuple[Sequence[Mapping[str, Any]], str | None]]) -> Inherited:
    known = [(name, *said[name]) for name in line if name in said]
    owned = next(((name, owners) for name, owners, _ in known if owners), (None, ()))
    level = next(((name, level) for name, _, level in known if level), (None, None))
    return Inherited(owned[1], owned[0], level[1], level[0])

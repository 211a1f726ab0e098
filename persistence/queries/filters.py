"""Conditions that lists of several resources have in common."""

from datetime import datetime

import orjson
import sqlalchemy as sa

from schema.identifiers import Fqn


def with_text(text: str | None, *columns: sa.ColumnElement[str]) -> list[sa.ColumnElement[bool]]:
    """The condition that one of the columns has a text in it, whatever its case; none without a text."""
    return [sa.or_(*[column.icontains(text, autoescape=True) for column in columns])] if text else []


def with_tags(tags: str | None, column: sa.ColumnElement[object]) -> list[sa.ColumnElement[bool]]:
    """The conditions that a list of tags has every one of some comma-separated tags."""
    # Tags are JSON text of a list; a quoted tag is matched whole.
    text = sa.cast(column, sa.Text)
    named = filter(None, (tag.strip() for tag in (tags or "").split(",")))
    return [text.contains(orjson.dumps(tag).decode(), autoescape=True) for tag in named]


def in_window(
    column: sa.ColumnElement[datetime], since: datetime | None, until: datetime | None
) -> list[sa.ColumnElement[bool]]:
    """The conditions of a moment from one on and before another; none for an end that is left open."""
    return [*([] if since is None else [column >= since]), *([] if until is None else [column < until])]


def at_or_under(column: sa.ColumnElement[str], name: str) -> list[sa.ColumnElement[bool]]:
    """The condition of an asset and all below it, of dotted names in whatever order the store keeps them."""
    below = f"{Fqn.parse(name)}."
    return [sa.or_(column == below[:-1], sa.func.substr(column, 1, len(below)) == below)]


def is_like(column: sa.ColumnElement[str], pattern: str) -> sa.ColumnElement[bool]:
    """The condition that a whole text fits a pattern in which `*` stands for anything, whatever its case."""
    escaped = pattern.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_").replace("*", "%")
    return column.ilike(escaped, escape="\\")

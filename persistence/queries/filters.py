"""Conditions that lists of several resources have in common."""

import orjson
import sqlalchemy as sa


def with_text(text: str | None, *columns: sa.ColumnElement[str]) -> list[sa.ColumnElement[bool]]:
    """The condition that one of the columns has a text in it, whatever its case; none without a text."""
    return [sa.or_(*[column.icontains(text, autoescape=True) for column in columns])] if text else []


def with_tags(tags: str | None, column: sa.ColumnElement[object]) -> list[sa.ColumnElement[bool]]:
    """The conditions that a list of tags has every one of some comma-separated tags."""
    # Tags are JSON text of a list; a quoted tag is matched whole.
    text = sa.cast(column, sa.Text)
    named = filter(None, (tag.strip() for tag in (tags or "").split(",")))
    return [text.contains(orjson.dumps(tag).decode(), autoescape=True) for tag in named]

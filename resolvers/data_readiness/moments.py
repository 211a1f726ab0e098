"""Moments to look back to: one that has not come yet is refused, for its answer could still change."""

from datetime import datetime

from resolvers.context import Context
from schema.errors import InvalidParameter, ValidationError
from schema.pagination import in_utc

_MESSAGE = "as_of lies in the future. Name a moment that has passed, or leave it out for now."


def past(ctx: Context, as_of: datetime | None) -> datetime | None:
    """The moment that a parameter names, in UTC. Raises InvalidParameter for one in the future."""
    at = None if as_of is None else in_utc(as_of)
    if at is not None and at > ctx.now():
        raise InvalidParameter(_MESSAGE, field="as_of")
    return at


def past_in_body(ctx: Context, as_of: datetime | None) -> datetime | None:
    """The moment that a body names, in UTC. Raises ValidationError (422) for one in the future."""
    try:
        return past(ctx, as_of)
    except InvalidParameter:
        raise ValidationError(_MESSAGE, status=422, field="as_of") from None

"""A report is a page about an asset's quality, kept as an artifact."""

from typing import Annotated

from pydantic import Field

from schema.base import Change, change
from schema.grammar import UP_TO_TABLE
from schema.naming import Name
from schema.pagination import Moment


@change
class ReportCreate(Change):
    """What a report is about."""

    asset_fqn: Annotated[
        str,
        Field(min_length=1, max_length=2000, description="Dotted service[.database[.schema[.table]]]."),
        UP_TO_TABLE,
    ]
    as_of: (
        Annotated[
            Moment, Field(description="Figures, rules and violations as they stood then; without a zone it is UTC.")
        ]
        | None
    ) = None
    name: Annotated[Name, Field(description="The artifact's name; made of asset_fqn.")] | None = None

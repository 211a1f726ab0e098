"""What the graph offers of Utils: one line per field."""

import strawberry

from resolvers.utils.metadata import create_metadata, delete_metadata, get_metadata, search_metadata, update_metadata
from schema.door import connects, opens
from schema.governance.permission import Done
from schema.pagination import Connection, Page
from schema.utils.metadata_asset import MetadataAsset


@strawberry.type(name="Query")
class UtilsQuery:
    """What can be read of Utils."""

    search_metadata_connection: Connection[MetadataAsset] = connects(search_metadata)
    search_metadata: Page[MetadataAsset] = opens(search_metadata)
    metadata: MetadataAsset = opens(get_metadata)


@strawberry.type(name="Mutation")
class UtilsMutation:
    """What can be changed of Utils."""

    create_metadata: MetadataAsset = opens(create_metadata)
    update_metadata: MetadataAsset = opens(update_metadata)
    delete_metadata: Done = opens(delete_metadata)

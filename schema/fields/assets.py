"""What the graph offers of Assets: one line per field."""

import strawberry

from resolvers.assets.data_connections import (
    create_data_connection,
    get_data_connection,
    get_data_connection_secret,
    list_data_connections,
    update_data_connection,
    verify_data_connection,
)
from resolvers.assets.models import verify_model
from schema.assets.data_connection import ConnectionSecret, ConnectionVerification, DataConnection
from schema.assets.model_check import ModelVerification
from schema.door import connects, opens
from schema.pagination import Connection, Page


@strawberry.type(name="Query")
class AssetsQuery:
    """What can be read of Assets."""

    data_connections: Page[DataConnection] = opens(list_data_connections)
    data_connections_connection: Connection[DataConnection] = connects(list_data_connections)
    data_connection: DataConnection = opens(get_data_connection)
    data_connection_secret: ConnectionSecret = opens(get_data_connection_secret)


@strawberry.type(name="Mutation")
class AssetsMutation:
    """What can be changed of Assets."""

    create_data_connection: DataConnection = opens(create_data_connection)
    update_data_connection: DataConnection = opens(update_data_connection)
    verify_data_connection: ConnectionVerification = opens(verify_data_connection)
    verify_model: ModelVerification = opens(verify_model)

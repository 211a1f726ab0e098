"""Defines what the graph offers of Assets: one line per field."""

import strawberry

from resolvers.assets.artifacts import (
    create_artifact,
    delete_artifact,
    download_artifact,
    get_artifact,
    list_artifacts,
    preview_artifact,
)
from resolvers.assets.connection_removal import delete_data_connection
from resolvers.assets.data_connections import (
    create_data_connection,
    get_data_connection,
    get_data_connection_secret,
    list_data_connections,
    update_data_connection,
    verify_data_connection,
)
from resolvers.assets.files import delete_file, download_file, get_file, list_files, update_file, upload_file
from resolvers.assets.models import verify_model
from resolvers.assets.registered_servers import (
    create_registered_server,
    delete_registered_server,
    get_registered_server,
    list_registered_servers,
    update_registered_server,
)
from resolvers.assets.server_calls import call_registered_server, list_registered_server_calls
from resolvers.assets.server_tools import (
    approve_registered_server_tools,
    list_registered_server_tools,
    verify_registered_server,
)
from schema.assets.artifact import Artifact, ArtifactPreview
from schema.assets.data_connection import ConnectionSecret, ConnectionVerification, DataConnection
from schema.assets.file import Deleted, File, FileUploaded
from schema.assets.model_check import ModelVerification
from schema.assets.registered_server import (
    RegisteredServer,
    ServerAnswer,
    ServerCall,
    ServerTool,
    ServerVerification,
)
from schema.content import Download
from schema.door import connects, opens
from schema.pagination import Connection, Page


@strawberry.type(name="Query")
class AssetsQuery:
    """What can be read of Assets."""

    data_connections: Page[DataConnection] = opens(list_data_connections)
    data_connections_connection: Connection[DataConnection] = connects(list_data_connections)
    data_connection: DataConnection = opens(get_data_connection)
    data_connection_secret: ConnectionSecret = opens(get_data_connection_secret)
    files: Page[File] = opens(list_files)
    files_connection: Connection[File] = connects(list_files)
    file: File = opens(get_file)
    file_download: Download = opens(download_file)
    artifacts: Page[Artifact] = opens(list_artifacts)
    artifacts_connection: Connection[Artifact] = connects(list_artifacts)
    artifact: Artifact = opens(get_artifact)
    artifact_preview: ArtifactPreview = opens(preview_artifact)
    artifact_download: Download = opens(download_artifact)
    registered_servers: Page[RegisteredServer] = opens(list_registered_servers)
    registered_servers_connection: Connection[RegisteredServer] = connects(list_registered_servers)
    registered_server: RegisteredServer = opens(get_registered_server)
    registered_server_tools: Page[ServerTool] = opens(list_registered_server_tools)
    registered_server_tools_connection: Connection[ServerTool] = connects(list_registered_server_tools)
    registered_server_calls: Page[ServerCall] = opens(list_registered_server_calls)
    registered_server_calls_connection: Connection[ServerCall] = connects(list_registered_server_calls)


@strawberry.type(name="Mutation")
class AssetsMutation:
    """What can be changed of Assets."""

    create_data_connection: DataConnection = opens(create_data_connection)
    update_data_connection: DataConnection = opens(update_data_connection)
    delete_data_connection: Deleted = opens(delete_data_connection)
    verify_data_connection: ConnectionVerification = opens(verify_data_connection)
    verify_model: ModelVerification = opens(verify_model)
    upload_file: FileUploaded = opens(upload_file)
    update_file: File = opens(update_file)
    delete_file: Deleted = opens(delete_file)
    create_artifact: Artifact = opens(create_artifact)
    delete_artifact: Deleted = opens(delete_artifact)
    create_registered_server: RegisteredServer = opens(create_registered_server)
    update_registered_server: RegisteredServer = opens(update_registered_server)
    delete_registered_server: Deleted = opens(delete_registered_server)
    verify_registered_server: ServerVerification = opens(verify_registered_server)
    approve_registered_server_tools: RegisteredServer = opens(approve_registered_server_tools)
    call_registered_server: ServerAnswer = opens(call_registered_server)

"""Every path under /assets. Additions to the contract are marked."""

from resolvers.assets import (
    artifacts,
    connection_removal,
    data_connections,
    files,
    models,
    registered_servers,
    server_calls,
    server_tools,
)
from rest_compat.door import Door
from rest_compat.envelopes import PageLimitList

assets = Door("/assets", tag="Assets")

assets.post("/data", data_connections.create_data_connection)
assets.get("/data", data_connections.list_data_connections, envelope=PageLimitList)  # addition
assets.get("/data/{resource_uri}", data_connections.get_data_connection)
assets.put("/data/{resource_uri}", data_connections.update_data_connection)
assets.delete("/data/{resource_uri}", connection_removal.delete_data_connection)  # addition
assets.post("/data/{resource_uri}/verify", data_connections.verify_data_connection, status=200)
assets.get("/data/{resource_uri}/secret", data_connections.get_data_connection_secret)

assets.upload("/files", files.upload_file)
assets.get("/files", files.list_files, envelope=PageLimitList)  # addition
assets.get("/files/{resource_uri}", files.get_file)
assets.put("/files/{resource_uri}", files.update_file)  # addition
assets.delete("/files/{resource_uri}", files.delete_file)  # addition
assets.download("/files/{resource_uri}/download", files.download_file)

assets.post("/artifacts", artifacts.create_artifact)
assets.get("/artifacts", artifacts.list_artifacts, envelope=PageLimitList)  # addition
assets.get("/artifacts/{resource_uri}", artifacts.get_artifact)
assets.delete("/artifacts/{resource_uri}", artifacts.delete_artifact)  # addition
assets.get("/artifacts/{resource_uri}/preview", artifacts.preview_artifact)
assets.download("/artifacts/{resource_uri}/download", artifacts.download_artifact)
assets.post("/models/verify", models.verify_model, status=200)

_server = "/servers/{resource_uri}"
assets.post("/servers", registered_servers.create_registered_server)  # addition
assets.get("/servers", registered_servers.list_registered_servers, envelope=PageLimitList)  # addition
assets.get(_server, registered_servers.get_registered_server)  # addition
assets.put(_server, registered_servers.update_registered_server)  # addition
assets.delete(_server, registered_servers.delete_registered_server)  # addition
assets.post(_server + "/verify", server_tools.verify_registered_server, status=200)  # addition
assets.get(_server + "/tools", server_tools.list_registered_server_tools, envelope=PageLimitList)  # addition
assets.put(_server + "/approval", server_tools.approve_registered_server_tools)  # addition
assets.post(_server + "/calls", server_calls.call_registered_server, status=200)  # addition
assets.get(_server + "/calls", server_calls.list_registered_server_calls, envelope=PageLimitList)  # addition

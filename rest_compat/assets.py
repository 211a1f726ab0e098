"""Every path under /assets. Additions to the contract are marked."""

from resolvers.assets import artifacts, connection_removal, data_connections, files, models
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

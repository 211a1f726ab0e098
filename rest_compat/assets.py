"""Every path under /assets. Additions to the contract are marked."""

from resolvers.assets import data_connections, models
from rest_compat.door import Door
from rest_compat.envelopes import PageLimitList

assets = Door("/assets", tag="Assets")

assets.post("/data", data_connections.create_data_connection)
assets.get("/data", data_connections.list_data_connections, envelope=PageLimitList)  # addition
assets.get("/data/{resource_uri}", data_connections.get_data_connection)
assets.put("/data/{resource_uri}", data_connections.update_data_connection)
assets.post("/data/{resource_uri}/verify", data_connections.verify_data_connection, status=200)
assets.get("/data/{resource_uri}/secret", data_connections.get_data_connection_secret)
assets.post("/models/verify", models.verify_model, status=200)

"""Every path under /utils. Additions to the contract are marked."""

from resolvers.utils import metadata
from rest_compat.door import Door
from rest_compat.envelopes import OffsetResults

utils = Door("/utils", tag="Utils")

_metadata = "/{resource_type}/{resource_uri}/metadata"
utils.get("/search/metadata", metadata.search_metadata, envelope=OffsetResults, project="required")
utils.get(_metadata, metadata.get_metadata, project="required")
utils.post(_metadata, metadata.create_metadata, project="required")
utils.put(_metadata, metadata.update_metadata, project="required")
utils.delete(_metadata, metadata.delete_metadata, project="required")

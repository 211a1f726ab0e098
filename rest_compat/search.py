"""Every path under /search. Additions to the contract are marked."""

from resolvers.search import bulk
from rest_compat.door import Door
from rest_compat.envelopes import OffsetResults

search = Door("/search", tag="Search")

search.post("/bulk/index", bulk.index_entities, status=202)
search.post("/bulk/delete", bulk.delete_entities, status=202)
search.get("/entities", bulk.search_entities, envelope=OffsetResults)  # addition

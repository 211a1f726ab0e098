"""Defines what the graph offers of Search: one line per field."""

import strawberry

from resolvers.search import bulk
from schema.door import connects, opens
from schema.pagination import Connection, Page
from schema.search.entity import Accepted, SearchHit


@strawberry.type(name="Query")
class SearchQuery:
    """What can be read of Search."""

    search_entities_connection: Connection[SearchHit] = connects(bulk.search_entities)
    search_entities: Page[SearchHit] = opens(bulk.search_entities)


@strawberry.type(name="Mutation")
class SearchMutation:
    """What can be changed of Search."""

    index_entities: Accepted = opens(bulk.index_entities)
    delete_entities: Accepted = opens(bulk.delete_entities)

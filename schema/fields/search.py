"""What the graph offers of Search: one line per field."""

import strawberry

from resolvers.search.bulk import delete_entities, index_entities, search_entities
from schema.door import connects, opens
from schema.pagination import Connection, Page
from schema.search.entity import Accepted, SearchHit


@strawberry.type(name="Query")
class SearchQuery:
    """What can be read of Search."""

    search_entities_connection: Connection[SearchHit] = connects(search_entities)
    search_entities: Page[SearchHit] = opens(search_entities)


@strawberry.type(name="Mutation")
class SearchMutation:
    """What can be changed of Search."""

    index_entities: Accepted = opens(index_entities)
    delete_entities: Accepted = opens(delete_entities)

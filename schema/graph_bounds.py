"""The bounds of a GraphQL request, as a deployment sets them, and what a request may say about itself."""

from typing import Final

from pydantic import BaseModel, Field

ON_ERROR: Final = "onError"
"""Which of the `extensions` of a request says what becomes of the neighbours of what fails."""
NULLS: Final = "NULL"
"""What fails is null where it stands, whatever its type says, and its neighbours are answered."""
PROPAGATES: Final = "PROPAGATE"
"""As the specification has it: what may not be null makes what it is in null. So it is where nothing is said."""


class GraphSettings(BaseModel):
    """Bounds on the graph; on by default."""

    graphql_max_depth: int = Field(15, ge=1, description="How deep a GraphQL query may nest.")
    graphql_max_aliases: int = Field(30, ge=0, description="How many aliases a GraphQL query may use.")
    graphql_max_tokens: int = Field(2000, ge=50, description="How many tokens a GraphQL query may have.")
    graphql_max_document: int = Field(
        100_000, ge=1000, description="How many characters the text of a GraphQL query may have."
    )
    graphql_max_answer_bytes: int = Field(
        16_777_216,
        ge=10_000,
        description="How large an answer of the graph, or one event of a stream, may be, in bytes.",
    )
    graphql_max_root_fields: int = Field(20, ge=1, description="How many operations one GraphQL request may call.")
    graphql_max_nodes: int = Field(
        100_000, ge=1, description="How many objects a GraphQL answer may be expected to hold."
    )
    graphql_max_cost: int = Field(
        200_000, ge=1, description="What a GraphQL request may be expected to cost: objects, and edges followed."
    )
    graphql_introspection: bool = Field(True, description="Whether clients may ask the graph for its schema.")
    graphql_persisted_queries: int = Field(
        1000, ge=1, le=1_000_000, description="Queries kept in memory for clients that send their hash alone."
    )
    graphql_trusted_documents: str | None = Field(
        None, description="A JSON file of hash and document: the queries that clients may name by their hash."
    )
    graphql_trusted_only: bool = Field(False, description="Whether every other query than the trusted is refused.")
    graphql_cache_size: int = Field(256, ge=1, description="Parsed and validated queries kept in memory.")

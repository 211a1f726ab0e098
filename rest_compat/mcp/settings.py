"""The settings of the door for agents."""

from pydantic import BaseModel, Field


class McpSettings(BaseModel):
    """The door for agents, /mcp."""

    mcp_answer_bytes: int = Field(
        25_000,
        ge=2_000,
        le=10_000_000,
        description="How much of an answer one call at /mcp gives, in bytes; the rest is had by its cursor.",
    )
    mcp_url: str | None = Field(
        None,
        pattern=r"^https?://[^\s/?#@]+$",
        description="The origin under which callers reach /mcp, such as https://stoa.example.com; unset: what the "
        "request names.",
    )

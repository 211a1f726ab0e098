"""Defines how answering questions is bounded."""

from pydantic import BaseModel, Field


class TurnSettings(BaseModel):
    """How long answers may take, and how much of a source they may bring."""

    turn_seconds: float = Field(600.0, gt=0, le=86_400, description="How long answering one question may take.")
    turn_statement_seconds: float = Field(
        120.0, gt=0, le=86_400, description="How long one statement of an answer may run in a source."
    )
    turn_replay_seconds: float = Field(
        120.0, gt=0, le=3600, description="How long asking an old question again may take, the old query included."
    )
    turn_reading_seconds: float = Field(
        2.0,
        ge=0,
        le=60,
        description="How long counting what each reading of a question back would give may take, all together; 0 "
        "counts none.",
    )
    turn_rows: int = Field(10_000, ge=1, le=100_000, description="How many rows an answer may have; more are cut off.")
    turn_bytes: int = Field(
        32 << 20, ge=1 << 16, le=1 << 30, description="How many bytes the rows of an answer may have; more are cut off."
    )
    turn_mask_restricted: bool = Field(
        True,
        description="Whether answers mask the cells of the most sensitive columns until a policy shows them: secrets, "
        "passwords, national and health identifiers.",
    )

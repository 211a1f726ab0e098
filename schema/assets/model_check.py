"""The check of a language model's credentials before they are saved (contract 2.10)."""

from typing import Annotated

from pydantic import Field

from schema.base import Change, JsonObject, Resource, change, resource


@change
class ModelVerify(Change):
    """A model to try. The credentials are used for one call and kept nowhere."""

    llm_model: Annotated[
        str, Field(min_length=1, max_length=500, description="The model, as `provider/model` or by its bare name.")
    ]
    credentials: JsonObject = Field(
        description="What the provider asks for: `{api_key}`; `{}` where it asks nothing.",
        json_schema_extra={"writeOnly": True},
    )
    provider: (
        Annotated[str, Field(max_length=100, description="The provider, when `llm_model` does not name it.")] | None
    ) = None
    api_base: (
        Annotated[str, Field(max_length=1000, description="The address of the API, when it is not the provider's own.")]
        | None
    ) = None
    api_version: Annotated[str, Field(max_length=50, description="The version of the API; Azure needs it.")] | None = (
        None
    )


@resource
class ModelVerification(Resource):
    """What the trial call found; a refusal by the provider is an answer too."""

    verified: bool
    message: str
    latency_ms: float | None = Field(description="How long the provider took to answer; null when it did not.")

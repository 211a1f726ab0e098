"""Operations on language models: try credentials before they are saved."""

import time

from auth.rate_limit import CallKind
from persistence.language_models.providers import Message, ModelAddress, ModelError
from resolvers.context import Context
from resolvers.operation import operation
from schema.assets.model_check import ModelVerification, ModelVerify
from schema.governance.permission import Permission


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def verify_model(ctx: Context, *, model: ModelVerify) -> ModelVerification:
    """Make one call of a single token with the given credentials, which are kept nowhere.

    The provider is named by `provider` or by the first part of `llm_model`: openai, openai_like, ollama, vllm, mistral,
    groq, deepseek, gemini, azure or anthropic. Whatever hinders the call is told as `verified: false` with a message,
    an address that the deployment does not reach included.
    """
    address = ModelAddress(model.llm_model, model.provider, model.api_base, model.api_version)
    started = time.perf_counter()
    try:
        chat = ctx.services.models.chat(address, model.credentials)
        started = time.perf_counter()
        await chat.complete([Message("user", "Hi")], max_tokens=1)
    except ModelError as failure:
        return ModelVerification(verified=False, message=str(failure), latency_ms=None)
    latency = round((time.perf_counter() - started) * 1000, 2)
    return ModelVerification(verified=True, message="The model answered.", latency_ms=latency)

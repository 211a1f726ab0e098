"""`stoa serve` with an engine that answers slowly: what the tests kill in the middle."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Sequence

from resolvers.context import Context
from resolvers.talk2data.answering.port import AnswerEvent, Question
from rest_compat.app import create_app
from rest_compat.server import Server
from rest_compat.settings import Settings
from schema.talk2data.turn_event import TurnEventType

WORDS = 60
LEISURELY = "Take your time: how many?"
"""A question whose answer goes on for longer than anybody watches."""


class SlowEngine:
    """Tells one word after the other; it goes on after what it told before."""

    name = "slow"

    async def answer(
        self, ctx: Context, question: Question, told: Sequence[AnswerEvent]
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Answer."""
        words, pause = (5_000, 0.2) if question.message == LEISURELY else (WORDS, 0.03)
        for number in range(len(told), words):
            await asyncio.sleep(pause)
            yield AnswerEvent(TurnEventType.MESSAGE_DELTA, {"delta": f"w{number} "})


def main() -> None:
    """Serve until a signal."""
    settings = Settings(port=int(sys.argv[sys.argv.index("--port") + 1]))
    Server(create_app(settings, turn_engine=SlowEngine()), settings, None).run()


if __name__ == "__main__":
    main()

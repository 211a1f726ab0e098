"""What the graph offers of Talk2Data: one line per field."""

import strawberry

from resolvers.talk2data.feedback import submit_turn_feedback
from resolvers.talk2data.sessions import (
    create_chat_session,
    delete_chat_session,
    get_chat_session,
    list_chat_sessions,
    update_chat_session,
)
from resolvers.talk2data.streaming import stream_turn
from resolvers.talk2data.turns import cancel_task, create_turn, get_turn, list_turn_artifacts, list_turns
from schema.door import connects, follows, opens
from schema.governance.permission import Done
from schema.pagination import Connection, Page
from schema.talk2data.feedback import TurnFeedback
from schema.talk2data.session import ChatSession
from schema.talk2data.turn import CanceledTask, StartedTurn, Turn, TurnArtifact


@strawberry.type(name="Query")
class Talk2DataQuery:
    """What can be read of Talk2Data."""

    chat_sessions: Page[ChatSession] = opens(list_chat_sessions)
    chat_sessions_connection: Connection[ChatSession] = connects(list_chat_sessions)
    chat_session: ChatSession = opens(get_chat_session)
    turns: Page[Turn] = opens(list_turns)
    turns_connection: Connection[Turn] = connects(list_turns)
    turn: Turn = opens(get_turn)
    turn_artifacts: Page[TurnArtifact] = opens(list_turn_artifacts)
    turn_artifacts_connection: Connection[TurnArtifact] = connects(list_turn_artifacts)


@strawberry.type(name="Mutation")
class Talk2DataMutation:
    """What can be changed of Talk2Data."""

    create_chat_session: ChatSession = opens(create_chat_session)
    update_chat_session: ChatSession = opens(update_chat_session)
    delete_chat_session: Done = opens(delete_chat_session)
    create_turn: StartedTurn = opens(create_turn)
    submit_turn_feedback: TurnFeedback = opens(submit_turn_feedback)
    cancel_task: CanceledTask = opens(cancel_task)


@strawberry.type(name="Subscription")
class Talk2DataSubscription:
    """What can be followed of Talk2Data."""

    turn_events = follows(stream_turn)

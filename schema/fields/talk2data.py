"""Defines what the graph offers of Talk2Data: one line per field."""

import strawberry

from resolvers.talk2data.answer_notes import get_answer_note, list_answer_notes, update_answer_note
from resolvers.talk2data.answering.learning import correct_turn
from resolvers.talk2data.benchmarks import (
    cancel_benchmark,
    create_benchmark,
    delete_benchmark,
    get_benchmark,
    list_benchmark_results,
    list_benchmarks,
)
from resolvers.talk2data.chat_settings import get_chat_settings, set_chat_settings
from resolvers.talk2data.feedback import submit_turn_feedback
from resolvers.talk2data.provenance import get_turn_provenance
from resolvers.talk2data.replay import replay_turn
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
from schema.talk2data.answer_note import AnswerNote
from schema.talk2data.benchmark import Benchmark, BenchmarkResult
from schema.talk2data.chat_settings import ChatSettings
from schema.talk2data.feedback import TurnFeedback
from schema.talk2data.provenance import TurnProvenance, TurnReplay
from schema.talk2data.session import ChatSession
from schema.talk2data.turn import CanceledTask, StartedTurn, Turn, TurnArtifact
from schema.utils.memory import Memory


@strawberry.type(name="Query")
class Talk2DataQuery:
    """What can be read of Talk2Data."""

    chat_sessions: Page[ChatSession] = opens(list_chat_sessions)
    chat_sessions_connection: Connection[ChatSession] = connects(list_chat_sessions)
    chat_session: ChatSession = opens(get_chat_session)
    turns: Page[Turn] = opens(list_turns)
    turns_connection: Connection[Turn] = connects(list_turns)
    turn: Turn = opens(get_turn)
    turn_provenance: TurnProvenance = opens(get_turn_provenance)
    turn_artifacts: Page[TurnArtifact] = opens(list_turn_artifacts)
    turn_artifacts_connection: Connection[TurnArtifact] = connects(list_turn_artifacts)
    chat_settings: ChatSettings = opens(get_chat_settings)
    answer_notes: Page[AnswerNote] = opens(list_answer_notes)
    answer_notes_connection: Connection[AnswerNote] = connects(list_answer_notes)
    answer_note: AnswerNote = opens(get_answer_note)
    benchmarks: Page[Benchmark] = opens(list_benchmarks)
    benchmarks_connection: Connection[Benchmark] = connects(list_benchmarks)
    benchmark: Benchmark = opens(get_benchmark)
    benchmark_results: Page[BenchmarkResult] = opens(list_benchmark_results)
    benchmark_results_connection: Connection[BenchmarkResult] = connects(list_benchmark_results)


@strawberry.type(name="Mutation")
class Talk2DataMutation:
    """What can be changed of Talk2Data."""

    create_chat_session: ChatSession = opens(create_chat_session)
    update_chat_session: ChatSession = opens(update_chat_session)
    delete_chat_session: Done = opens(delete_chat_session)
    create_turn: StartedTurn = opens(create_turn)
    replay_turn: TurnReplay = opens(replay_turn)
    submit_turn_feedback: TurnFeedback = opens(submit_turn_feedback)
    correct_turn: Memory = opens(correct_turn)
    cancel_task: CanceledTask = opens(cancel_task)
    set_chat_settings: ChatSettings = opens(set_chat_settings)
    update_answer_note: AnswerNote = opens(update_answer_note)
    create_benchmark: Benchmark = opens(create_benchmark)
    cancel_benchmark: Benchmark = opens(cancel_benchmark)
    delete_benchmark: Done = opens(delete_benchmark)


@strawberry.type(name="Subscription")
class Talk2DataSubscription:
    """What can be followed of Talk2Data."""

    turn_events = follows(stream_turn)

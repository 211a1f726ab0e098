"""Every path under /talk2data. Additions to the contract are marked."""

from resolvers.talk2data import (
    answer_notes,
    benchmarks,
    chat_settings,
    feedback,
    provenance,
    replay,
    sessions,
    streaming,
    turns,
)
from resolvers.talk2data.answering import learning
from rest_compat.door import Door
from rest_compat.envelopes import PageLimitList
from rest_compat.following import FollowingRoute

talk2data = Door("/talk2data", tag="Talk2Data")

_session, _turn = "/chat/sessions/{session_id}", "/chat/sessions/{session_id}/turns/{turn_id}"
_stream = "/chat/messages/sessions/{session_id}/turns/{turn_id}/stream"
talk2data.post("/chat/sessions", sessions.create_chat_session)
talk2data.get("/chat/sessions", sessions.list_chat_sessions, envelope=PageLimitList)
talk2data.get(_session, sessions.get_chat_session)
talk2data.patch(_session, sessions.update_chat_session)
talk2data.delete(_session, sessions.delete_chat_session, empty=True)
talk2data.post(f"{_session}/turns", turns.create_turn)
talk2data.get(f"{_session}/turns", turns.list_turns, envelope=PageLimitList)
talk2data.get(_turn, turns.get_turn)
talk2data.get(f"{_turn}/artifacts", turns.list_turn_artifacts, envelope=PageLimitList)
talk2data.post(f"{_turn}/feedback", feedback.submit_turn_feedback, status=200, created=201)
talk2data.get(f"{_turn}/provenance", provenance.get_turn_provenance)  # addition
talk2data.post(f"{_turn}/replay", replay.replay_turn, status=200)  # addition
talk2data.post(f"{_turn}/correction", learning.correct_turn)  # addition
talk2data.post(_stream, streaming.stream_turn, status=200, route=FollowingRoute)
talk2data.get(
    _stream, streaming.stream_turn, operation_id="follow_turn", route=FollowingRoute
)  # addition, for EventSource
talk2data.post("/chat/messages/{task_id}/cancel", turns.cancel_task, status=200)
talk2data.get("/chat/settings", chat_settings.get_chat_settings)  # addition
talk2data.put("/chat/settings", chat_settings.set_chat_settings)  # addition
talk2data.get("/chat/notes", answer_notes.list_answer_notes, envelope=PageLimitList)  # addition
talk2data.get("/chat/notes/{note_id}", answer_notes.get_answer_note)  # addition
talk2data.patch("/chat/notes/{note_id}", answer_notes.update_answer_note)  # addition
_benchmark = "/benchmarks/{benchmark_id}"
talk2data.post("/benchmarks", benchmarks.create_benchmark, status=202)  # addition
talk2data.get("/benchmarks", benchmarks.list_benchmarks, envelope=PageLimitList)  # addition
talk2data.get(_benchmark, benchmarks.get_benchmark)  # addition
talk2data.delete(_benchmark, benchmarks.delete_benchmark)  # addition
talk2data.get(f"{_benchmark}/results", benchmarks.list_benchmark_results, envelope=PageLimitList)  # addition
talk2data.post(f"{_benchmark}/cancel", benchmarks.cancel_benchmark, status=200)  # addition

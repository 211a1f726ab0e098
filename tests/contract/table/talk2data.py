"""Chat sessions, turns, feedback and streams (contract 4.5)."""

from tests.contract.table.kinds import (
    PAGED,
    Documented,
    Field,
    Fields,
    anything,
    choice,
    flag,
    many,
    moment,
    opt,
    page_of,
    record,
    req,
    text,
    whole,
)

SESSION: Fields = {
    "session_id": text(),
    "title": opt(text()),
    "turn_count": whole(),
    "message_count": whole(),
    "artifact_count": whole(),
    "created_at": moment(),
    "updated_at": moment(),
}
ARTIFACT: Fields = {
    "resource_uri": text(),
    "artifact_type": text(),
    "artifact_title": opt(text()),
    "artifact_description": opt(text()),
    "metadata": anything(),
    "created_at": moment(),
}
MESSAGE: Fields = {
    "message_id": text(),
    "turn_id": text(),
    "role": text(),
    "content": text(),
    "message_type": text(),
    "task_id": text(),
    "created_at": moment(),
    "generated_artifacts": Field("array"),
    "context": opt(anything()),
}
TASK_UPDATE: Fields = {
    "id": text(),
    "turn_id": text(),
    "task_id": text(),
    "state": choice("submitted", "working", "completed", "failed", "canceled"),
    "final": flag(),
    "message": opt(text()),
    "data": anything(),
    "agent": opt(text()),
    "created_at": moment(),
}
FEEDBACK: Fields = {"rating": choice("thumbs_up", "thumbs_down"), "comment": opt(text())}
TURN: Fields = {
    "turn_id": text(),
    "state": text(),
    "messages": many(MESSAGE),
    "feedback": opt(record(FEEDBACK)),
    "task_updates": many(TASK_UPDATE),
}
TITLE = text(1, 255)
NAMES = many(text())

SESSIONS = "/talk2data/chat/sessions"
ONE = SESSIONS + "/{session_id}"
TURNS = ONE + "/turns"
TURN_PATH = TURNS + "/{turn_id}"
OF_SESSION: Fields = {"session_id": req(text())}
OF_TURN: Fields = OF_SESSION | {"turn_id": req(text())}

ROWS = [
    Documented(
        "POST", SESSIONS, "create_chat_session", 201, body={"title": opt(TITLE)}, optional_body=True, answer=SESSION
    ),
    Documented("GET", SESSIONS, "list_chat_sessions", params=PAGED, answer=page_of(SESSION)),
    Documented("GET", ONE, "get_chat_session", params=OF_SESSION, answer=SESSION),
    Documented("PATCH", ONE, "update_chat_session", params=OF_SESSION, body={"title": opt(TITLE)}, answer=SESSION),
    Documented("DELETE", ONE, "delete_chat_session", params=OF_SESSION, empty=True),
    Documented(
        "POST",
        TURNS,
        "create_turn",
        201,
        params=OF_SESSION,
        body={
            "message": req(text(1, 10_000)),
            "context": opt(record({"datasources": NAMES, "artifacts": NAMES, "attachments": NAMES})),
        },
        answer={"session_id": text(), "turn_id": text(), "task_id": text(), "state": text()},
    ),
    Documented(
        "GET",
        TURNS,
        "list_turns",
        params=OF_SESSION | PAGED | {"order": choice("asc", "desc")},
        answer=page_of(TURN),
    ),
    Documented("GET", TURN_PATH, "get_turn", params=OF_TURN, answer=TURN),
    Documented("GET", TURN_PATH + "/artifacts", "list_turn_artifacts", params=OF_TURN, answer={"data": many(ARTIFACT)}),
    Documented(
        "POST",
        TURN_PATH + "/feedback",
        "submit_turn_feedback",
        created=201,
        params=OF_TURN,
        body={"rating": req(choice("thumbs_up", "thumbs_down")), "comment": opt(text(longest=2000))},
        answer=FEEDBACK,
    ),
    Documented(
        "POST",
        "/talk2data/chat/messages/sessions/{session_id}/turns/{turn_id}/stream",
        "stream_turn",
        params=OF_TURN,
        bytes=True,
    ),
    Documented("POST", "/talk2data/chat/messages/{task_id}/cancel", "cancel_task", params={"task_id": req(text())}),
]

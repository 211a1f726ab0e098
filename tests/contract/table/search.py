"""The search index (contract 2.11 and 4.6)."""

from tests.contract.table.kinds import Documented, Fields, anything, number, opt, req, text, whole

REFERENCE: Fields = {"organization_id": req(text()), "entity_type": req(text()), "entity_id": req(text())}
ENTITY: Fields = REFERENCE | {
    "project_id": req(text()),
    "title": req(text()),
    "permission_id": req(text()),
    "subtitle": opt(text()),
    "url": opt(text()),
    "embedded_text": opt(text()),
    "rank_boost": number(),
    "search_attributes": anything(),
    "extra_metadata": anything(),
}
ACCEPTED: Fields = {"accepted": whole()}

ROWS = [
    Documented("POST", "/search/bulk/index", "index_entities", 202, items=ENTITY, answer=ACCEPTED),
    Documented("POST", "/search/bulk/delete", "delete_entities", 202, items=REFERENCE, answer=ACCEPTED),
]

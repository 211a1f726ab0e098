"""Words that the data holds as codes are read as these, said so, and never surely."""

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from tests.engines.nl2sql.catalogs import asked, drafted, knowledge, profiled, table

LOANS = table("tool_loans", "loan_id*:INTEGER tool_name member_kind state power days:INTEGER")
CODES = {
    "member_kind": ["GC", "LS", "PRV"],
    "power": ["E", "P", "M"],
    "state": ["OR", "WA"],
    "tool_name": ["Saw", "Axe"],
}
SHED = knowledge(LOANS, profiles={LOANS.fqn: profiled(LOANS, CODES)})


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Which tool loans are electric?", "power = 'E'"),
        ("How many tool loans were electric?", "power = 'E'"),
        ("How many tool loans are landscapers?", "member_kind = 'LS'"),
        ("How many tool loans are garden centers?", "member_kind = 'GC'"),
    ],
)
def test_a_word_is_read_as_the_only_code_that_it_may_be(text: str, condition: str) -> None:
    found = drafted(text, SHED)
    assert condition in found.sql.replace('"', "")
    assert found.confidence <= 0.7
    assert "Read “" in found.reading


@pytest.mark.parametrize("text", ["Which tool loans are organic?", "Which tool loans are hydraulic?"])
def test_codes_of_places_and_other_letters_are_no_such_word(text: str) -> None:
    found = asked(text, SHED)
    assert not isinstance(found, QueryDraft) or "'" not in found.sql

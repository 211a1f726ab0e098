"""Words that the data holds as codes are read as these, said so, and never surely."""

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

LOANS = table("tool_loans", "loan_id*:INTEGER tool_name member_kind state power noise_level days:INTEGER")
CODES = {
    "member_kind": ["GC", "LS", "PRV"],
    "power": ["E", "P", "M"],
    "state": ["OR", "WA"],
    "tool_name": ["Saw", "Axe"],
    "noise_level": ["HI", "LO"],
}
SHED = knowledge(LOANS, profiles={LOANS.fqn: profiled(LOANS, CODES)})


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Which tool loans are electric?", "power = 'E'"),
        ("How many tool loans were electric?", "power = 'E'"),
        ("How many tool loans are landscapers?", "member_kind = 'LS'"),
        ("How many tool loans are garden centers?", "member_kind = 'GC'"),
        ("high noise level tool loans", "noise_level = 'HI'"),
        ("How many tool loans have low noise level?", "noise_level = 'LO'"),
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


def test_the_most_of_a_kind_that_is_kept_as_a_code() -> None:
    clubs = table("clubs", "club_id*:INTEGER club_name")
    stays = keyed(table("memberships", "membership_id*:INTEGER club_id:INTEGER standing"), club_id="clubs.club_id")
    known = knowledge(clubs, stays, profiles={stays.fqn: profiled(stays, {"standing": ["A", "L"]})})
    found = drafted("Which club has the most active memberships?", known)
    assert "standing = 'A'" in found.sql.replace('"', "")
    assert "ORDER BY COUNT(*) DESC" in found.sql

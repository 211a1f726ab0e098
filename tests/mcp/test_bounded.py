"""Whatever an operation answers comes out whole, piece by piece, and each piece is within its bound and says so."""

from types import SimpleNamespace
from typing import Any, cast

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resolvers.context import Context
from resolvers.utils.memories import list_memories
from rest_compat.mcp.bounded import Cursors, Place, Whole, cut
from schema.errors import InvalidParameter, VersionConflict
from tests.support import tiers

CTX = cast("Context", SimpleNamespace(organization_id="acme", caller=SimpleNamespace(project_id="shop")))
TEXTS = st.builds(
    lambda piece, times: piece * times, st.sampled_from(["a", 'é"\\', "\n\U0001f600", "\x00"]), st.integers(0, 900)
)


def window_of(items: list[bytes], place: Place, size: int) -> Whole:
    """One page of a list, as an operation would answer."""
    page = place.window or 1
    shown = items[(page - 1) * size : page * size]
    follows = page + 1 if page * size < len(items) else None
    return Whole(shown, True, len(items), (page - 1) * size, follows)


def read_on(whole_at: Any, most: int) -> list[dict[str, Any]]:
    """Every answer of one call."""
    cursors, place, answers = Cursors(CTX, list_memories.name, {}), Place(), []
    while True:
        told = orjson.dumps(cut("list_memories", whole_at(place), place, cursors, most=most))
        assert len(told) <= most
        answers.append(orjson.loads(told))
        if answers[-1]["cursor"] is None:
            return answers
        assert len(answers) < 2_000
        place = cursors.opened(answers[-1]["cursor"])


def joined(answers: list[dict[str, Any]]) -> list[Any]:
    """The items of all answers."""
    found, text = [], ""
    for answer in answers:
        if "part" in answer:
            text += answer["part"]["text"]
            if answer["part"]["to"] == answer["part"]["of"]:
                found, text = [*found, orjson.loads(text)], ""
        else:
            assert not text
            found += answer["data"] if "returned" in answer else [answer["data"]]
    return found


@pytest.mark.parametrize("cases", [300, pytest.param(10_000, marks=tiers.LONG)])
def test_no_answer_is_cut_without_a_word(cases: int) -> None:
    @settings(max_examples=cases, deadline=None, database=None, derandomize=True)
    @given(st.lists(TEXTS, max_size=30), st.integers(1, 30), st.integers(2_000, 30_000))
    def one(texts: list[str], size: int, most: int) -> None:
        items = [orjson.dumps({"text": text}) for text in texts]
        answers = read_on(lambda place: window_of(items, place, size), most)
        assert joined(answers) == [{"text": text} for text in texts]
        assert [answer["complete"] for answer in answers] == [False] * (len(answers) - 1) + [True]
        assert {answer["total"] for answer in answers} == {len(texts)}
        whole = orjson.dumps(texts)
        assert joined(read_on(lambda _place: Whole([whole], False, 1), most)) == [texts]

    one()


def test_a_cursor_holds_for_its_call_alone_and_for_what_has_not_changed() -> None:
    cursors = Cursors(CTX, "list_memories", {"q": "a"})
    big = orjson.dumps("x" * 9_000)
    cursor = cut("list_memories", Whole([big], False, 1), Place(), cursors, most=2_000)["cursor"]
    for other in (Cursors(CTX, "list_memories", {"q": "b"}), Cursors(CTX, "list_files", {"q": "a"})):
        with pytest.raises(InvalidParameter):
            other.opened(cursor)
    for broken in ("", "AAAA", cursor[:-4], 7, "é", "x" * 400):
        with pytest.raises(InvalidParameter):
            cursors.opened(broken)
    with pytest.raises(VersionConflict):
        cut("list_memories", Whole([b'"y' + big[2:]], False, 1), cursors.opened(cursor), cursors, most=2_000)


def test_what_changed_something_is_cut_without_a_cursor_and_says_how_to_go_on() -> None:
    cursors, big = Cursors(CTX, "create_memory", {}), orjson.dumps("x" * 9_000)
    answer = cut("create_memory", Whole([big], False, 1), Place(), cursors, most=2_000, again=False)
    assert (answer["complete"], answer["cursor"]) == (False, None)
    assert "not done again" in answer["rest"]

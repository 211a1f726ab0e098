"""How a question falls into tokens, and what the lemmas of words are."""

import pytest

from resolvers.engines.nl2sql.language.degrees import degree_of, degree_of_phrase
from resolvers.engines.nl2sql.language.tokens import MOST_TOKENS, lemma_of, root_of, tokenize
from resolvers.engines.nl2sql.language.words import AGGREGATES, COUNTS, OPERATORS, Compared
from resolvers.engines.nl2sql.plan import Aggregate, Operator


def lemmas(text: str) -> list[str]:
    return [token.lemma for token in tokenize(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How many singers do we have?", ["how", "many", "singer", "do", "we", "have", "?"]),
        ("What's the singer's name?", ["what", "be", "the", "singer", "'s", "name", "?"]),
        ("the students' pets", ["the", "student", "'s", "pet"]),
        ("who don't own cats", ["who", "do", "not", "own", "cat"]),
        ("isn\u2019t won't can't", ["be", "not", "will", "not", "can", "not"]),
        ("stu_id and Pet_Age", ["stu_id", "and", "pet_age"]),
        ("price >= $1,200.50", ["price", ">=", "$1,200.50"]),
        ("-5 or 10% of 3.5k", ["-5", "or", "10%", "of", "3.5k"]),
        ("on 1996-05-12, 12/05/1996", ["on", "1996-05-12", ",", "12/05/1996"]),
        ("U.S.A. at 10:30 pm", ["usa", "at", "10:30pm"]),
        ("O'Brien's flights", ["o'brien", "'s", "flight"]),
        ("a 747-400 or A320", ["a", "747", "-", "400", "or", "a320"]),
        ("mail to a.b@c.org!", ["mail", "to", "a.b@c.org", "!"]),
        ("", []),
        ("   ", []),
    ],
)
def test_a_question_falls_into_words_numbers_and_signs(text: str, expected: list[str]) -> None:
    assert lemmas(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        'of "Hip Hop" songs', "of 'Hip Hop' songs", "of \u201cHip Hop\u201d songs", "of \u2018Hip Hop\u2019 songs",
        "of \u00abHip Hop\u00bb songs", "of `Hip Hop` songs", "of ''Hip Hop'' songs", "of \u201eHip Hop\u201c songs",
    ],
)  # fmt: skip
def test_a_quoted_text_is_one_token_whatever_the_quotes(text: str) -> None:
    quoted = [token for token in tokenize(text) if token.quoted]
    assert [(token.text, token.lemma) for token in quoted] == [("Hip Hop", "hip hop")]
    assert text[quoted[0].start : quoted[0].end].strip("\"'\u201c\u201d\u2018\u2019\u00ab\u00bb`\u201e") == "Hip Hop"


def test_a_quoted_text_may_hold_an_apostrophe() -> None:
    assert [token.text for token in tokenize("named 'Ain't It Fun'") if token.quoted] == ["Ain't It Fun"]


def test_tokens_know_where_they_stand() -> None:
    text = "List the  singer's 'Song A', 2,000!"
    for token in tokenize(text):
        inside = text[token.start : token.end]
        assert token.text in inside
        assert inside.strip("'") == token.text.strip("'")


def test_a_question_of_any_length_and_any_signs_is_read_to_a_bound() -> None:
    assert len(tokenize("word " * 5000)) == MOST_TOKENS
    odd = "'unclosed \u0000 \U0001f600 \\ `"
    assert next(token.text for token in tokenize(odd)) == "'"
    assert not any(token.quoted for token in tokenize(odd))


@pytest.mark.parametrize(
    ("word", "lemma"),
    [
        ("countries", "country"), ("people", "person"), ("women", "woman"), ("salesmen", "salesman"),
        ("classes", "class"), ("shoes", "shoe"), ("statuses", "status"), ("series", "series"), ("analyses", "analysis"),
        ("written", "write"), ("bought", "buy"), ("has", "have"), ("was", "be"), ("flew", "fly"), ("taught", "teach"),
        ("produced", "produce"), ("stopped", "stop"), ("carried", "carry"), ("hired", "hire"), ("used", "use"),
        ("enrolled", "enrol"), ("cancelled", "cancel"), ("participated", "participate"), ("owning", "own"),
        ("rating", "rating"), ("building", "building"), ("speed", "speed"), ("bed", "bed"), ("red", "red"),
        ("Singers", "singer"), ("oldest", "oldest"), ("STU_ID", "stu_id"), ("addresses", "address"),
    ],
)  # fmt: skip
def test_words_have_their_lemma(word: str, lemma: str) -> None:
    assert lemma_of(word) == lemma


@pytest.mark.parametrize(
    "family",
    ["employed employee employer employment", "manage manager management", "performed performance performer",
     "treated treatment", "direct directed director", "publisher published publishing"],
)  # fmt: skip
def test_words_of_one_family_have_one_root(family: str) -> None:
    assert len({root_of(word) for word in family.split()}) == 1


def test_words_that_only_look_alike_have_different_roots() -> None:
    assert root_of("number") != root_of("numb")
    assert root_of("country") != root_of("count")
    assert root_of("department") != root_of("depart")
    assert root_of("university") != root_of("universe")


@pytest.mark.parametrize(
    ("said", "adjective", "descending", "superlative", "measure"),
    [
        ("older", "old", True, False, "age"), ("youngest", "young", False, True, "age"),
        ("cheapest", "cheap", False, True, "price"), ("heavier", "heavy", True, False, "weight"),
        ("biggest", "big", True, True, "size"), ("latest", "late", True, True, "date"),
        ("most expensive", "expensive", True, True, "price"), ("least expensive", "expensive", False, True, "price"),
        ("less popular", "popular", False, False, "popularity"), ("the longest", "long", True, True, "length"),
        ("farthest", "far", True, True, "distance"), ("worst", "bad", False, True, "rating"),
    ],
)  # fmt: skip
def test_comparatives_and_superlatives_say_what_they_measure(
    said: str, adjective: str, descending: bool, superlative: bool, measure: str
) -> None:
    degree = degree_of_phrase(said.split())
    assert degree is not None
    assert (degree.adjective, degree.descending, degree.superlative) == (adjective, descending, superlative)
    assert degree.comparative != superlative
    assert measure in degree.measures


@pytest.mark.parametrize("word", ["number", "order", "customer", "water", "interest", "guest", "west", "teacher"])
def test_nouns_that_end_like_comparatives_are_none(word: str) -> None:
    assert degree_of(word) is None


def test_operators_aggregates_and_counts_are_found_by_lemmas() -> None:
    assert OPERATORS[tuple(lemmas("more than"))] == Compared(Operator.MORE)
    assert OPERATORS[tuple(lemmas("no more than"))] == Compared(Operator.AT_MOST)
    assert OPERATORS[tuple(lemmas("at least"))] == Compared(Operator.AT_LEAST)
    assert OPERATORS[tuple(lemmas("fewer than"))] == Compared(Operator.LESS)
    assert OPERATORS[tuple(lemmas("is not"))] == Compared(Operator.EQUAL, negated=True)
    assert OPERATORS[tuple(lemmas("contains the word"))] == Compared(Operator.LIKE)
    assert AGGREGATES[tuple(lemmas("average"))] is Aggregate.AVG
    assert AGGREGATES[tuple(lemmas("number of"))] is Aggregate.COUNT
    assert tuple(lemmas("how many")) in COUNTS

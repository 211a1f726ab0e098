"""Questions about ten invented databases, each with the query that answers it.

What the planner does not master yet is named in UNSOLVED with what becomes of it: so that nobody takes it for
solved, and a test fails when one of them is solved, so that the list stays true.
"""

import pytest

from tests.engines.nl2sql.asking import NAMES, Verdict, answers

UNSOLVED: dict[str, dict[str, Verdict]] = {
    "museum": {
        "What are the id, name and membership level of visitors who have spent the largest amount of money in total in "
        "all museum tickets?": Verdict.ASKED,
        "What is the total ticket expense of the visitors whose membership level is 1?": Verdict.WARNED,
    },
    "school": {
        "How many students are enrolled in courses of the teacher with the most courses?": Verdict.ASKED,
    },
    "shop": {"What is the first name of the manager of Pia?": Verdict.ASKED},
    "staff": {
        "In which year were the most bonuses awarded?": Verdict.WRONG,
    },
}


@pytest.mark.parametrize("name", NAMES)
def test_questions_are_answered_right(name: str) -> None:
    """Every question but the unsolved ones gets the right rows, or the right refusal."""
    unsolved = UNSOLVED.get(name, {})
    wrong = {
        one.question.text: (one.verdict, one.sql, one.told)
        for one in answers(name)
        if one.verdict is not Verdict.RIGHT and one.question.text not in unsolved
    }
    assert wrong == {}


@pytest.mark.parametrize("name", sorted(UNSOLVED))
def test_what_is_unsolved_is_told_truly(name: str) -> None:
    """The list of what is not mastered says what becomes of each question."""
    found = {one.question.text: one.verdict for one in answers(name)}
    assert {text: found.get(text) for text in UNSOLVED[name]} == UNSOLVED[name]

"""Whether a question may be answered without its only word that nothing in the data stands for: the votes that were
`cast`. Such an answer says so and is not sure.
"""

from typing import Final

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.language.words import NEGATIONS
from resolvers.engines.nl2sql.planner.choosing import Candidate

LEFT_OUT: Final = 0.5
"""How sure an answer is that leaves out a word."""
_READ_WELL: Final = 0.75
"""The least score of what is left. Of 2,100 questions of strangers and our own, 9 that come so far have right answers
and one another.
"""
_ASKING: Final = word_set("which what many much number count total average each every per of")
"""Words that a word which is asked for stands behind: without that one, something else would be answered."""


def may_be_left_out(one: Candidate) -> bool:
    """Return whether a reading leaves out one word of those that may be left out, and nothing else tells against it."""
    if len(one.unknown) != 1 or one.doubts or one.loose or one.score < _READ_WELL:
        return False
    (first, last) = one.resolver.frame.unknown[0]
    tokens = one.resolver.cut.linked.tokens
    beside = {tokens[at].text for at in (first - 1, last) if 0 <= at < len(tokens)}
    before = tokens[first - 1].lemma if first else ""
    said = tokens[first].text.lower()
    return (
        last == first + 1 and said.isalpha() and said not in NEGATIONS and "-" not in beside and before not in _ASKING
    )

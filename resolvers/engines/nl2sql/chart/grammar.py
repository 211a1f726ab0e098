"""The grammar of questions: all sets of rules together."""

from typing import Final

from resolvers.engines.nl2sql.chart import combinations, conditions, groupings, noun_phrases, questions
from resolvers.engines.nl2sql.chart.rules import Grammar

GOAL: Final = "Question"
"""The category of a whole question."""
GRAMMAR: Final = Grammar(noun_phrases.RULES, conditions.RULES, questions.RULES, groupings.RULES, combinations.RULES)

"""Refuse by its tokens a text that a parser would lose itself in: before it is parsed, not while.

The parser descends with each bracket and each word before an operand, on a stack that a compiled parser may exhaust
without a word; and it reads what stands behind a join twice as long as no condition of that join is found, so that
thirty joins in a row would take hours.
"""

from collections.abc import Sequence
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from resolvers.engines.sql_guard.refusing import QueryRefused

DEEPEST: Final = 100
"""Levels of nesting."""
MOST_OPEN_JOINS: Final = 8
"""Joins without a condition, but for those that are said to CROSS. Each doubles the time of parsing."""

_OPEN: Final = frozenset((TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE))
_CLOSE: Final = frozenset((TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END))
_OPERANDS: Final = frozenset(
    (
        *(TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING, TokenType.NUMBER, TokenType.NULL, TokenType.TRUE),
        *(TokenType.FALSE, TokenType.END, TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE),
    )
)
_JOINS: Final = frozenset((TokenType.JOIN, TokenType.STRAIGHT_JOIN))
_CONDITIONS: Final = frozenset((TokenType.ON, TokenType.USING))
_FEW: Final = frozenset(
    (
        *(TokenType.ARROW, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.STRUCT, TokenType.ARRAY, TokenType.MAP),
        *(TokenType.CREATE, TokenType.INSERT, TokenType.DESCRIBE, TokenType.CACHE, TokenType.NESTED, TokenType.LIST),
    )
)
"""What nests without brackets, or takes the longer the more of it there is, and is rare in any query."""


def judge_tokens(tokens: Sequence[Token]) -> None:
    """Raises Refused for what is nested too deeply, or joins too much without a condition."""
    open_joins = [0]
    closed = few = alike = 0
    was_operand = False
    before: TokenType | None = None
    for token in tokens:
        kind = token.token_type
        if kind is TokenType.COMMA:
            alike = 0
        elif (kind in _OPERANDS) is was_operand:
            alike += 1
            if alike > DEEPEST:
                raise _too_deep()
        else:
            was_operand, alike = not was_operand, 1
        if kind in _OPEN:
            open_joins.append(0)
            if len(open_joins) > DEEPEST:
                raise _too_deep()
        elif kind in _CLOSE:
            if len(open_joins) > 1:
                closed += open_joins.pop()  # what is open inside is read again with what is open around
        elif kind in _JOINS:
            if before is not TokenType.CROSS:
                open_joins[-1] += 1
                if sum(open_joins) + closed > MOST_OPEN_JOINS:
                    raise QueryRefused(
                        "size", "Too many tables are joined without a condition. Say ON what, or CROSS JOIN."
                    )
        elif kind in _CONDITIONS and before is not TokenType.DISTINCT and open_joins[-1]:
            open_joins[-1] -= 1
        if kind in _FEW:
            few += 1
            if few > DEEPEST:
                raise _too_deep()
        before = kind


def _too_deep() -> QueryRefused:
    return QueryRefused("size", "The query is nested too deeply.")

"""What rows are in: `departed ferries`, where a status holds the word, rather than when they did so."""

from collections.abc import Sequence
from typing import Final

from resolvers.engines.nl2sql.mention import Mention, MentionKind, Token
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary

_HELD: Final = 0.9
"""How sure a word must be a value."""
_ROWS: Final = 0.78
"""How well a table must be called by the words behind it."""
_DOING: Final = frozenset(("who", "that", "they", "we"))
"""Words behind which a participle is a verb: who cancelled orders."""


def with_states(mentions: Sequence[Mention], tokens: Sequence[Token], vocabulary: Vocabulary) -> list[Mention]:
    """The mentions without the times that are called by a participle which is surely a value of the rows behind it."""
    rows = {one.first: one.last for one in mentions if one.kind is MentionKind.TABLE and one.score >= _ROWS}
    states = {
        one.first
        for one in mentions
        if one.kind is MentionKind.VALUE and one.score >= _HELD and one.last - one.first == 1 and one.last in rows
        if tokens[one.first].text.lower().endswith("ed")
        and (not one.first or tokens[one.first - 1].text.lower() not in _DOING)
    }

    def tells_when(one: Mention) -> bool:
        if one.kind is not MentionKind.COLUMN or one.column is None or one.first not in states:
            return False
        ends = (one.first + 1, rows[one.first + 1])
        return one.last in ends and vocabulary.column_kind(one.column).is_temporal

    return [one for one in mentions if not tells_when(one)] if states else list(mentions)

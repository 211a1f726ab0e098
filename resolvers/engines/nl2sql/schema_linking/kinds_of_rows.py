"""Columns that tell of what kind rows are, where a question asks for that: `kinds of animals` are their species."""

from collections.abc import Iterator, Sequence
from typing import Final

from resolvers.engines.nl2sql.mention import KIND_OF, Mention, MentionKind, Token
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.schema_linking.kinds import ColumnKind
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary

_KINDS: Final = frozenset(("kind", "type", "sort"))
_ROWS: Final = 0.7
"""How well a table must be called by the words behind `kinds of`, and one of kinds by `kind`."""
_CALLED: Final = 0.5
"""How well a column must be called by a word for kinds."""


def kinds_of_rows(mentions: Sequence[Mention], tokens: Sequence[Token], vocabulary: Vocabulary) -> Iterator[Mention]:
    """Yields `kind of` with the rows behind it as the column that tells their kind, where there is but one."""
    for one in list(mentions):
        at = one.first - 2
        if one.table is None or one.score < _ROWS or at < 0:
            continue
        if tokens[at].lemma in _KINDS and tokens[at + 1].lemma == "of":
            key = _kind_of(one.table, tokens[at].lemma, vocabulary)
            if key is not None:
                yield Mention(at, one.last, MentionKind.COLUMN, one.score, KIND_OF, column=key)


def _kind_of(table: str, word: str, vocabulary: Vocabulary) -> ColumnKey | None:
    """The column that tells the kinds of rows by a word for it: their own, or the name of what they refer to."""
    own = vocabulary.found_columns((word,), [table])
    told = [(key, fit.score) for key, fit in own if fit.score >= _CALLED and _is_shared(key, vocabulary)]
    if not told:
        above = {key.to for key in vocabulary.ties(table) if key.table == table}
        called = [(fqn, score) for fqn, score in vocabulary.tables((word,)) if fqn in above and score >= _ROWS]
        told = [(key, score) for fqn, score in called if (key := vocabulary.name_column(fqn)) is not None]
    best = sorted(told, key=lambda one: -one[1])[:2]
    return best[0][0] if best and (len(best) == 1 or best[0][1] > best[1][1]) else None


def _is_shared(key: ColumnKey, vocabulary: Vocabulary) -> bool:
    """Return whether a column holds words that several rows share."""
    profile = vocabulary.profile(key)
    shared = profile is None or (profile.distinct_count or 0) < (profile.row_count or 0)
    return shared and vocabulary.column_kind(key) is ColumnKind.TEXT

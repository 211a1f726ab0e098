"""Words that deny a deed: `unpaid bills` are bills that are not paid, where a column tells whether they were."""

from typing import Final

from resolvers.engines.nl2sql.language.words import PREPOSITIONS
from resolvers.engines.nl2sql.mention import Linked, MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary

_UN: Final = "un"
_DENYING: Final = ("in", "im", "ir", "il", "non", "dis")
"""Beginnings that deny what an adjective says: inactive, non-resident."""
_LEAST: Final = 5
"""Letters of what is denied, at least: `under`, `union` and `unit` deny nothing."""
_BETWEEN: Final = 3
"""Tokens up to the rows that such a word is said of: `unpaid second class tickets`."""
_KNOWN: Final = 0.75
"""How well a word must fit something of the data to stand for it."""
_DATED: Final = ("of", "from", "in", "for", "during")
"""Words between rows and the time that they are of."""
_TOLD: Final = (MentionKind.COLUMN, MentionKind.VALUE, MentionKind.TABLE)


def written_apart(linked: Linked, missing: str = "") -> str | None:
    """The question with such a word written as `not` and the deed; None where it has none, or the data knows it.

    `missing` is what tells when it was done, which rows are then said to lack, so that nothing behind is denied too.
    """
    tokens = linked.tokens
    for at, token in enumerate(tokens):
        low = token.text.lower()
        done = low.removeprefix(_UN).removeprefix("-")
        plain = done.endswith(("ed", "id", "en", "wn", "ld", "able"))
        if done == low and (prefix := next((one for one in _DENYING if low.startswith(one)), "")):
            done, plain = low.removeprefix(prefix).removeprefix("-"), True
        if token.quoted or done == low or len(done) < _LEAST - 1 or not plain:
            continue
        if any(one.first <= at < one.last and one.score >= _KNOWN for one in linked.mentions):
            continue
        rows = [one for one in linked.mentions if one.kind is MentionKind.TABLE and one.score >= _KNOWN]
        behind = {one.first: one.last for one in sorted(rows) if at < one.first <= at + _BETWEEN}
        first, text = min(behind, default=0), linked.text
        if not behind or any(word in PREPOSITIONS for word in linked.words(at + 1, first)):
            return f"{text[: token.start]}not {done}{text[token.end :]}"
        rows_end, span_end = behind[first], _end_of_span(linked, behind[first])
        said = text[tokens[at + 1].start : tokens[rows_end - 1].end]
        if span_end > rows_end:  # unpaid bills of May: the bills are of May, and not what was not done with them
            when = text[tokens[rows_end].start : tokens[span_end - 1].end]
            said = f"{said} {when}" if tokens[rows_end].lemma in _DATED else f"{said} of {when}"
        lacks = f"whose {missing} is missing" if missing else f"that are not {done}"
        return f"{text[: token.start]}{said} {lacks}{text[tokens[span_end - 1].end :]}"
    return None


def missing_time(turned: Linked, vocabulary: Vocabulary) -> str:
    """What the only time is called that tells whether the deed was done which a question denies; empty without one."""
    at = next((at for at, token in enumerate(turned.tokens) if token.lemma == "not"), len(turned.tokens))
    if at == 0 or turned.tokens[at - 1].text.lower() not in ("are", "is"):
        return ""  # not of rows that it stands before
    here = [one for one in turned.mentions if one.first == at + 1 and one.score >= _KNOWN]
    rows = {one.table for one in turned.mentions if one.last <= at and one.table is not None and one.score >= _KNOWN}
    keys = {one.column for one in here if one.kind is MentionKind.COLUMN and one.column is not None}
    times = [key for key in keys if key.table in rows and _may_lack(key, vocabulary)]
    others = [one for one in here if one.kind is MentionKind.VALUE]
    return " ".join(vocabulary.words(times[0])) if len(times) == 1 and not others else ""


def _may_lack(key: ColumnKey, vocabulary: Vocabulary) -> bool:
    """Return whether a column holds times, and not in every row."""
    profile = vocabulary.profile(key)
    lacks = profile is not None and bool(profile.null_count)
    return lacks and vocabulary.column_kind(key).is_temporal


def _end_of_span(linked: Linked, at: int) -> int:
    """Where a span of time ends that stands there, with or without a word before it; the place itself if none does."""
    start = at + 1 if at < len(linked.tokens) and linked.tokens[at].lemma in _DATED else at
    spans = (
        one.last
        for one in linked.mentions
        if one.first == start and any(value.kind in ("date", "moment") for value in one.values)
    )
    return max(spans, default=at)


def is_told(linked: Linked) -> bool:
    """Return whether the data knows the deed that is denied."""
    at = next((at for at, token in enumerate(linked.tokens) if token.lemma == "not"), len(linked.tokens))
    found = (one for one in linked.mentions if one.first == at + 1 and one.kind in _TOLD)
    return any(one.score >= _KNOWN for one in found)

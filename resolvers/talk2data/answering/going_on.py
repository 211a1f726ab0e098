"""Defines how a message goes on from a turn that has no answer: a question back, an error, an honest no, a refusal.

"Try again" asks the same once more; "I mean the city" puts other words in the place of those that nothing stood for;
"without it" leaves out what stood in the way. A message that only narrows or orders is read by the drafter as any
question that builds on another (`pipeline.py`), on the query that failed or on each reading that was offered.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from persistence.queries.chat_provenance import LastTurn
from resolvers.engines.nl2sql.model import QueryDraft
from resolvers.engines.nl2sql.stored import restored
from resolvers.talk2data.answering.pipeline_question import Begun, PipelineQuestion
from schema.talk2data.provenance import AnswerKind

LONGEST: Final = 300
_MOST_WORDS: Final = 4
"""Words of a message that is nothing but a name for what was not understood."""

_LEAD: Final = r"(?:(?:please|ok|okay|no|yes|so|then|well|sorry|fine|just)[ ,]+)*"
_IT: Final = r"(?:it|that|them|this|those)"
_AGAIN: Final = re.compile(
    rf"{_LEAD}(?:(?:(?:try|do|run|ask)(?: {_IT})? )?(?:again|once more|one more time)|retry|repeat(?: {_IT})?)"
    r"(?:,? please)?",
    re.IGNORECASE,
)
_MEANT: Final = re.compile(
    rf"{_LEAD}(?:i mean|i meant|it is called|it's called|they are called|use|take|try)(?: the)? (?P<this>.+?)"
    r"(?: instead)?(?:(?: instead)? of (?P<other>.+))?",
    re.IGNORECASE,
)
_WITHOUT: Final = re.compile(
    rf"{_LEAD}(?:(?:(?:do|show|answer|ask|give)(?: me)?(?: {_IT})? )?without(?: {_IT}| (?:the |any )?(?P<this>.+))?|"
    rf"leave {_IT} (?:out|away)|(?:ignore|drop|skip|omit|forget) {_IT})",
    re.IGNORECASE,
)
_INSTEAD: Final = re.compile(r"[ ,]+(?:instead|then|rather)$", re.IGNORECASE)
_STARTS: Final = re.compile(
    r"(?:and|or|but|only|just|by|in|for|with|without|of|at|from|top|the top|first|last|sort|sorted|order|ordered|show|"
    r"list|give|tell|how|what|which|who|whose|when|where|why|is|are|do|does|did|can|count|also|per|since|between|over|under|"
    r"before|after|during|on|except|not|no|yes|more|less|exclude|include)\b",
    re.IGNORECASE,
)
"""How what is no name begins."""
_MORE: Final = re.compile(
    r"(?:by|in|for|per|at|from|with|where|whose|since|between|over|under|before|after|during|on)\b", re.IGNORECASE
)
"""How words begin that make a question whole."""


def gone_on(asked: PipelineQuestion, last: LastTurn | None) -> PipelineQuestion:
    """The question that a message asks after the turn before it."""
    if last is None:
        return asked
    asked = replace(asked, last=last, unfinished=unfinished(last))
    text = " ".join(asked.text.split()).strip(" .!?")
    if asked.reply is not None or asked.chosen is not None or len(text) > LONGEST:
        return asked
    if _AGAIN.fullmatch(text):
        earlier = [one for one in asked.earlier if one.position != last.position]
        return _rephrased(asked, last, last.asked, earlier=tuple(earlier))
    if last.kind is AnswerKind.ANSWER:
        return asked
    in_the_way = last.in_the_way
    if in_the_way and (found := _WITHOUT.fullmatch(text)) is not None:
        meant = [one for one in in_the_way if found["this"] is None or _same(one, found["this"])]
        shorter = without(last.asked, meant)
        return asked if shorter is None else _rephrased(asked, last, shorter)
    return _renamed(asked, last, text)


def _renamed(asked: PipelineQuestion, last: LastTurn, text: str) -> PipelineQuestion:
    """With another name in the place of the words that nothing stood for, or with words that make it whole."""
    missing = last.missing
    if missing and (found := _MEANT.fullmatch(text)) is not None:
        named = [one for one in missing if found["other"] is not None and _same(one, found["other"])]
        other = instead(last.asked, named or missing, found["this"])
        return asked if other is None else _rephrased(asked, last, other)
    said = text.casefold()
    is_name = len(said.split()) <= _MOST_WORDS and not _STARTS.match(text)
    if missing and is_name and not any(one.casefold() in said for one in missing):
        return replace(asked, maybe=instead(last.asked, missing, _INSTEAD.sub("", text)), is_guess=True)
    if last.kind is AnswerKind.CLARIFICATION and _MORE.match(text):
        return replace(asked, maybe=f"{last.asked.rstrip(' .?!')} {text}")
    return asked


def _rephrased(asked: PipelineQuestion, last: LastTurn, text: str, **changes: object) -> PipelineQuestion:
    return replace(asked, text=text, names=asked.names or last.names, rephrased=True, **changes)  # type: ignore[arg-type]


def unfinished(last: LastTurn | None) -> Begun | None:
    """The query of a turn that ended without an answer, if one was drafted."""
    if last is None or last.kind is AnswerKind.ANSWER:
        return None
    found = last.provenance
    if last.draft is not None:
        told = last.draft["draft"]
        draft = QueryDraft(told["sql"], told["reading"], told["confidence"], told["drafter"], restored(told["plan"]))
        return Begun(last.draft["uri"], draft)
    if found is None or found.sql_drafted is None or found.resource_uri is None:
        return None
    draft = QueryDraft(
        found.sql_drafted, found.reading or "", found.confidence or 0.0, found.drafter or "", restored(found.plan)
    )
    return Begun(found.resource_uri, draft)


def instead(question: str, words: Sequence[str], other: str) -> str | None:
    """The question with something else in the place of words that stand together; None when they do not."""
    pattern = re.compile(r"\b" + r"\W+".join(map(re.escape, words)) + r"\b", re.IGNORECASE)
    made, many = pattern.subn(lambda _: other, question, count=1)
    return made if many else None


def without(question: str, words: Sequence[str]) -> str | None:
    """The question without some words, and without what tied them to the others; None when it has none of them."""
    made = question
    for word in words:
        name = rf"(?:the |their |its |his |her |of |each )*\b{re.escape(word)}(?:s|es)?\b"
        for pattern in (
            rf"(?:,? and|,| or) {name}",
            rf"{name}(?:,? and|,| or) ",
            rf" (?:by|with|per|for|in|of|from|where|whose) {name}",
            rf"{name} ?",
        ):
            made, many = re.subn(pattern, "", made, count=1, flags=re.IGNORECASE)
            if many:
                break
    made = " ".join(made.split())
    return made if made != " ".join(question.split()) and made.strip(" .?!") else None


def _same(one: str, other: str) -> bool:
    return one.casefold().rstrip("s") == other.casefold().rstrip("s")

"""Takes what a message says of the form of its answer out of it, and answers a message that says nothing else.

"As a pie chart" asks the last answer's question once more: its query is guarded and run anew, as the asker may see it
now. Words that the data have themselves, such as a table of charts, are no wish unless they can hardly be meant so.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from persistence.queries.chat_provenance import AskedBack, EarlierAnswer, LastTurn
from resolvers.engines.answering.forms import AnswerForm, FormWish, wish_of
from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.nl2sql.model import ColumnKey, Interpretation, QueryDraft
from resolvers.engines.nl2sql.stored import restored
from resolvers.talk2data.answering.catalog_context import Ground
from resolvers.talk2data.answering.pipeline_question import Begun, PipelineQuestion, Reply
from schema.talk2data.provenance import AnswerKind

_OF_THAT_TURN: Final = ("asked", "chosen", "form", "goes_on")
"""What is noted of a draft that concerns the turn it was drafted in."""


def wished(asked: PipelineQuestion) -> PipelineQuestion:
    """The question without what it says of the form of its answer."""
    wish = None if asked.wish is not None else wish_of(asked.text)
    if wish is None or wish.rest is None:
        return asked
    return replace(asked, text=wish.rest, said=asked.text, wish=wish, rephrased=True)


def unwished(asked: PipelineQuestion, grounds: Sequence[Ground]) -> PipelineQuestion:
    """The question as it was said, where the words of its wish are the data's own."""
    wish, said = asked.wish, asked.said
    if wish is None or wish.is_certain or said is None or not any(_is_own(wish, one) for one in grounds):
        return asked
    return replace(asked, text=said, said=None, wish=None, rephrased=False)


def alone(asked: PipelineQuestion, standing: AskedBack | None, last: LastTurn | None) -> PipelineQuestion | None:
    """The last answer's question in the form that a message wishes and says nothing else; None for other messages."""
    wish = wish_of(asked.text)
    if wish is None or wish.rest is not None:
        return None
    wishes = replace(asked, wish=wish, last=last)
    if standing is not None and last is not None and last.kind is AnswerKind.CLARIFICATION:
        ask = "Choose first which is meant" if len(standing.readings) > 1 else "Say first whether this is meant"
        message = f"{ask}, then it comes as {wish.form.called}."
        readings = [Interpretation(one["text"], one["sql"]) for one in standing.readings]
        return replace(wishes, reply=Reply(AnswerKind.CLARIFICATION, message, readings), again=standing)
    if not asked.earlier:
        if not wish.is_certain:
            return None
        message = f"No question of this session has been answered yet, so nothing can be shown as {wish.form.called}."
        return replace(wishes, reply=Reply(AnswerKind.INFORMATION, f"{message} Ask one first."))
    return _repeated(wishes, asked.earlier[-1])


def after(asked: PipelineQuestion, last: LastTurn | None) -> PipelineQuestion:
    """The question with the form that was wished before it, where it may go on from a turn without an answer."""
    if last is None or last.kind is AnswerKind.ANSWER or last.form not in tuple(AnswerForm):
        return asked
    return replace(asked, wished_before=AnswerForm(last.form))


def _repeated(asked: PipelineQuestion, answer: EarlierAnswer) -> PipelineQuestion:
    found = answer.provenance
    assert found.sql_drafted is not None
    assert found.resource_uri is not None
    draft = QueryDraft(
        sql=found.sql_drafted,
        reading=found.reading or "",
        confidence=found.confidence or 0.0,
        drafter=found.drafter or "",
        plan=restored(found.plan),
        memories=tuple(one.id for one in found.memories),
        evidence={name: value for name, value in found.evidence.items() if name not in _OF_THAT_TURN},
    )
    return replace(
        asked,
        text=answer.asked,
        names=(found.resource_uri,),
        reading=Begun(found.resource_uri, draft),
        rephrased=True,
        is_repeated=True,
    )


def _is_own(wish: FormWish, ground: Ground) -> bool:
    """Return whether the data have a name, or a value that may be told, of the words of a wish."""
    words = wish.words.casefold()
    stem = words.removesuffix("s")
    known = ground.knowledge
    for table in known.tables:
        names = [*tokens_of(table.name), *(token for column in table.columns for token in tokens_of(column.name))]
        if any(name.casefold().removesuffix("s") == stem for name in names):
            return True
        profile = known.profiles.get(table.fqn)
        for column in profile.columns if profile is not None else ():
            if ColumnKey(table.fqn, column.name) not in known.private and any(
                str(one.value).casefold() == words for one in column.top_values
            ):
                return True
    return False

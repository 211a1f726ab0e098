"""Defines the question that the pipeline works on: the message, and what came before it in its session."""

from collections.abc import Sequence
from dataclasses import dataclass

from persistence.queries.chat_provenance import AskedBack, EarlierAnswer, LastTurn
from resolvers.engines.answering.forms import AnswerForm, FormWish
from resolvers.engines.nl2sql.model import Interpretation, QueryDraft
from schema.talk2data.provenance import AnswerKind, FailedDraft


@dataclass(frozen=True, slots=True)
class Begun:
    """A draft that was told before the process died, with where it was to run."""

    uri: str
    draft: QueryDraft
    failed: Sequence[FailedDraft] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What is told in the place of an answer, before any data is looked at."""

    kind: AnswerKind
    message: str
    readings: Sequence[Interpretation] = ()


@dataclass(frozen=True, slots=True)
class PipelineQuestion:
    """Holds what is asked, and what came before it in the session."""

    text: str
    task_id: str
    names: Sequence[str] = ()
    """The data that the asker names; empty for whatever fits."""
    earlier: Sequence[EarlierAnswer] = ()
    """The answered questions of the session, the oldest first."""
    position: int = 1
    """Its place in the session."""
    unread: bool = False
    """Whether artifacts or files came with it."""
    chosen: str | None = None
    """The id of the reading that the asker has chosen."""
    reading: Begun | None = None
    """That reading, where its query is known."""
    reply: Reply | None = None
    """What is told at once."""
    again: AskedBack | None = None
    """The question back that is asked once more."""
    said: str | None = None
    """The message as it is, where a wish was taken out of it."""
    rephrased: bool = False
    """Whether `text` is not the message itself: what it makes of the question before it, or what it says beside a
    wish.
    """
    wish: FormWish | None = None
    """The form that the message wishes the answer in; `text` is what else it says."""
    wished_before: AnswerForm | None = None
    """The form that the question was wished in that the message may go on from."""
    is_repeated: bool = False
    """Whether it is the last answer's question once more, in another form."""
    as_asked: bool = False
    """Whether nothing is shown beside what is asked for, such as the figure that a ranking goes by."""
    maybe: str | None = None
    """What the message may make of the question before it; it counts when that can be answered."""
    is_guess: bool = False
    """Whether `maybe` counts only when the answer to it is sure."""
    last: LastTurn | None = None
    """The turn before it."""
    unfinished: Begun | None = None
    """The query of that turn, where it came to no answer."""

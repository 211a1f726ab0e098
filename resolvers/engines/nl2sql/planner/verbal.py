"""Which words of a question are verbs, though a noun is known by them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.language.verbs import IRREGULAR_VERBS, VERBS, is_participle
from resolvers.engines.nl2sql.language.words import AGGREGATES, DOING, HELPING, PREPOSITIONS
from resolvers.engines.nl2sql.mention import Mention, MentionKind, Token
from resolvers.engines.nl2sql.planner.straying import LIGHT

if TYPE_CHECKING:
    from resolvers.engines.nl2sql.planner.atoms import Atom

_KNOWN: Final = 0.75
"""How well a word must be known as a noun."""
_ALSO: Final = 0.8
"""How well a column must be called by a verb for it to be meant as well."""
_CALLED: Final = 0.7
"""How well a table must be called by a word that can be nothing but a noun."""


def is_verbal(atom: "Atom", tokens: Sequence[Token]) -> bool:
    """Return whether a word is rather a verb than the noun that it is linked to."""
    if atom.ref is None or atom.cue not in (None, Cue.LIGHT) or atom.last - atom.first != 1:
        return False
    if not atom.ref.is_noun or tokens[atom.first].quoted:
        return False
    low, lemma = tokens[atom.first].text.lower(), tokens[atom.first].lemma
    best = atom.ref.mentions[0].score
    named = tokens[atom.first - 1].text.lower() in _DETERMINERS if atom.first else False
    if low == f"{lemma}s" and best >= _KNOWN and (_is_asked_for(tokens, atom.first) or _is_counted(tokens, atom.first)):
        return False  # which houses, how many plays, the most works
    if low == f"{lemma}s" and atom.ref.best(MentionKind.TABLE) >= _CALLED and _is_counted_or_first(tokens, atom.first):
        return False  # how many ships arrived, of vessels; ships that called
    if low.endswith("ing") and atom.ref.best(MentionKind.TABLE) >= 0.95 and (named or _is_added_up(tokens, atom)):
        return False  # a crossing, any booking, the amount of funding
    if low.endswith(("ed", "ing")) and low != lemma:
        return True
    behind = tokens[atom.last].text.lower() if atom.last < len(tokens) else ""
    if low.endswith("ed") and behind in _DONE_TO:
        return True  # closed the most tickets, though `closed` is a word of its own
    past = low != lemma and not low.endswith("s")
    if past and lemma in VERBS and atom.first and tokens[atom.first - 1].text.lower() == "who":
        return True  # who wrote it, and not what was written
    if past and low in IRREGULAR_VERBS and lemma in VERBS and not named and (best < 0.95 or behind in _OBJECTS):
        return True  # lost two duels, sent the most parcels
    if named and atom.first > 1 and tokens[atom.first - 2].text.lower() in ("is", "are", "was", "were", "and"):
        return False  # what is that cost
    ahead = tokens[atom.first - 1].text.lower() if atom.first else ""
    if ahead in _OWNED and low == lemma:
        return False  # whose pay, the average pay
    if is_sized(tokens, atom.first):
        return True
    if low == lemma and lemma in VERBS and _is_done(tokens, atom):
        return True  # how many plays did each poet write
    if lemma in VERBS and _measures(atom, low) and _is_done_by(tokens, atom.first):
        return True  # how much did each poet earn in 1920, how much has each tenant paid
    is_table = atom.ref.best(MentionKind.TABLE) >= 0.9 and low != lemma
    before_that = tokens[atom.first - 2].lemma if atom.first > 1 else ""
    asks = ahead == "which" and (not before_that.isalpha() or before_that in PREPOSITIONS)  # "Which state has ..."
    asks = asks or bool(atom.ref.measures)  # how much did we earn, of a measure that people call so
    if ahead in _SUBJECTS and not asks and lemma in VERBS and low in (lemma, f"{lemma}s") and not is_table:
        return True
    if low not in LIGHT:
        return best < 0.75 and lemma in VERBS and low == lemma
    before = tokens[atom.first - 1] if atom.first else None
    if before is not None and before.lemma in ("have", "with"):
        return best < 0.9
    return best < 0.9 or (before is not None and not before.is_lemma and before.text.isalpha())


def _is_asked_for(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a word stands right behind `how many`, or `which` that asks, so that it is a noun."""
    before = tokens[at - 1].text.lower() if at else ""
    if before == "which":
        return at == 1 or tokens[at - 2].lemma in PREPOSITIONS or not tokens[at - 2].lemma.isalpha()
    return before == "many" and at > 1 and tokens[at - 2].text.lower() == "how"


def _is_counted_or_first(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a plural begins a question, or stands right behind `how many`: no verb is of one there."""
    return not at or (at > 1 and [one.text.lower() for one in tokens[at - 2 : at]] == ["how", "many"])


def _is_counted(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a word is had: behind `have`, a number or a word for an amount, as in `had works`, `have
    3 works`.
    """
    before = tokens[at - 1].text.lower() if at else ""
    had = any(token.lemma in ("have", "with", "without") for token in tokens[max(0, at - 4) : at - 1])
    if is_participle(before) and at > 1 and tokens[at - 2].text.lower() in _BEFORE_NOUNS:
        return True  # of completed works
    return before in ("has", "have", "had") or (had and (before in _MANY or before.isdigit()))


_MANY: Final = frozenset(("most", "fewest", "more", "fewer", "many", "no", "any", "some"))


def is_state_of_a_noun(mention: Mention, tokens: Sequence[Token]) -> bool:
    """Return whether a noun that is asked for is linked to what was done: how many plays, where a status
    is `played`.
    """
    if mention.kind is not MentionKind.VALUE or mention.last - mention.first != 1 or not mention.values:
        return False
    token, value = tokens[mention.first], mention.values[0].value
    plural = token.text.lower() == f"{token.lemma}s" and not token.quoted
    done = isinstance(value, str) and value.lower() != token.lemma and is_participle(value.lower())
    return plural and done and _is_asked_for(tokens, mention.first)


def _is_added_up(tokens: Sequence[Token], atom: "Atom") -> bool:
    """Return whether a word for a figure stands before: `amount of`, `total`."""
    before = [token.lemma for token in tokens[max(0, atom.first - 2) : atom.first]]
    return before[-1:] in (["total"], ["average"]) or (before[-1:] == ["of"] and before[0] in _FIGURES)


_FIGURES: Final = frozenset(("amount", "total", "sum", "number", "value", "volume", "share", "percentage", "cost"))


_SIZED: Final = (["over"], ["under"], ["between"])


def is_sized(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a word is done by things right before it, to the size behind it: `which trips cost more
    than 100`.
    """
    word, before = tokens[at], tokens[at - 1] if at else None
    if not word.is_lemma or word.lemma not in VERBS or before is None:
        return False
    behind = [one.lemma for one in tokens[at + 1 : at + 3]]
    sized = (
        behind[1:] == ["than"]
        or behind in (["at", "least"], ["at", "most"])
        or behind[:1] in (["over"], ["under"], ["between"])
    )
    return sized and before.text.lower() in (f"{before.lemma}s", f"{before.lemma}es", f"{before.lemma[:-1]}ies")


def tells_which(tokens: Sequence[Token], atom: "Atom", noun: "Atom") -> bool:
    """Return whether a verb stands before a noun as an adjective does, and says which are meant: `how many open bills
    are there`, `the lost parcels`. One that has not the form of a participle might as well be done to the noun, as in
    `how many hold licences`, unless the noun goes on as what something is said of.
    """
    if atom.last - atom.first != 1 or not atom.first or atom.is_unknown or atom.cue not in (None, Cue.LIGHT):
        return False
    if atom.ref is not None and (atom.ref.values or atom.ref.literals or atom.ref.patterns):
        return False  # what they are is known
    word, before = tokens[atom.first], tokens[atom.first - 1].text.lower()
    low = word.text.lower()
    done = is_participle(low) and not word.is_lemma
    if before not in _BEFORE_NOUNS or word.quoted or low in _SAYING_NOTHING or not (atom.may_be_verb or done):
        return False
    if before in ("which", "what") and atom.first > 1:
        return False  # teams which won games
    if before == "most" and not any(one.lemma in ("have", "with") for one in tokens[atom.first - 3 : atom.first - 1]):
        return False  # the most sold games
    if done:
        return True
    behind = tokens[noun.last].text.lower() if noun.last < len(tokens) else ""
    return word.is_lemma and before in _HOW_MANY and behind in _SAID_OF


def _is_done(tokens: Sequence[Token], atom: "Atom") -> bool:
    """Return whether `how many ... did` stands before what ends a sentence."""
    said = [token.text.lower() for token in tokens[: atom.first]]
    ends = atom.last == len(tokens) or tokens[atom.last].text in (".", "?", "!")
    return ends and "many" in said and not DOING.isdisjoint(said)


def _measures(atom: "Atom", word: str) -> bool:
    """Return whether a verb calls an amount: a column of just that name, or another one beside the time it was done."""
    columns = [one for one in (atom.ref.columns if atom.ref is not None else ()) if one.score >= _ALSO]
    return len(columns) > 1 or any(one.column is not None and one.column.column.lower() == word for one in columns)


def _is_done_by(tokens: Sequence[Token], at: int) -> bool:
    """Return whether `how much` is asked, and a verb stands right behind who does it: `did each tenant pay`."""
    said = [token.text.lower() for token in tokens[:at]]
    if said[:2] != ["how", "much"] or not said[-1].isalpha() or said[-1] in _DETERMINERS | _SUBJECTS | PREPOSITIONS:
        return False
    return not HELPING.isdisjoint(said[-4:-1]) and said[-1] not in HELPING


_HOW_MANY: Final = frozenset(("many", "most", "fewest", "number", "of", "the", "our", "all"))
_BEFORE_NOUNS: Final = _HOW_MANY | {"which", "what", "any", "no", "some", "their", "his", "her", "each", "every"}
_SAID_OF: Final = frozenset(("is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "?", "."))
_SAYING_NOTHING: Final = frozenset(("total", "name", "named", "called", "known"))
_DETERMINERS: Final = frozenset(
    ("a", "an", "the", "any", "each", "every", "no", "some", "that", "this", "one", "single", "per", "many")
)
_DONE_TO: Final = frozenset(("the", "a", "an", "most", "least", "more", "fewer"))
"""Words that what is done to something stands before."""
_OBJECTS: Final = _DONE_TO | word_set("at by no any on in to from before us me him them it")
"""Words behind a verb rather than a noun."""
_OWNED: Final = frozenset(("whose", "their", "its", "his", "her", *(one[0] for one in AGGREGATES if len(one) == 1)))
_SUBJECTS: Final = word_set("that which who they he she it i we you to not can n't did do does")

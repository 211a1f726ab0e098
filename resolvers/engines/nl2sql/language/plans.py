"""Words that set what came about beside what was planned: `started late`, `ended later than planned`, `over budget`."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.language.tokens import root_of
from resolvers.engines.nl2sql.language.verbs import VERBS
from resolvers.engines.nl2sql.mention import Token
from resolvers.engines.nl2sql.plan import Operator

PLANS: Final = {
    root_of(word): root_of(kind)
    for kind, said in {
        "plan": "plan planned schedule scheduled expect expected intend intended target",
        "due": "due deadline promise promised require required request requested eta etd",
        "estimate": "estimate estimated est quote quoted forecast",
        "budget": "budget budgeted allowance",
    }.items()
    for word in said.split()
}
"""Words of what was planned, each with its kind."""
ALIKE: Final = {
    root_of("plan"): {root_of("due"), root_of("estimate")},
    root_of("due"): {root_of("plan")},
    root_of("estimate"): {root_of("budget"), root_of("plan")},
    root_of("budget"): {root_of("estimate"), root_of("plan")},
}
"""Kinds of plans that answer for one another, where there is none of the kind said."""
REAL: Final = {root_of(word) for word in ["actual", "act", "real", "actually"]}
PLAIN: Final = {
    root_of(word)
    for word in ["date", "time", "day", "at", "on", "back", "amount", "value", "total", "gbp", "usd", "eur"]
}
"""Words that tell columns of what came about, and words that tell nothing beside a kind of data."""
_LATE: Final = word_set("late later behind overdue")
_EARLY: Final = word_set("early earlier ahead")
_OVER: Final = word_set("over above exceed exceeded exceeds exceeding more higher")
_UNDER: Final = word_set("under below less lower")
PUNCTUALLY: Final = "punctually"
"""`On time`, in a word that is no part of a name such as `paid on`."""
_SAYING: Final = _LATE | _EARLY | _OVER | _UNDER | {PUNCTUALLY}
DONE: Final = {
    root_of(word)
    for word in word_set(
        "return pay deliver arrive complete finish ship receive close resolve settle land submit actual"
    )
}
"""Words of days on which something came about, where nothing is said of what was late."""
SPENT: Final = {root_of(word) for word in ["cost", "spend", "spent", "actual", "expense"]}
"""Words of amounts that came about, where those of the plan are called a budget or the like only."""
_BACK: Final = root_of("return")
_LITTLE: Final = word_set("than the its their his her our it they was were is had been be as a an of original initial")
_GOING: Final = word_set("go come run be do have")
_NO_NOUNS: Final = word_set("which what how many that who were was are is have has did do and or the than")


class Said(NamedTuple):
    """What a question says of it."""

    first: int
    last: int
    """The tokens that say it."""
    operator: Operator
    plan: str
    """The kind of the plan; `late` where only times are compared, and no word for a plan is said."""
    deed: str
    """The root of the verb that is compared; empty where none is said."""

    @property
    def is_of_time(self) -> bool:
        """Return whether times are compared rather than amounts."""
        return self.plan == "late"

    @property
    def is_of_amounts(self) -> bool:
        """Return whether amounts are compared: a budget or an estimate is of what something costs."""
        return not self.deed and self.plan in (root_of("budget"), root_of("estimate"))


def said_of_plans(tokens: Sequence[Token]) -> Said | None:
    """Return what tokens say of something planned; None where they say nothing of it."""
    for at, token in enumerate(tokens):
        low = token.text.lower()
        if token.quoted or low not in _SAYING:
            continue
        more = Operator.MORE if low in _LATE | _OVER else Operator.LESS
        timed = low in _LATE | _EARLY
        behind = at + 1
        while behind < len(tokens) and tokens[behind].text.lower() in _LITTLE:
            behind += 1
        plan = PLANS.get(root_of(tokens[behind].text.lower()), "") if behind < len(tokens) else ""
        deed = _deed(tokens, at)
        if plan:
            return Said(at, behind + 1, more, plan, deed)
        if low == PUNCTUALLY and (deed or _is_said_of_rows(tokens, at)):
            return Said(at, at + 1, Operator.AT_MOST, "late", deed)
        ends = at + 1 == len(tokens) or not tokens[at + 1].text.isalpha() or tokens[at + 1].lemma in ("in", "by", "and")
        if timed and low in ("late", "early") and ends and (deed or _is_said_of_rows(tokens, at)):
            return Said(at, at + 1, more, "late", deed)
    return None


def _is_said_of_rows(tokens: Sequence[Token], at: int) -> bool:
    """Return whether rows are called late as they are: `how many loans were late`."""
    return at > 0 and tokens[at - 1].lemma == "be"


def _deed(tokens: Sequence[Token], at: int) -> str:
    """The root of the verb that stands right before; empty where it says nothing of what is compared."""
    before = tokens[at - 1] if at else None
    if before is None or before.lemma in _GOING or before.text.lower() in _NO_NOUNS:
        return ""
    low = before.text.lower()
    if low == "back":  # came back late
        return _BACK
    return root_of(before.lemma) if before.lemma in VERBS or low.endswith("ed") or low.endswith("t") else ""


def is_planned(words: Iterable[str]) -> bool:
    """Return whether words of a time say when something should be, of which nobody knows whether it was."""
    return any(word == "next" or root_of(word) in PLANS for word in words)


def is_foreseen(names: Iterable[str], said: Iterable[str]) -> bool:
    """Return whether a name says that something was only foreseen, as an estimated cost is, and a question does not."""
    told = {PLANS[root] for name in names if (root := root_of(name)) in PLANS} & _FORESEEN
    return bool(told) and told.isdisjoint(PLANS.get(root_of(word), "") for word in said)


_FORESEEN: Final = {root_of(word) for word in ("plan", "estimate", "budget")}

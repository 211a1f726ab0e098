"""Questions that ask how far two figures lie apart, as a question for each: `How many more hens than ducks lay eggs?`.

What is taken away is asked for second. A figure that went up or down is asked for at both ends of its time.
"""

import re
from collections.abc import Iterator
from typing import Final

from resolvers.engines.nl2sql.language.degrees import degree_of

Halves = tuple[str, str]
"""The question for a figure, and that for the figure which is taken away from it."""
_PERCENT: Final = (
    r"(?:how many (?:percent|per cent|%)|(?:what|how much) (?:percent(?:age)?|per cent|%)|how much in percent)"
)

_IN: Final = r"(?:in|from|for|by|with|at|on|during|of|among|to|into|under|over|as)"
_MORE: Final = re.compile(
    r"^(?:by )?how (?P<much>many|much) (?P<more>more|fewer|less) (?P<said>.+?),? than "
    r"(?:(?:it|we|they|he|she) (?:did|was|were|had) )?(?P<other>.+?)(?: (?:did|does|do|had|has|have))?$",
    re.IGNORECASE,
)
_TALLER: Final = re.compile(
    r"^how (?:much|many \w+) (?P<more>more )?(?P<than>\w+) (?P<be>is|are|was|were) (?P<one>.+?) than "
    r"(?P<other>.+?)(?: (?:is|are|was|were))?$",
    re.IGNORECASE,
)
_DIFFERENCE: Final = re.compile(
    r"^(?:(?:what|how (?:big|large|great|much)) (?:is|was|are|were)|what's|find|show|give|compute|calculate)?(?: me)? ?"
    r"(?:the )?difference (?:(?:in|of) (?P<what>.+?) )?between (?P<one>.+?),? (?:and|vs\.?|versus) (?P<other>.+)$",
    re.IGNORECASE,
)
_CHANGED: Final = re.compile(
    rf"^(?:by )?(?:(?P<percent>{_PERCENT})|how much) "
    r"(?:(?:did|does|has|have) (?P<what>.+?)|(?P<more>more|less) (?P<rows>.+?)) "
    r"(?P<way>change|changed|grow|grown|rise|risen|increase|increased|improve|improved|go up|gone up|climb|climbed"
    r"|fall|fallen|drop|dropped|decrease|decreased|decline|declined|shrink|shrunk|go down|gone down)"
    r"(?P<where> (?!between|from)[\w ]+?)? (?:between|from) (?P<one>.+?) (?:and|to|until|till) (?P<other>[\w-]+)"
    r"(?P<rest> .+)?$",
    re.IGNORECASE,
)
_DOWN: Final = re.compile(r"fall|drop|decrease|decline|shrink|down", re.IGNORECASE)
_OF: Final = re.compile(r"^(?:the )?(?P<what>.+?) (?P<tie>of|in|for) (?P<whose>.+)$", re.IGNORECASE)
_NAME: Final = re.compile(r"(?:[A-Z0-9\"“][\w.'\u2019&\"”-]*)(?: (?:(?:of|the|and|de) )?[A-Z0-9][\w.'\u2019&-]*)*")


_GROWTH: Final = re.compile(
    r"^(?:what (?:is|was)|what's|show|give|find|compute|calculate)(?: me)? (?:the )?"
    r"(?:(?:percentage|percent|relative) (?P<way>growth|increase|rise|change|decrease|decline|drop)|growth rate) "
    r"(?:in|of) (?P<what>.+?) (?:between|from) (?P<one>.+?) (?:and|to|until|till) (?P<other>[\w-]+)(?P<rest> .+)?$",
    re.IGNORECASE,
)


def in_percent(text: str) -> int | None:
    """Which of two halves is the hundred percent that their difference is told in; None where it is told as it is."""
    said = text.strip().rstrip("?.! ")
    found = _CHANGED.match(said)
    if found is not None and found["percent"] is None:
        return None
    found = found or _GROWTH.match(said)
    return None if found is None else int(not _DOWN.search(found["way"] or ""))


def halves(text: str) -> Iterator[Halves]:
    """The ways to ask a question in two; none where it asks for no difference."""
    said = text.strip().rstrip("?.! ")
    if (found := _TALLER.match(said)) is not None and (degree := degree_of(found["than"])) is not None:
        first, second = (f"How {degree.adjective} {found['be']} {one}?" for one in (found["one"], found["other"]))
        yield first, second
    elif (found := _MORE.match(said)) is not None:
        yield from _more(found)
    elif (found := _DIFFERENCE.match(said)) is not None:
        yield from _between(found)
    elif (found := _CHANGED.match(said) or _GROWTH.match(said)) is not None:
        yield _changed(found)
        if len((found.groupdict()["what"] or "").split()) == 1:  # the growth in orders
            yield _changed(found, "number of ")


def _more(found: re.Match[str]) -> Iterator[Halves]:
    """`How many more A than B`: B stands in the place of what A is told by."""
    many, said, other = found["much"].lower(), found["said"], found["other"]
    both = _in_place(said, other)
    if both is not None:
        halves = tuple(f"How {many} {one}?" for one in both)
        yield (halves[0], halves[1]) if found["more"].lower() == "more" else (halves[1], halves[0])


def _in_place(said: str, other: str) -> tuple[str, str] | None:
    """Return what is said of the one, and the same of the other."""
    tie = re.match(rf"(?P<tie>{_IN}) ", other, re.IGNORECASE)
    if tie is not None:
        places = list(re.finditer(rf"\b{tie['tie']} ", said, re.IGNORECASE))
        return (said, said[: places[-1].start()] + other) if places else None
    own, theirs = list(_NAME.finditer(said)), _NAME.match(other)
    if own and theirs is not None:  # did Ann sell than Bob
        last = own[-1]
        rest = other[theirs.end() :]
        return said + rest, said[: last.start()] + theirs[0] + said[last.end() :] + rest
    words = said.split()
    behind = other.split()
    if len(words) == 1 and behind:  # more hens than ducks lay eggs
        rest = " ".join(behind[1:])
        return f"{said} {rest}".strip(), other
    return None


def _between(found: re.Match[str]) -> Iterator[Halves]:
    what, one, other = found["what"], found["one"], found["other"]
    if what is not None:
        other, rest = _rest(one, other)
        for tie in ("in",) if one[:4].isdigit() else ("of", "in", "for"):
            yield f"What is the {_bare(what)} {tie} {one}{rest}?", f"What is the {_bare(what)} {tie} {other}{rest}?"
        return
    own = _OF.match(one)
    if own is not None and _OF.match(other) is not None:  # the pay of Ann and that of Bob
        other = re.sub(r"^(?:that|those) (?=of|in|for)", f"the {own['what']} ", other)
        yield f"What is the {_bare(one)}?", f"What is the {_bare(other)}?"
        return
    words = other.split()
    if len(one.split()) <= 2 and len(words) > 1:  # the highest and the lowest price of a boat
        behind = re.sub(r"^the ", "", other).split()
        yield f"What is the {_bare(one)} {' '.join(behind[1:])}?", f"What is the {_bare(other)}?"


def _rest(one: str, other: str) -> Halves:
    """The second name, and what is said of both behind it: `1996 and 1997 in France`."""
    name = _NAME.match(other)
    if name is not None and name.end() < len(other):
        return name[0], other[name.end() :]
    return other, ""


def _changed(found: re.Match[str], figure: str = "") -> Halves:
    told = found.groupdict("")
    what, rest = told["what"] or told["rows"], f"{told.get('where', '')}{told['rest']}"
    first, last = (
        f"What was the {figure}{_bare(what)}{rest} in {_bare(when)}?" for when in (found["one"], found["other"])
    )
    return (first, last) if _DOWN.search(told["way"]) else (last, first)


def _bare(text: str) -> str:
    return re.sub(r"^the ", "", text, flags=re.IGNORECASE)

"""Turns of speech that say again, or at length, what other words of a question say plainly."""

import re
from collections.abc import Callable
from typing import Final

from resolvers.engines.nl2sql.language.degrees import degree_of
from resolvers.engines.nl2sql.language.phrases import PHRASES
from resolvers.engines.nl2sql.language.plans import PUNCTUALLY
from resolvers.engines.nl2sql.language.tokens import lemma_of
from resolvers.engines.nl2sql.language.words import PREPOSITIONS

_NOT_NOUNS: Final = r"(?!one\b|of\b|other\b|time\b)"
_EACH_ONE: Final = re.compile(
    rf"\b(each|every) ({_NOT_NOUNS}[a-z][\w-]*)\b(?P<between>.*?)\b(?:each|every)(?: one| of (?:them|these|those))\b",
    re.IGNORECASE,
)
_TELL_OF: Final = re.compile(
    r",?\s+(?:can|could|would) you (?:tell|give|show)(?: (?:me|us))? (?:about|of|on|for)\b", re.I
)
_TELL: Final = re.compile(r"\s+(?:can|could|would) you (?:tell|give|show) (?:me|us)(?=\s*[?.!]|\s*$)", re.IGNORECASE)
_DESCRIBED: Final = re.compile(r"^\s*how (?:is|are|was|were) (.+?) described(?=\s*[?.!]|\s*$)", re.IGNORECASE)
_DESCRIBE: Final = re.compile(
    r"^\s*(?:please )?describe (?!(?:all|how|what|every|each|me)\b)(?=.*\s)(?!.*\b(?:table|data|column|database)s?\b)",
    re.IGNORECASE,
)

_SOMEBODY: Final = re.compile(
    r"\b(?:man|woman|guy|lady|gentleman)(?= (?:with the (?:first |last |full |family )?name|named|called)\b)",
    re.IGNORECASE,
)

_PERCENT: Final = re.compile(r"(?<!\d )(?<!\d)% of (?=[a-z])", re.IGNORECASE)
"""A sign that asks for a share, and stands behind no number."""
_OVERALL: Final = re.compile(r"\b(?:overall|general|total|grand) (?=(?:average|mean|median)\b)", re.IGNORECASE)
"""A word before an average that only says of what it is one: of all."""
_NEITHER: Final = re.compile(
    r"\b(with|have|has|had|having) neither ((?:an? )?[\w-]+(?: [\w-]+)?) nor (?:(?:an?|any) )?(?=[\w-])", re.IGNORECASE
)
_LATE_ROWS: Final = re.compile(r"\b(late|overdue) ([a-z]{3,}s)\b(?! (?:fee|charge))", re.IGNORECASE)
_ON_TIME: Final = re.compile(r"(?<=[a-z] )on time\b(?! of| series)", re.IGNORECASE)
_NONE_AT_ALL: Final = re.compile(
    r"\b(not|never|without|hasn't|haven't|hadn't|don't|doesn't|didn't)\b((?: [\w-]+){0,3}?)"
    r" (?:an? single|(?:(?<=have )|(?<=had )|(?<=has ))one(?: single)?) (?=[a-z])",
    re.IGNORECASE,
)
_ASKED_LAST: Final = re.compile(
    r"^\s*(?:(?:which|what|list|show|give me|show me|all|the)\s+)*(?P<what>\S.*?)"
    r"(?:\s*[,:;?]\s*|\s+[-\u2013\u2014]\s+)(?:and |but )?(?:just |only )?"
    r"(?:how many(?: (?:is|are|was|were) (?:there|that|those|they))?|(?:the |a )?(?:count|number))"
    r"(?P<each> (?:per|by|for each) [\w -]+)?\s*[.?!]*$",
    re.IGNORECASE,
)
"""A question that says at its end alone that a count is wanted: `cancelled orders, how many`, `late loans - count`."""
_ASKS_ITSELF: Final = re.compile(
    r"\b(?:how|what|who|when|where|average|total|sum|top|count|number|most|least|fewest)\b", re.IGNORECASE
)
_ASKS_BESIDE: Final = re.compile(r"^\s*(?:which|what)\b.*[,:;?]? and how many\b", re.IGNORECASE)
"""`Which shops have more than 3 cars, and how many?`, which asks for the shops as well."""
_AS_WELL: Final = re.compile(r",?\s+(?:as well|too)(?=\s*[.?!;,]|\s*$)", re.IGNORECASE)
"""`Give the amount as well`, which only says that something else was asked for."""
_ARE_NOT_SO: Final = re.compile(r"\b(is|are|was|were) non[- ]([a-z]{3,})\b", re.IGNORECASE)
"""`Bikes that are non-electric`."""
_PIECES: Final = re.compile(r"\b(?:pieces?|items?) of (?=[a-z]{4,})", re.IGNORECASE)
"""What counts things that are spoken of in the singular: `three pieces of equipment`."""
_ALTOGETHER: Final = re.compile(r"\b(?:altogether|all together|all told)(?=\s*[?.!,]|\s*$)", re.IGNORECASE)
_NAME_FIRST: Final = re.compile(r"^\s*name(?=(?:,| and) )", re.IGNORECASE)
"""`Name and credit limit of the customers`, which is no command to name something."""
_NOT_GIVEN: Final = re.compile(r"(?<=\bnot )(?=(?:given|recorded|available) (?:to|by|in) (?:any|an?)\b)", re.IGNORECASE)
"""`Awards that were not given to any film`, which are no awards of which something is not given."""
_TOTAL_DONE: Final = re.compile(
    r"^\s*(?:(?:what (?:is|was)|show|give me|list) )?(?:the )?total (?:amount |sum )?"
    r"(invoiced|billed|refunded|donated|invested|paid|spent|received|raised|collected)"
    r"(?= (?:per|by|for|in|on|to|from|of)\b|\s*[?.]|\s*$)",
    re.IGNORECASE,
)
"""`Total invoiced per year`."""
_LEAVING_OUT: Final = re.compile(
    r"(?:,? but |,? and )?\b(?:leav(?:e|es|ing) out|(?:not |without |don't |do not )count(?:ing)?"
    r"|(?:not |without )(?:including|considering)|disregard(?:ing)?|ignor(?:e|ing)|omit(?:ting)?|skip(?:ping)?"
    r"|setting aside) (?:(?:all|any|the) )?(?=[\w\"'])",
    re.IGNORECASE,
)
"""What takes rows away: `leaving out those from France`."""
_LEFT_OUT: Final = re.compile(
    r"\s*[,;(]\s*((?:[\w'-]+ ){1,5})(?:are |is |were |to be )?"
    r"(?:excluded|left out|ignored|not (?:counted|included)|omitted|disregarded)(?: ones)?\s*\)?(?=\s*[,.?!]|\s*$)",
    re.IGNORECASE,
)
"""The same said behind what is taken away: `(orders from France excluded)`."""
_ENDS: Final = re.compile(
    r"\bfrom (?:the )?(?P<one>\w+) (?P<of>(?:\w+ ){0,2}?)to (?:the )?(?P<other>\w+)(?P<again> \w+)?", re.IGNORECASE
)
"""Both ends of an order: `from the highest paid to the lowest paid`."""
_WE_DO: Final = re.compile(
    r"(?<!\bdo)(?<!\bdid)(?<!\bcan)(?<!\bhave)(?<!\bshould)(?<!\bwill)(?<!\bmust)(?<=[a-z]{3}s)"
    r" (?:(?:that|which) )?we (?:currently |now |still )?([a-z]{3,})(?=\s*[.?!]*\s*$)",
    re.IGNORECASE,
)
"""`The beers we brew`: what whoever asks does with all of them, said in the present."""
_EITHERS: Final = re.compile(r"\b(?:his ?(?:or|/) ?her|her ?(?:or|/) ?his)\b(?! own\b)", re.IGNORECASE)


def plainly(
    text: str,
    *,
    has_descriptions: bool,
    has_pieces: bool = False,
    has_totals: bool = False,
    is_held: Callable[[str], bool] = lambda word: False,
) -> str:
    """The question with such turns put plainly: `of each shop, and how many cars are in each one` names the shop again.

    `has_descriptions` is whether some column holds descriptions, which `describe` then asks for, `has_pieces` whether
    something is called pieces or items, and `has_totals` whether something is called a total; `is_held` tells whether a
    word is a value of the data, which is then meant as it stands.
    """
    text = _WE_DO.sub(_without_us, _ENDS.sub(_first, text))
    text = _ARE_NOT_SO.sub(r"\1 not \2", _AS_WELL.sub("", text))
    text = text if has_pieces else _PIECES.sub("", text)
    text = _EACH_ONE.sub(lambda found: f"{found[1]} {found[2]}{found['between']}each {found[2]}", text)
    text = _TELL.sub("", _TELL_OF.sub(" of", text))
    text = _PERCENT.sub("percentage of ", text)
    text = _LATE_ROWS.sub(lambda found: found[0] if is_held(found[1]) else f"{found[2]} that were late", text)
    text = _ON_TIME.sub(PUNCTUALLY, text)
    text = _NONE_AT_ALL.sub(r"\1\2 any ", text)
    asked = _ASKED_LAST.match(text)
    if asked is not None and not (_ASKS_ITSELF.search(asked["what"]) or _ASKS_BESIDE.match(text)):
        text = f"How many {asked['what']}{asked['each'] or ''}"
    text = text if has_totals else _TOTAL_DONE.sub(r"How much was \1 in total", text)
    text = _LEFT_OUT.sub(lambda found: f", excluding {found[1].strip()}", text)
    text = _LEAVING_OUT.sub(" excluding ", text).replace("  ", " ")
    text = _NAME_FIRST.sub("the name", _ALTOGETHER.sub("in total", text))
    text = _OVERALL.sub("", _NOT_GIVEN.sub("ever ", text))
    text = _NEITHER.sub(r"\1 no \2 and \1 no ", text)
    text = _EITHERS.sub("their", _SOMEBODY.sub("person", text))
    if has_descriptions:
        text = _DESCRIBED.sub(r"What is the description of \1", text)
        text = _DESCRIBE.sub("What is the description of ", text)
    return text


def _without_us(said: re.Match[str]) -> str:
    return "" if lemma_of(said[1].lower()) == said[1].lower() else said[0]


def _first(ends: re.Match[str]) -> str:
    """What comes first, of the two ends of an order."""
    one, other = degree_of(ends["one"]), degree_of(ends["other"])
    if one is None or other is None or one.comparative or other.comparative or one.superlative != other.superlative:
        return ends[0]
    if not ends["of"] and ("from", ends["one"].lower(), "to", ends["other"].lower()) in PHRASES:
        return ends[0]  # which says which way, of whatever it is
    again, of = (ends["again"] or "").strip(), ends["of"]
    if again and not of and again.lower() not in PREPOSITIONS and not ends.string[ends.end() :].strip(" .?!,;"):
        of, again = f"{again} ", ""  # from the oldest to the newest lift
    left = f" {again}" if again and not of.endswith(f"{again} ") else ""
    return f"{'' if one.superlative else 'most '}{ends['one']} {of}first{left}"

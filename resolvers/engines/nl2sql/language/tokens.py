"""A question in tokens, each word with its lemma: light English morphology, without a model.

The same `lemma_of` and `root_of` are used for the words of names, so that what they get wrong they get wrong alike on
both sides.
"""
# ruff: noqa: RUF001, E501, SIM905 - quotation marks of every kind, and lists of words

import re
from functools import lru_cache
from typing import Final

from resolvers.engines.english.grammar import singular
from resolvers.engines.english.vocabulary import COMMON
from resolvers.engines.nl2sql.language.verbs import IRREGULAR_VERBS, VERBS
from resolvers.engines.nl2sql.mention import Token

MOST_TOKENS: Final = 400
"""A question has that many tokens at most; what comes behind is not read."""

_PLURALS: Final = {
    "shoes": "shoe", "toes": "toe", "canoes": "canoe", "horseshoes": "horseshoe", "rookies": "rookie",
    "hoodies": "hoodie", "brownies": "brownie", "selfies": "selfie", "prairies": "prairie", "genies": "genie",
    "headaches": "headache", "wives": "wife", "wolves": "wolf", "loaves": "loaf", "thieves": "thief", "calves": "calf",
    "scarves": "scarf", "selves": "self", "alumni": "alumnus", "appendices": "appendix", "stadia": "stadium",
    "choruses": "chorus", "syllabi": "syllabus", "curricula": "curriculum", "grandchildren": "grandchild",
    "oxen": "ox", "dice": "die", "pence": "penny", "caches": "cache", "avalanches": "avalanche",
    "abbreviations": "abbreviation", "vertices": "vertex", "nationalities": "nationality", "aircrafts": "aircraft",
    "circuses": "circus", "cactuses": "cactus", "octopuses": "octopus", "walruses": "walrus", "canvases": "canvas",
    "atlases": "atlas", "christmases": "christmas", "pianos": "piano", "diseases": "disease", "vases": "vase",
    "senses": "sense", "genera": "genus", "larvae": "larva", "formulae": "formula", "antennae": "antenna",
    "axes": "axis", "yes": "yes", "gas": "gas", "always": "always", "perhaps": "perhaps", "ours": "our",
    "theirs": "their", "hers": "her", "yours": "your", "besides": "besides", "sometimes": "sometimes",
    "texas": "texas", "paris": "paris", "james": "james", "charles": "charles", "thomas": "thomas", "los": "los",
    "las": "las", "united": "united", "states": "state", "alps": "alps", "andes": "andes", "netherlands": "netherlands",
    "philippines": "philippines", "wales": "wales", "angeles": "angeles", "vegas": "vegas", "dallas": "dallas",
    "kansas": "kansas", "arkansas": "arkansas", "illinois": "illinois", "massachusetts": "massachusetts",
    "honduras": "honduras", "cyprus": "cyprus", "laos": "laos", "mercedes": "mercedes", "tennis": "tennis",
    "towards": "towards", "upwards": "upwards", "whereas": "whereas", "overseas": "overseas",
}  # fmt: skip

_NOUNS: Final = frozenset(
    "building rating meeting painting ranking spring string king ring wedding booking training shipping listing "
    "reading setting following housing wing morning evening during thing nothing something anything everything ceiling "
    "sterling earning swimming parking manufacturing engineering marketing billing boxing fishing hiking skiing sibling "
    "sing bring being wellbeing offspring pudding heading opening closing beginning ending pricing landing wrestling "
    "cycling sailing racing dancing nursing accounting programming advertising seating standing including according "
    "regarding excluding outstanding "
    "bed red need seed speed feed breed weed hundred sacred embed shed sled indeed unlimited united limited "
    "naked wicked exceed proceed succeed ted fred reed hybrid aged".split()
)
"""Words in -ing and -ed that are no forms of a verb, or stand for a thing more often than not."""

_QUOTES: Final = (
    r"\"(?P<q1>[^\"]{1,300})\"|“(?P<q2>[^”\"]{1,300})[”\"]|„(?P<q3>[^“”\"]{1,300})[“”\"]|«(?P<q4>[^»]{1,300})»"
    r"|`(?P<q5>[^`'´]{1,300})[`'´]|‘(?P<q6>[^’\n]{1,300})’(?!\w)|''(?P<q7>[^']{1,300})''"
    r"|(?<!\w)'(?P<q8>[^'\n]{1,300}(?:'(?=\w)[^'\n]{1,300}){0,5})'(?!\w)|(?<!\w)’(?P<q9>[^’\n]{1,300})’(?!\w)"
)
_TOKEN: Final = re.compile(
    rf"{_QUOTES}"
    r"|(?P<address>[\w.+-]+@[\w-]+(?:\.[\w-]+)+|https?://\S+|www\.\S+)"
    r"|(?P<date>\d{4}-\d{1,2}-\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
    r"|\d{1,2}[/.]\d{1,2}[/.]\d{4}|\d{4}/\d{1,2}/\d{1,2})(?![\w-])"
    r"|(?P<clock>\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b\.?)?)"
    r"|(?P<initials>(?:[A-Za-z]\.){2,})"
    r"|(?P<number>(?<![\w.)])[-+\u2212]?\s?[$€£]?\d+(?:,\d{3})*(?:\.\d+)?(?:st|nd|rd|th|s|k|m|bn|K|M|%)?(?![\w])"
    r"|[$€£]\s?\d+(?:,\d{3})*(?:\.\d+)?(?:k|m|bn|K|M)?(?!\w)|(?<!\w)\.\d+)"
    r"|(?P<word>[^\W_]+(?:[_#$][^\W]*)*(?:\.(?=[^\W\d]\w*_)\w+)?|_\w+)"
    r"|(?P<possessive>['’´](?:s|S)?(?!\w))"
    r"|(?P<shortened>['’´](?:re|ve|ll|d|m|t)(?!\w))"
    r"|(?P<sign><=|>=|!=|<>|==|[<>=≤≥≠]|[^\w\s])",
)
_CONTRACTED: Final = re.compile(r"(?i)\b(\w*)(n['’´]t)\b")
_IRISH: Final = re.compile(r"[A-Z]['’][A-Z][^\W_]+|[dDlL]['’][A-Z][^\W_]+")
_SHORTENED: Final = {"'re": "be", "'ve": "have", "'ll": "will", "'d": "would", "'m": "be", "'t": "not"}
_BEFORE_NOT: Final = {"ca": "can", "wo": "will", "sha": "shall", "ai": "be"}
_SUBJECTS: Final = frozenset(
    ("what", "who", "where", "when", "which", "how", "it", "that", "there", "here", "he", "she")
)


def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of a question in their order. Of quoted texts, the quotes belong to the token's place, not its text."""
    found: list[Token] = []
    at = 0
    while at < len(text) and len(found) < MOST_TOKENS:
        if text[at].isspace():
            at += 1
            continue
        irish = _IRISH.match(text, at) if not at or not text[at - 1].isalnum() else None
        if irish:
            found.append(Token(irish.group(), irish.group().lower(), at, irish.end()))
            at = irish.end()
            continue
        contracted = _CONTRACTED.match(text, at)
        if contracted and contracted.group(1):
            found += _negated(contracted, at)
            at = contracted.end()
            continue
        match = _TOKEN.match(text, at)
        if match is None:  # pragma: no cover - every sign that is no white space matches
            at += 1
            continue
        found.append(_token(match, found))
        at = match.end()
    return tuple(found)


def _negated(match: re.Match[str], at: int) -> list[Token]:
    """`don't` as two tokens."""
    word, between = match.group(1), match.start(2)
    base = _BEFORE_NOT.get(word.lower()) or lemma_of(word)
    return [Token(word, base, at, between), Token(match.group(2), "not", between, match.end())]


def _token(match: re.Match[str], before: list[Token]) -> Token:
    start, end, kind = match.start(), match.end(), match.lastgroup or ""
    said = match.group(kind) if kind.startswith("q") else match.group()
    if kind.startswith("q"):
        said = said.strip() or said
        return Token(said, said.lower(), start, end, quoted=True)
    if kind == "possessive":
        after_subject = before and before[-1].lemma in _SUBJECTS and before[-1].end == start
        return Token("is", "be", start, end) if after_subject else Token(said, "'s", start, end)
    if kind == "shortened":
        return Token(said, _SHORTENED["'" + said[1:].lower()], start, end)
    if kind == "word":
        return Token(said, lemma_of(said), start, end)
    if kind == "initials":
        return Token(said, said.replace(".", "").lower(), start, end)
    return Token(said, said.lower().replace("\u2212", "-").replace(" ", ""), start, end)


@lru_cache(maxsize=50_000)
def lemma_of(word: str) -> str:
    """A noun in the singular, a verb in its base form, in small letters. Comparatives stay what they are."""
    low = word.lower()
    if "_" in low or any(sign.isdigit() for sign in low):
        return low
    if low in IRREGULAR_VERBS:
        return IRREGULAR_VERBS[low]
    if low in _PLURALS:
        return _PLURALS[low]
    if low in VERBS or low in _NOUNS:
        return low
    if (
        len(low) > 4
        and low.endswith("men")
        and low not in ("specimen", "abdomen", "acumen", "regimen", "yemen", "omen")
    ):
        return low[:-2] + "an"
    if len(low) > 7 and low.endswith("people"):
        return low.removesuffix("people") + "person"
    single = singular(low)
    if single != low:
        return single
    if low in COMMON:
        return low
    for ending in ("ing", "ed"):
        if low.endswith(ending) and len(low) > len(ending) + 2:
            return _base(low, ending)
    return low


def _base(word: str, ending: str) -> str:
    """The base form of a regular verb's form."""
    stem = word.removesuffix(ending)
    if not any(vowel in stem for vowel in "aeiouy"):
        return word
    candidates = [stem, stem + "e"]
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "sl":
        candidates.insert(0, stem[:-1])
    elif len(stem) > 2 and stem[-1] == stem[-2]:
        candidates.append(stem[:-1])
    if ending == "ed" and stem.endswith("i"):
        candidates.insert(0, stem[:-1] + "y")
    for one in candidates:
        if one in VERBS or one in COMMON:
            return one
    if candidates[0] != stem:
        return candidates[0]
    mute = re.search(
        r"(?:[aeiou](?:t|z|c|g|v|s|b|d|k|m|n|p|r)|[cvuzg]|rs|ns|ps|rc|nc|rg|dg|lv|rv|bl|tl|gl|dl|pl)$", stem
    )
    short = re.fullmatch(
        r"[^aeiou]*[aeiou]{2}[^aeiou]|.*(?:er|en|on|it|or|et|ow|ew|ay|ey|oy|ck|sh|ch|th|ng|el|al|il)", stem
    )
    return stem + "e" if mute and not short else stem


_ENDINGS: Final = (
    "izations", "ization", "isation", "ational", "iveness", "fulness", "ousness", "ations", "ation", "ements", "ement",
    "ments", "ment", "ances", "ance", "ences", "ence", "ities", "ity", "ings", "ing", "ions", "ion", "ships", "ship",
    "ists", "ist", "ants", "ant", "ents", "ent", "ees", "ee", "ers", "er", "ors", "or", "als", "al", "ed", "ly", "es",
    "s", "ure", "age", "ive", "able", "ible", "ist", "ic", "e", "y",
)  # fmt: skip
_KEEP: Final = frozenset(
    "number order paper water river center computer letter power tower member gender other under matter quarter "
    "weather winter summer dinner cover corner silver father mother brother sister daughter master character chapter "
    "department apartment document equipment element segment moment comment percent agent student patient client parent "
    "event president resident continent accident current recent different content "
    "position station nation section million billion region religion union version session mission question division "
    "fashion passion relation option occasion union champion pension "
    "city county university identity facility quality quantity activity party county country company family "
    "language village image page stage message average percentage package garage age "
    "color doctor floor minor major author door mayor vendor sector factor motor tutor visitor "
    "animal hospital journal capital metal total medal festival mal real general local final official royal "
    "degree coffee tree fee committee referee "
    "thing king ring spring string wing building rating painting meeting "
    "list artist dentist guest coast host cost test rest west east best "
    "place price date time name state type rate race case base code "
    "music public basic topic clinic magic plastic "
    "picture feature temperature furniture nature culture "
    "paper super user per her offer buyer layer player super beer career engineer volunteer pier tier deer "
    "plant restaurant tenant giant "
    "table cable vegetable".split()
)
"""Words that an ending cannot be taken from without making them into others."""


@lru_cache(maxsize=50_000)
def root_of(word: str) -> str:
    """Return what words of one family begin with: `employ` for employed, employee and employment. Rough: it only
    suggests.
    """
    low = lemma_of(word)
    if low in _KEEP or len(low) < 5:
        return low
    for _ in range(2):
        for ending in _ENDINGS:
            stem = low.removesuffix(ending)
            if stem != low and len(stem) >= 4 and any(vowel in stem for vowel in "aeiouy"):
                low = stem
                break
        else:
            break
        if low in _KEEP:
            break
    if len(low) > 4 and low[-1] == low[-2] and low[-1] not in "sl":
        low = low[:-1]
    return low

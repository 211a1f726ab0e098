"""Numbers in a question, in figures and in words."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from typing import Final

from resolvers.engines.nl2sql.language.words import NUMBER_WORDS, ORDINALS, SCALES
from resolvers.engines.nl2sql.mention import Mention, MentionKind, Token
from resolvers.engines.nl2sql.plan import Literal

_NUMBER: Final = re.compile(r"([-+]?)[$€£]?(\d[\d,]*(?:\.\d+)?|\.\d+)(st|nd|rd|th|k|m|bn|%)?")


def number_of(text: str) -> Decimal | None:
    """The number that a token's lemma is; None when it is none. `3.5k` is 3500, `10%` is 10."""
    match = _NUMBER.fullmatch(text.lower())
    if match is None:
        return None
    sign, digits, ending = match.groups()
    try:
        number = Decimal(f"{sign}{digits.replace(',', '')}")
    except InvalidOperation:  # pragma: no cover - the pattern lets numbers through only
        return None
    return plain(number * SCALES[ending]) if ending in SCALES else number


def plain(number: Decimal) -> Decimal:
    """The number without zeros that say nothing, and without an exponent."""
    return number.quantize(Decimal(1)) if number == number.to_integral_value() else number.normalize()


def numbers_at(tokens: Sequence[Token], at: int) -> Iterator[Mention]:
    """The numbers that begin at a token."""
    token = tokens[at]
    if token.text.lower() == "ones":
        return  # which ones
    if (place := ORDINALS.get(token.text.lower())) is not None:  # and no seconds, which are a time
        yield _mention(at, at + 1, 0.5, "ordinal", Decimal(place))
    number = number_of(token.lemma)
    if number is None:
        yield from _spelled(tokens, at)
        return
    if token.lemma.endswith(("st", "nd", "rd", "th")):
        yield _mention(at, at + 1, 0.8, "ordinal", number)
        return
    after = tokens[at + 1].lemma if at + 1 < len(tokens) else ""
    if token.lemma.endswith("%"):
        yield _mention(at, at + 1, 1.0, "percent", number)
    elif after in ("percent", "%"):
        yield _mention(at, at + 2, 1.0, "percent", number)
    elif after in SCALES and (len(after) > 2 or tokens[at + 1].start == token.end):
        yield _mention(at, at + 2, 1.0, "number", plain(number * SCALES[after]))
    else:
        yield _mention(at, at + 1, 0.9, "number", number)


def _spelled(tokens: Sequence[Token], at: int) -> Iterator[Mention]:
    """`three`, `two hundred and fifty`, `a dozen`, `half a million`. Only from its first word on."""
    lemmas = [token.lemma for token in tokens[at : at + 12]]
    if at and (tokens[at - 1].lemma in NUMBER_WORDS or tokens[at - 1].lemma in SCALES):
        return
    if tokens[at].text.lower().endswith("ties"):  # the nineties
        return
    if lemmas[:2] == ["half", "a"] and lemmas[2:3] and lemmas[2] in SCALES and len(lemmas[2]) > 2:
        yield _mention(at, at + 3, 1.0, "number", Decimal(SCALES[lemmas[2]] // 2))
        return
    skip = 1 if lemmas[0] == "a" and lemmas[1:2] and (lemmas[1] in SCALES or lemmas[1] == "dozen") else 0
    total = part = 0
    last = skip
    for offset in range(skip, len(lemmas)):
        lemma = lemmas[offset]
        if lemma in ("and", "-") and last == offset and offset > skip and offset + 1 < len(lemmas):
            glue = lemma == "-" or lemmas[offset - 1] in SCALES
            if glue and lemmas[offset + 1] in NUMBER_WORDS:
                last = offset + 1
                continue
            break
        if lemma in SCALES and len(lemma) > 2 and (last == offset):
            if lemma == "hundred":
                part = (part or 1) * 100
            else:
                total, part = total + (part or 1) * SCALES[lemma], 0
        elif lemma in NUMBER_WORDS and lemma not in ("single", "score", "pair", "couple") and last == offset:
            value = NUMBER_WORDS[lemma]
            if part % 100 and not (part % 10 == 0 and 0 < value < 10) and lemma != "dozen":
                break
            part = part * 12 if lemma == "dozen" and part else part + value
        else:
            break
        last = offset + 1
    if last == skip:
        return
    alone = last - skip == 1 and lemmas[skip]
    score = {"one": 0.4, "once": 0.4, "twice": 0.6, "thrice": 0.6, "zero": 0.9}.get(alone or "", 0.9)
    yield _mention(at, at + last, score, "number", Decimal(total + part))


def _mention(first: int, last: int, score: float, how: str, value: Decimal) -> Mention:
    return Mention(first, last, MentionKind.LITERAL, score, how, values=(Literal("number", value),))

"""Turns of speech that say again, or at length, what other words of a question say plainly."""

import re
from typing import Final

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
_NEITHER: Final = re.compile(
    r"\b(with|have|has|had|having) neither ((?:an? )?[\w-]+(?: [\w-]+)?) nor (?:(?:an?|any) )?(?=[\w-])", re.IGNORECASE
)
_EITHERS: Final = re.compile(r"\b(?:his ?(?:or|/) ?her|her ?(?:or|/) ?his)\b(?! own\b)", re.IGNORECASE)


def plainly(text: str, *, has_descriptions: bool) -> str:
    """The question with such turns put plainly: `of each shop, and how many cars are in each one` names the shop again.

    `has_descriptions` is whether some column holds descriptions, which `describe` then asks for.
    """
    text = _EACH_ONE.sub(lambda found: f"{found[1]} {found[2]}{found['between']}each {found[2]}", text)
    text = _TELL.sub("", _TELL_OF.sub(" of", text))
    text = _PERCENT.sub("percentage of ", text)
    text = _NEITHER.sub(r"\1 no \2 and \1 no ", text)
    text = _EITHERS.sub("their", _SOMEBODY.sub("person", text))
    if has_descriptions:
        text = _DESCRIBED.sub(r"What is the description of \1", text)
        text = _DESCRIBE.sub("What is the description of ", text)
    return text

"""Which proposals say the same of different assets, so that one decision is about all of them.

Two are alike when they are of one kind and differ in nothing but what they are about: one tag on many columns, one rule
over many tables, one sentence in which only the names and the figures change. Nothing is compared with anything: each
proposal tells by itself what it is like, so that a run of any size is grouped as it is written down.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from resolvers.engines.english.grammar import singular
from resolvers.engines.english.identifiers import tokens_of
from schema.data_readiness.proposal import FLAGS, SETS, ProposalKind
from schema.identifiers import Fqn
from schema.utils.metadata_asset import LEVEL, AssetType

LONGEST: Final = 500
"""How many characters of a sentence tell what it is like; what differs only behind them is alike."""

_NAME, _NUMBER, _OWN = "…", "#", "{name}"
_QUOTED: Final = re.compile(r"`[^`]*`|“[^”]*”")
_IDENTIFIER: Final = re.compile(r"[^\W\d]\w*(?:[._]\w+)+|\w*_\w+")
_MEANT: Final = re.compile(r"(?<!\w)(?:an?|the) [^\W\d]+(?: [^\W\d]+){0,3} \(…\)")
"""A thing, with the column or table by which it is referred to."""
_SEVERAL: Final = re.compile(r"…(?:(?:, | and | or )…)+(?: and # more)?")
_FIGURE: Final = re.compile(r"(?<![\w.])[-+]?\d[\d,.:%-]*(?<![,.:])")
_WORD: Final = re.compile(r"[^\W\d_]+")
_ARTICLE: Final = re.compile(r"\ban (?=\{)")
_OPENING: Final = re.compile(r"(?<=[^\s.]\.)\s+(?=\S)")
_OWNS: Final = re.compile(rf"{re.escape(_OWN)}(?: {re.escape(_OWN)})+")


@dataclass(frozen=True, slots=True)
class Likeness:
    """What a proposal is like."""

    key: str
    """The same for all that are alike, and short."""
    says: str
    """What all of them say, for a reader: `…` for names, `#` for figures, `{name}` for the asset's own name."""


def likeness(asset_fqn: str, kind: ProposalKind, value: Any, current: Any = None) -> Likeness:
    """Tell what a proposal is like, by what it proposes; by what it would replace too, where anything stands there."""
    says = _says(asset_fqn, kind, value)[:LONGEST]
    over = bool(current) and kind in SETS  # to write over words is another decision than to fill a gap
    told = "\x1f".join((kind, says.removesuffix(" …").casefold(), str(over)))
    return Likeness(f"{kind}:{hashlib.blake2b(told.encode(errors='replace'), digest_size=10).hexdigest()}", says)


def _says(asset_fqn: str, kind: ProposalKind, value: Any) -> str:
    parts = Fqn.parse(asset_fqn).parts
    if kind is ProposalKind.DISPLAY_NAME:  # a name is judged with the name that it is for, wherever that stands
        return f"{parts[-1]}: {value}"
    if not isinstance(value, Mapping):  # how it opens; what follows are facts that were checked against the data
        opening, *more = _OPENING.split(str(value), maxsplit=1)
        return pattern(opening, parts) + (" …" if more else "")
    if kind in FLAGS:
        return str(value.get("tag_fqn"))
    if kind is ProposalKind.RULE:
        said = pattern(_unnamed(str(value.get("description") or ""), value.get("arguments")), parts)
        return f"{value.get('metric') or value.get('type')}: {said}"
    if kind is ProposalKind.RELATIONSHIP:
        return " ".join(str(value[name]) for name in ("type", "cardinality") if value.get(name))
    if kind is ProposalKind.GLOSSARY_LINK:
        return f"{value.get('name') or 'term'} ({value.get('term_id')})"
    return str(value.get("kind") or value.get("sentence") or sorted(value))


def pattern(sentence: str, parts: tuple[str, ...]) -> str:
    """A sentence about an asset without the names, figures and lists in it."""
    own = {_bare(token) for name in parts[LEVEL[AssetType.TABLE] - 1 :] for token in tokens_of(name)}
    text = _IDENTIFIER.sub(_NAME, _FIGURE.sub(_NUMBER, _QUOTED.sub(_NAME, sentence)))
    text = _SEVERAL.sub(_NAME, _MEANT.sub(_NAME, text))
    text = _OWNS.sub(_OWN, _WORD.sub(lambda word: _OWN if _bare(word[0]) in own else word[0], text))
    return _ARTICLE.sub("a ", _SEVERAL.sub(_NAME, text))


def _unnamed(sentence: str, arguments: Any) -> str:
    """A rule's sentence without the columns that its arguments name."""
    named = arguments if isinstance(arguments, Mapping) else {}
    texts = [text for value in named.values() for text in (value if isinstance(value, list) else [value])]
    for text in sorted({text for text in texts if isinstance(text, str) and text}, key=len, reverse=True):
        sentence = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", _NAME, sentence)
    return sentence


def _bare(word: str) -> str:
    return singular(word.lower())

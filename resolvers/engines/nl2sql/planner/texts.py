"""Texts that words are looked for in: `comments that mention the brakes`."""

from typing import Final

from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.planner.atoms import Ref
from resolvers.engines.nl2sql.planner.nouns import may_be_table
from resolvers.engines.nl2sql.planner.resolving import Resolver

_SHORTEST: Final = 4
"""Letters of a word that is more than a few letters to look for."""


def text_asked_for(resolver: Resolver) -> ColumnKey | None:
    """The column of texts that a question asks for first; None where it asks for rows, or for anything else."""
    for noun in resolver.frame.items:
        if noun.ref is not None and not may_be_table(noun.ref) and (key := resolver.column(noun)) is not None:
            return key if resolver.catalog.is_text(key) else None
    return None


def looked_for(resolver: Resolver, how: str, ref: Ref) -> str:
    """The text that others contain: of a plural without quotes what its singular has as well."""
    token = resolver.cut.linked.tokens[ref.first]
    alone = ref.last - ref.first == 1 and not token.quoted and token.text.islower()
    if alone and how == "contains" and len(token.lemma) >= _SHORTEST and token.text.startswith(token.lemma):
        return token.lemma
    return resolver.text(ref)

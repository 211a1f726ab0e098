"""What was never done with a row, where nothing but the verb says it: products that were never sold."""

from typing import Final

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.language.tokens import root_of
from resolvers.engines.nl2sql.language.verbs import VERBS, is_kin
from resolvers.engines.nl2sql.planner.resolving import Resolver

_TRADING: Final = word_set("sell buy order purchase")
_TRADES: Final = word_set("sale sales order purchase invoice line item detail basket receipt bill cart transaction")
"""Verbs of trade, and words of the tables that note it."""


def noted_of(resolver: Resolver, main: str) -> tuple[str, float] | None:
    """The table that notes what is denied of rows, and how much doubt there is; None where several may."""
    catalog = resolver.catalog
    users = catalog.below(main)
    tokens = resolver.cut.linked.tokens
    verbs = [token.lemma for token in tokens if token.lemma in VERBS and token.lemma not in ("be", "have", "do")]
    kin = [one for one in users if any(_says(resolver, verb, one) for verb in verbs)]
    if len(kin) == 1:
        return kin[0], 0.05
    return (users[0], 0.1) if len(users) == 1 else None


def _says(resolver: Resolver, verb: str, table: str) -> bool:
    """Return whether a verb speaks of what a table notes."""
    words = resolver.catalog.table_words(table)
    if verb in _TRADING and _TRADES & set(words):
        return True
    return any(is_kin(verb, word) or root_of(verb) == root_of(word) for word in words)


def says_none(value: str) -> bool:
    """Return whether a value says that there is none of something: `None`, `no damage`."""
    return value.lower().split()[:1] in _NONE


_NONE: Final = (["none"], ["no"], ["nothing"], ["nil"], ["without"])
"""First words of such values."""

"""Which of two days comes first by what their columns are called: nobody dies before birth, or leaves before hire."""

from typing import Final

from resolvers.engines.english.identifiers import words_of
from resolvers.engines.english.vocabulary import words

_FOLLOWS: Final = (
    (words("birth born birthday birthdate dob"),
     words("death died deceased hire hired joined enrolled admitted employed baptised baptized married")),
    (words("hire hired joined employed engaged enrolled entered"),
     words("left leave leaving terminated termination resigned resignation exit exited retired retirement graduated")),
    (words("start started starts begin begins began begun from opened opening"),
     words("end ended ends finish finished until till to closed closing completed completion stopped")),
    (words("order ordered"), words("ship shipped shipping dispatched delivered delivery received arrived")),
    (words("ship shipped dispatched sent"), words("delivered delivery received arrived")),
    (words("created opened reported submitted received"),
     words("updated modified closed resolved completed deleted cancelled canceled")),
    (words("admitted admission"), words("discharged discharge dismissed")),
    (words("issue issued received produced manufactured packed filled"), words("expiry expires expired expiration")),
    (words("borrowed lent rented rental loaned loan"), words("returned return")),
    (words("departure departed departs"), words("arrival arrived arrives")),
    (words("collected sampled taken drawn"), words("reported resulted analysed analyzed tested validated")),
    (words("registered registration invoiced invoice billed"), words("paid payment settled")),
    (words("founded established"), words("dissolved closed")),
    (words("issue issued invoice invoiced billed ordered borrowed lent loaned dose given administered inspected "
           "inspection serviced tested visit visited"), words("due")),
)  # fmt: skip
"""Words of what happens, and of what cannot happen before it."""


def comes_first(name: str, other: str) -> bool:
    """Return whether a column's name says that what it tells of is over when that of another happens, or begins it."""
    mine, others = _said(name), _said(other)
    forth = any(first & mine and then & others and not then & mine for first, then in _FOLLOWS)
    back = any(first & others and then & mine for first, then in _FOLLOWS)
    return forth and not back


def _said(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in (*words_of(name).words, name))

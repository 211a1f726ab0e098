"""As much English grammar as sentences about data need: singular, plural, articles, lists."""

from collections.abc import Sequence
from typing import Final

from resolvers.engines.english.vocabulary import words

_IRREGULAR: Final = {
    "people": "person", "children": "child", "men": "man", "women": "woman", "feet": "foot", "teeth": "tooth",
    "geese": "goose", "mice": "mouse", "criteria": "criterion", "phenomena": "phenomenon", "indices": "index",
    "matrices": "matrix", "vertices": "vertex", "analyses": "analysis", "bases": "basis", "diagnoses": "diagnosis",
    "crises": "crisis", "theses": "thesis", "leaves": "leaf", "lives": "life", "knives": "knife", "shelves": "shelf",
    "halves": "half", "movies": "movie", "cookies": "cookie", "zombies": "zombie", "calories": "calorie", "ties": "tie",
    "statuses": "status", "buses": "bus", "gases": "gas", "lenses": "lens", "aliases": "alias", "viruses": "virus",
    "campuses": "campus", "bonuses": "bonus", "caches": "cache", "houses": "house", "warehouses": "warehouse",
    "purchases": "purchase", "licenses": "license", "expenses": "expense", "cases": "case", "databases": "database",
    "releases": "release", "leases": "lease", "phases": "phase", "courses": "course", "nurses": "nurse",
    "responses": "response", "causes": "cause", "uses": "use", "services": "service", "invoices": "invoice",
    "sizes": "size", "prizes": "prize", "axes": "axis", "quizzes": "quiz", "heroes": "hero", "potatoes": "potato",
}  # fmt: skip
_PLURALS: Final = {one: many for many, one in _IRREGULAR.items()} | {
    "status": "statuses", "series": "series", "species": "species", "means": "means", "aircraft": "aircraft",
}  # fmt: skip
_SAME: Final = words(
    "series species news sales goods means data metadata media information equipment inventory staff stock status "
    "address process access business class analysis basis diagnosis gas bus lens alias virus campus bonus bias canvas "
    "congress progress success loss boss pass glass mass press stress gross plus minus census corpus focus radius "
    "genus nexus iris chassis logistics statistics physics mathematics premises thanks always its this is was has "
    "express wireless address less express fitness illness express chess cross dress hypothesis axis crisis thesis "
    "emphasis synopsis express vs us gps sms pos os ios aws"
)
"""Words that end in s and are singular, or have no singular of their own."""
UNCOUNTABLE: Final = words(
    "data metadata information equipment inventory staff stock news weather feedback software hardware traffic revenue "
    "history media goods logistics statistics billing shipping payroll attendance usage content training education "
    "maintenance money cash income access log audit performance sales"
)
"""Words that "one ..." does not go with."""
_AN_ANYWAY: Final = ("hour", "honor", "heir", "mba", "sms", "sku", "rfid", "sla", "ssn", "xml", "html", "http", "mri")
_A_ANYWAY: Final = ("uni", "use", "user", "usage", "usu", "uri", "url", "uuid", "utc", "eu", "one", "once", "ui")


def singular(word: str) -> str:
    """The singular of a noun; the word itself when it is one already."""
    low = word.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low in _SAME or len(low) < 4 or not low.endswith("s") or low.endswith(("ss", "us", "is")):
        return word
    if low.endswith("ies") and len(low) > 4:
        return word[:-3] + "y"
    if low.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return word[:-2]
    return word[:-1]


def plural(word: str) -> str:
    """The plural of a noun."""
    low = word.lower()
    if low in _PLURALS:
        return _PLURALS[low]
    if low in UNCOUNTABLE or low in _IRREGULAR:
        return word
    if low.endswith("y") and low[-2:-1] not in ("a", "e", "i", "o", "u", ""):
        return word[:-1] + "ies"
    if low.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    return word + "s"


def plural_phrase(phrase: str) -> str:
    """A phrase with its last word in the plural."""
    *before, last = phrase.split(" ")
    return " ".join([*before, plural(singular(last))])


def article(phrase: str) -> str:
    """`a` or `an`."""
    low = phrase.lower()
    if low.startswith(_AN_ANYWAY):
        return "an"
    if low.startswith(_A_ANYWAY):
        return "a"
    first = phrase.split(" ")[0]
    if len(first) > 1 and first.isupper():  # an acronym is spelled: an ISBN, a URL
        return "an" if first[0] in "AEFHILMNORSX" else "a"
    return "an" if low[:1] in ("a", "e", "i", "o", "u") else "a"


def with_article(phrase: str) -> str:
    """The phrase behind its article."""
    return f"{article(phrase)} {phrase}"


def listed(items: Sequence[str], most: int = 6, last: str = "and") -> str:
    """`a, b and c`; when there are more than fit, how many more."""
    shown = list(items[:most])
    if len(items) > most:
        return f"{', '.join(shown)} and {len(items) - most} more"
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def sentence(text: str) -> str:
    """The text with a capital letter at its beginning and a full stop at its end."""
    text = " ".join(text.split())
    if not text:
        return ""
    text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."

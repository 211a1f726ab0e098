"""Long lists of names and towns, of the data package mimesis, and words that no person's name holds."""
# ruff: noqa: RUF001 - words and letters of many languages

import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import orjson

_WHOLE: Final = str.maketrans(
    {"ł": "l", "ø": "o", "ß": "ss", "ı": "i", "đ": "d", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"}
)


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """Lower case without accents."""
    lower = text.lower()
    if lower.isascii():
        return lower
    plain = unicodedata.normalize("NFKD", lower.translate(_WHOLE))
    return "".join(character for character in plain if not unicodedata.combining(character))


@cache
def given_names() -> frozenset[str]:
    """Some 30,000 given names of 49 languages and regions, folded, but for common words."""
    return _listed("person", "names") - _common_words()


@cache
def family_names() -> frozenset[str]:
    """Some 35,000 family names, likewise."""
    return _listed("person", "surnames") - _common_words()


@cache
def towns() -> frozenset[str]:
    """Some 25,000 names of towns, likewise."""
    return _listed("address", "city") - _common_words()


@cache
def _common_words() -> frozenset[str]:
    """The commonest words of English: a Steel or a Glass in a list of products would be a person otherwise."""
    return _listed("text", "words", "en")


def _listed(file: str, key: str, place: str = "*") -> frozenset[str]:
    """Every text under a key of a data file, in all places of the world or in one.

    The files are read without their package, whose import would take longer than they do.
    """
    found = find_spec("mimesis")
    [package] = (found and found.submodule_search_locations) or [""]
    paths = sorted(Path(package, "datasets").glob(f"{place}/{file}.json"))
    if not paths:
        raise ImportError(
            f"The package mimesis has no data {file}.json. Install the version that pyproject.toml names."
        )
    return frozenset(fold(text) for path in paths for text in _texts(orjson.loads(path.read_bytes()).get(key)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


_SITES: Final = """
    annex annexe wing block yard quarter depot halt stop platform room suite lounge auditorium
    park field fields stadium stadion estadio stade arena center centre court grounds ground garden gardens hall house
    plaza square tower towers bridge airport aeropuerto flughafen station terminal harbor harbour port island islands
    lake river mountain mountains mount valley beach bay falls forest canyon castle palace temple church chapel
    cathedral abbey mosque museum library theater theatre opera gallery zoo hotel hostel inn resort restaurant cafe
    bistro diner grill pizzeria bakery bar pub brewery winery hospital clinic klinik krankenhaus pharmacy school schule
    escuela college academy academia university universität universidad université institute institut gymnasium lycée
    kindergarten speedway raceway circuit course complex mall street road avenue highway county district state province
    region city town village parc stadt platz campus observatory dam mine refinery factory plant fort camp nursery
    kirche dom rathaus iglesia catedral hôpital église gare plage isla monte
"""
_BODIES: Final = """
    team club fc cf sc afc united rovers wanderers athletic league cup championship championships tournament open games
    festival awards award prize medal orchestra band ensemble choir committee commission council ministry department
    agency bureau office union federation association society party army navy force police court trust fund journal
    magazine times news post press radio tv network channel project program programme initiative conference summit
    airways railways railway motors motor electric electronics foods brewing pharma pharmaceuticals energy capital
    insurance consulting software labs laboratories media entertainment pictures productions cooperative verein
    stichting fundación fundacja spółdzielnia comercial construcciones transportes
"""
_THINGS: Final = """
    edition version vol volume part chapter season episode series act scene symphony sonata concerto suite overture
    blues song songs love night day days life world time heart dance dream dreams girl boy baby man woman home fire
    water light lights black white red blue green gold golden silver deluxe pro plus max mini ultra super premium
    classic set pack kit box bag case cover table chair lamp desk shirt shoes jacket phone tablet laptop camera cable
    charger keyboard mouse screen engine motor pump valve filter sensor module unit device machine tool oil sauce
    cheese chicken beef rice bread cake coffee tea juice milk beer wine chocolate cream sugar salt soup salad
"""
_GRAMMAR: Final = """
    the and for with from your you our is are was this that these those not what when where who how why never always
    forever again without over under about into only und für mit nicht ist das et les des sur pour dans avec una los las
    con para por del en não com uma nel della delle gli och med
"""

NOT_IN_NAMES: Final = frozenset(f"{_SITES} {_BODIES} {_THINGS} {_GRAMMAR}".split())
"""Words for places, bodies, works and goods, and words that hold sentences together, in lower case."""

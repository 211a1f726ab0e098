"""Long lists of names and towns that stand as compressed files beside this module, and words that no person's name holds.

`given` and `family` come from the United States census of 1990 (public domain): all of its given names and its 24,000
most frequent family names. `towns` comes from GeoNames (CC BY 4.0, www.geonames.org): places of 15,000 people and more.
All are folded (see `fold`), and what an English dictionary knows as a common noun is left out of them: a Steel or a
Glass in a list of products would be a person otherwise.
"""
# ruff: noqa: E501, RUF001 - words and letters of many languages

import gzip
import unicodedata
from functools import lru_cache
from importlib.resources import files
from typing import Final

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


def _read(name: str) -> frozenset[str]:
    return frozenset(gzip.decompress((files(__name__) / f"{name}.txt.gz").read_bytes()).decode().split("\n"))


GIVEN: Final = _read("given")
"""Given names, folded."""

FAMILY: Final = _read("family")
"""Family names, folded."""

TOWNS: Final = _read("towns")
"""Names of towns, folded."""

_SITES: Final = """
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

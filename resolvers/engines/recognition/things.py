"""Defines whose place it is: a station's town stands in every row of the station, a guest's goes with the guest.

Places are personal beside a person. Where rows are of persons and of things at once, such as bookings, calls and
readings, a place is the thing's when the thing settles it and the person does not.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence, Set
from typing import Final

from resolvers.engines.recognition.hints import hint, names_bearer, names_persons, plain, words
from resolvers.engines.recognition.model import ColumnValues, RecognizerMatch, text_of
from schema.data_readiness.source import Row, TableFacts

PLACE_TAGS: Final = frozenset({"City", "Postcode", "Country", "Coordinates"})
"""Tags of places that are told of persons and of things alike."""

SETTLED: Final = 0.8
"""The share of the rows beyond the commonest place that a thing explains from which the place is the thing's."""

FEWEST_THINGS: Final = 3
FEWEST_ROWS: Final = 20
"""Things, and rows of things that come again, below which it may be chance."""

AGAIN: Final = 3
"""Rows for each place from which the places are those of a few things: nobody is thrice at one spot by chance."""

_REFERENCES: Final = frozenset({"id", "ids", "key", "code", "no", "nr", "num", "number", "ref", "uuid", "name", "nm"})
"""Words behind the name of a thing or person that make it a reference to one."""

STANDING: Final = frozenset(
    {"park", "stadium", "arena", "venue", "building", "school", "university", "airport", "hotel", "restaurant",
     "hospital", "station", "church", "bridge", "stop", "store", "shop", "museum", "theatre", "branch",
     "warehouse", "plant", "depot", "factory", "magasin", "boutique", "tienda", "negozio", "loja", "winkel",
     "sklep", "filiale", "lager", "almacen", "entrepot", "magazzino", "bahnhof", "gare", "estacion"}
)  # fmt: skip
"""Things whose place is their own: goods and works move."""

_PARTS_OF_PLACES: Final = frozenset(
    {"state", "province", "provincia", "county", "canton", "kanton", "bundesland", "departement", "region",
     "zone", "area", "phone", "dial", "territory", "district", "timezone", "continent", "currency", "language"}
)  # fmt: skip
"""What settles a town or country without being a thing in it."""

_TAGS_OF_PLACES: Final = ("City", "Postcode", "Country", "StreetAddress", "Coordinates")


def refers_to_person(name: str) -> bool:
    """Return whether a column's name says that each row belongs to a person: `customer_id`, `driver_no`."""
    spoken = words(plain(name))
    return len(spoken) > 1 and spoken[-1] in _REFERENCES and names_persons(" ".join(spoken[:-1]))


def refers_to_thing(name: str) -> bool:
    """Return whether a column's name says that each row belongs to a thing that stands somewhere: `station_id`."""
    spoken = words(plain(name))
    if names_persons(name) or _PARTS_OF_PLACES & set(spoken) or any(hint(name, tag) for tag in _TAGS_OF_PLACES):
        return False
    return names_bearer(name) or (len(spoken) > 1 and spoken[-1] in _REFERENCES)


def _names_standing(name: str) -> bool:
    """Return whether a name is that of a thing that stands somewhere, or of its number: `station_id`."""
    spoken = list(words(plain(name)))
    while len(spoken) > 1 and spoken[-1] in _REFERENCES:
        spoken.pop()
    return bool(spoken) and not STANDING.isdisjoint({spoken[-1], spoken[-1].removesuffix("s")})


def is_of_things(
    table: TableFacts, columns: Sequence[ColumnValues], found: Sequence[Sequence[RecognizerMatch]]
) -> bool:
    """Return whether a table is one of things that stand somewhere: by its name, or its places come again and again."""
    if any(_names_standing(name) for name in (table.name, *(column.facts.name for column in columns))):
        return True
    degrees = [
        column for column, some in zip(columns, found, strict=True)
        if any(match.recognizer.tag == "Coordinates" and match.strength > 0 for match in some)
    ]  # fmt: skip
    return bool(degrees) and all(
        column.rows >= FEWEST_ROWS and column.rows >= AGAIN * len(column.counted) for column in degrees
    )


def is_settled(by: Sequence[str | None], places: Sequence[str | None], fewest: int = FEWEST_THINGS) -> bool:
    """Return whether a column says where each row is: of those of its values that come again nearly all rows agree."""
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for one, place in zip(by, places, strict=True):
        if one is not None and place is not None:
            rows[one][place] += 1
    again = [counted for counted in rows.values() if counted.total() > 1]
    everywhere: Counter[str] = sum(again, Counter())
    total = everywhere.total()
    if len(again) < fewest or total < FEWEST_ROWS:
        return False
    commonest = max(everywhere.values())
    return sum(max(counted.values()) for counted in again) - commonest >= SETTLED * (total - commonest) > 0


def places_of_things(
    columns: Sequence[ColumnValues],
    rows: Sequence[Row],
    found: Sequence[Sequence[RecognizerMatch]],
    persons: Set[int],
) -> frozenset[int]:
    """Return which columns hold places of things: settled by a reference to a thing, and by no person."""
    places = [
        place for place, some in enumerate(found)
        if any(match.recognizer.tag in PLACE_TAGS and match.strength > 0 for match in some)
    ]  # fmt: skip
    things = [
        place for place, column in enumerate(columns) if place not in persons and refers_to_thing(column.facts.name)
    ]
    if not places or not things:
        return frozenset()
    people = persons | {place for place, column in enumerate(columns) if refers_to_person(column.facts.name)}
    texts = {place: [text_of(row[place]) for row in rows] for place in {*places, *things, *people}}
    return frozenset(
        place for place in places
        if any(thing != place and is_settled(texts[thing], texts[place]) for thing in things)
        and not any(person != place and is_settled(texts[person], texts[place]) for person in people)
    )  # fmt: skip

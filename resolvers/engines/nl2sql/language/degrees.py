"""Adjectives that compare rows: which way they point, and what they measure."""
# ruff: noqa: E501 - a table

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from resolvers.engines.english.vocabulary import words


@dataclass(frozen=True, slots=True)
class Degree:
    """A comparative or superlative of an adjective, or the adjective itself."""

    adjective: str
    """Its positive form: `old` of older and oldest; `many` of more and most, `few` of fewer and fewest."""
    descending: bool
    """Whether those with the larger measure are meant: true of oldest, false of youngest."""
    superlative: bool
    comparative: bool
    measures: tuple[str, ...]
    """Words of the names of columns that it measures, the likeliest first; none where the noun beside it tells."""
    reversed_on: tuple[str, ...] = ()
    """Words of the names of columns where it points the other way: the oldest has the least birth date."""

    @property
    def is_of_time(self) -> bool:
        """Return whether it tells when something was."""
        return bool(_OF_TIME & set(self.measures))


_OF_TIME: Final = frozenset(("date", "time", "year", "age", "birth"))

_ADJECTIVES: Final = """
old + | age year birth born founded opening built | birth born date year founded opening built established start manufactured release
young - | age birth born year | birth born date year
new + | date year founded opening built release model created added registered start | age
recent + | date year time created updated modified | age
modern + | year date model | age
late + | date time year arrival departure end delay |
last + | date time year order |
early - | date time year arrival departure start |
first - | date time year order |
ancient - | year date founded built | age
long + | length duration time distance runtime minutes seconds milliseconds pages tenure days mile km period |
short - | length duration height time distance runtime minutes seconds milliseconds pages mile km period |
tall + | height elevation |
high + | height elevation altitude |
low - | height elevation altitude |
deep + | depth |
shallow - | depth |
wide + | width |
broad + | width |
narrow - | width |
thick + | thickness pages |
thin - | thickness pages |
big + | size population area capacity square sales revenue total enrollment number amount employees assets |
large + | size population area capacity square sales revenue total enrollment number amount employees assets storage |
great + | size amount number |
huge + | size population area capacity |
small - | size population area capacity square total enrollment number amount employees |
little - | size amount |
tiny - | size |
heavy + | weight mass |
light - | weight mass |
fast + | speed velocity horsepower acceleration pace time lap seconds duration milliseconds | time lap seconds duration minutes milliseconds
quick + | speed velocity time duration seconds | time duration seconds minutes milliseconds
slow - | speed velocity horsepower acceleration time lap seconds | time lap seconds duration minutes milliseconds
powerful + | horsepower power |
strong + | strength power grade |
weak - | strength power grade |
expensive + | price cost fee rate amount value fare tuition premium |
pricey + | price cost fee |
costly + | cost price fee amount |
dear + | price cost fee rate amount value fare |
cheap - | price cost fee rate amount fare tuition premium |
inexpensive - | price cost fee rate amount |
affordable - | price cost rent fee |
rich + | wealth net worth money income salary balance budget assets worth billion million |
wealthy + | wealth net worth money income balance worth |
poor - | income salary wealth money balance |
valuable + | value price worth market |
remunerated + | salary pay wage rate income earnings fee |
profitable + | profit earnings income margin |
lucrative + | profit salary prize |
productive + | output production number |
close - | distance |
near - | distance |
far + | distance |
distant + | distance |
remote + | distance |
hot + | temperature temp |
warm + | temperature temp |
cold - | temperature temp |
cool - | temperature temp |
humid + | humidity |
windy + | wind speed |
wet + | precipitation rain humidity |
rainy + | precipitation rain |
dry - | precipitation rain humidity |
loud + | volume loudness decibel |
bright + | brightness magnitude luminosity |
dense + | density |
populous + | population |
populated + | population |
crowded + | population attendance density |
popular + | popularity rating votes plays number followers views likes attendance rank | rank
famous + | fame popularity rating |
good + | rating score grade rank result points gpa stars quality | rank ranking position place delay error loss defect complaint failure latency downtime accident injury incident crash crime mortality death penalty fault churn debt waste pollution emission absence unemployment poverty
bad - | rating score grade rank result points gpa stars quality | rank ranking position place delay error loss defect complaint failure latency downtime accident injury incident crash crime mortality death penalty fault churn debt waste pollution emission absence unemployment poverty
senior + | age seniority hire years service | hire date start
junior - | age seniority years |
experienced + | experience years working |
spacious + | size area square |
frequent + | frequency |
common + | |
severe + | severity |
difficult + | difficulty level |
hard + | difficulty hardness |
easy - | difficulty level |
complex + | complexity |
efficient + | efficiency mpg mileage consumption | consumption
economical + | mpg cost | cost
economic + | mpg | consumption
active + | activity |
successful + | wins success sales points |
intelligent + | iq |
many + | |
much + | amount |
few - | |
far-reaching + | |
safe + | safety | accidents crashes crime
healthy + | health |
fat + | weight fat |
slim - | weight |
skinny - | weight |
full + | occupancy |
empty - | occupancy |
busy + | traffic passengers flights visitors |
quiet - | traffic passengers flights visitors volume |
lengthy + | length duration time pages |
steep + | slope gradient |
noisy + | noise volume |
prestigious + | rank | rank
credible + | credit score |
clean + | cleanliness |
dirty - | cleanliness |
sweet + | sugar sweetness |
fuel-efficient + | mpg |
"""


def _degrees() -> dict[str, tuple[bool, tuple[str, ...], tuple[str, ...]]]:
    found = {}
    for line in _ADJECTIVES.strip().splitlines():
        head, measures, *rest = line.split("|")
        adjective, sign = head.split()
        found[adjective] = (sign == "+", tuple(measures.split()), tuple(rest[0].split()) if rest else ())
    return found


ADJECTIVES: Final = _degrees()
"""Adjectives with the way they point, what they measure, and where they point the other way."""

BUSY: Final = frozenset(("busy", "quiet"))
"""Adjectives of how much happens, which columns of numbers tell in the plural, and rows by how many there are."""
PRAISE: Final = frozenset(("good", "bad"))
"""Adjectives that praise or blame, and say nothing of how much of what."""
BETTER: Final = frozenset(ADJECTIVES["good"][1]) | words(
    "win wins won success satisfaction profit revenue sales income earnings margin return accuracy efficiency"
    " performance popularity attendance mark yield growth uptime availability"
)
"""Words of the names of columns of which more is better, as people commonly take it."""

_IRREGULAR: Final = {
    "better": ("good", "er"), "best": ("good", "est"), "worse": ("bad", "er"), "worst": ("bad", "est"),
    "more": ("many", "er"), "most": ("many", "est"), "less": ("few", "er"), "least": ("few", "est"),
    "fewer": ("few", "er"), "fewest": ("few", "est"), "further": ("far", "er"), "farther": ("far", "er"),
    "furthest": ("far", "est"), "farthest": ("far", "est"), "elder": ("old", "er"), "eldest": ("old", "est"),
    "last": ("last", "est"), "first": ("first", "est"), "latter": ("late", "er"), "newest": ("new", "est"),
    "max": ("high", "est"), "maximum": ("high", "est"), "maximal": ("high", "est"), "min": ("low", "est"),
    "minimum": ("low", "est"), "minimal": ("low", "est"), "top": ("high", "est"), "bottom": ("low", "est"),
    "lesser": ("few", "er"), "later": ("late", "er"), "latest": ("late", "est"), "peak": ("high", "est"),
    "leading": ("high", "est"), "topmost": ("high", "est"), "uppermost": ("high", "est"),
}  # fmt: skip
_NEVER: Final = frozenset(("number", "order", "paper", "water", "letter", "member", "other", "under", "over", "after"))


@lru_cache(maxsize=10_000)
def degree_of(word: str) -> Degree | None:
    """Return what a comparative, a superlative or an adjective compares by; None for any other word."""
    low = word.lower()
    if low in _NEVER:
        return None
    if low in _IRREGULAR:
        return _made(*_IRREGULAR[low])
    if low in ADJECTIVES:
        return _made(low, "")
    for ending in ("est", "er"):
        stem = low.removesuffix(ending)
        if stem == low or len(stem) < 2:
            continue
        softened = (stem[:-1] + "y", stem[:-1] + "ey") if stem[-1] == "i" else ()  # heavier, priciest
        for one in (stem, stem + "e", *softened, stem[:-1]):
            if one in ADJECTIVES and (one != stem[:-1] or stem[-1:] == stem[-2:-1]):
                return _made(one, ending)
    return None


def _made(adjective: str, ending: str) -> Degree:
    descending, measures, turned = ADJECTIVES[adjective]
    return Degree(adjective, descending, ending == "est", ending == "er", measures, turned)


def degree_of_phrase(words: Sequence[str]) -> Degree | None:
    """Of `most expensive`, `less crowded`, `the least popular`, and of single words."""
    said = [word.lower() for word in words if word.lower() != "the"]
    if len(said) == 1:
        return degree_of(said[0])
    if len(said) != 2 or said[0] not in ("most", "more", "least", "less"):
        return None
    degree = degree_of(said[1])
    if degree is None or degree.superlative or degree.comparative:
        return None
    turned = said[0] in ("least", "less")
    return Degree(
        degree.adjective,
        degree.descending != turned,
        said[0] in ("most", "least"),
        said[0] in ("more", "less"),
        degree.measures,
        degree.reversed_on,
    )


_ACTIONS: Final = {
    head: tuple(measures.split())
    for head, _, measures in (
        line.partition(" | ")
        for line in """
cost | cost price fee charge fare
charge | charge fee price cost
earn | salary pay wage income earnings revenue fee amount cost price
make | salary pay wage income earnings revenue
get | salary pay wage
pay | salary pay wage amount payment price cost total fee charge fare rent premium
spend | amount cost payment price total
invoice | amount total invoiced price value
bill | amount total billed price value
refund | refund refunded amount total
reimburse | amount total reimbursed
donate | amount donation donated total
invest | amount investment invested total
owe | balance debt owed amount outstanding
fine | fine amount penalty
weigh | weight mass
last | duration length runtime minutes hours days
take | duration runtime minutes hours length
score | score points goals
win | wins prize
hold | capacity seats
seat | capacity seats
produce | output production
measure | length height size
""".strip().splitlines()
    )
}
"""What is measured of those who do something the most."""


def degree_of_action(verb: str, *, most: bool) -> Degree | None:
    """Of `earned the most`, `weighs the least`: what the verb, in its base form, is measured by."""
    measures = _ACTIONS.get(verb)
    return Degree(verb, most, superlative=True, comparative=False, measures=measures) if measures else None

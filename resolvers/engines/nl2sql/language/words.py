"""The small words of questions: what asks, joins, negates, compares and counts. All are lemmas of `tokens.py`."""
# ruff: noqa: E501, SIM905 - lists of words

from dataclasses import dataclass
from typing import Final

from resolvers.engines.english.vocabulary import words
from resolvers.engines.nl2sql.plan import Aggregate, Operator, Unit

QUESTION_WORDS: Final = words("what which who whom whose where when how why")
COMMANDS: Final = words(
    "show list give find return display tell get fetch report print select see look search present provide retrieve "
    "calculate compute count determine identify output enumerate name describe extract please want need know let like "
    "help reveal state sort"
)
"""Verbs that a question may begin with, and that then stand for nothing in the data."""
AUXILIARIES: Final = words("be have do can could will would shall should may might must")
ARTICLES: Final = words("a an the this that these those some any such")
PRONOUNS: Final = words(
    "i me my we us our you your he him his she her it its they them their themselves itself one ones there here "
    "someone somebody anyone anybody everyone everybody person something anything everything"
) - {"person"}
PREPOSITIONS: Final = words(
    "of in on at by for from to with within into onto as about between among across through during per via over under "
    "after before since until till against without along around off out up down inside outside upon toward towards "
    "regarding concerning above below beyond beneath behind near"
)
CONJUNCTIONS: Final = words("and or but nor both either neither also then than so while whereas if as well too plus &")
NEGATIONS: Final = words(
    "not no never none neither nor without except exclude lack excluding cannot n't nobody nothing"
)
QUANTIFIERS: Final = words("all each every any some both most more many few several much fewer less least only just")
SUPERFLUOUS: Final = words(
    "respective respectively corresponding correspond associated associate related relate relevant different distinct "
    "unique various certain particular following given exactly own exist existing available together overall please "
    "information info detail details data record entry row value item list kind thing currently ever actually "
    "belong contain include involve possess hold available ordered order sorted sort arranged ascending descending "
    "alphabetical alphabetically lexicographical lexicographically same other another else world global globally"
)
"""Words that carry no name of their own where nothing in the catalog is called by them."""
STOP_WORDS: Final = (
    QUESTION_WORDS | AUXILIARIES | ARTICLES | PRONOUNS | PREPOSITIONS | CONJUNCTIONS | NEGATIONS | QUANTIFIERS
    | words("'s not yes no , . ; : ? ! ( ) / \" ' - + * = < > <= >= <> != == % [ ] { } … etc") 
)  # fmt: skip
"""Words that alone name neither a table nor a column."""

ASCENDING_WORDS: Final = words("ascending ascend increasing increase asc alphabetical alphabetically lexicographical "
    "lexicographically alphabetic")  # fmt: skip
DESCENDING_WORDS: Final = words("descending descend decreasing decrease desc reverse")
ORDERING_VERBS: Final = words("order sort arrange rank list")


@dataclass(frozen=True, slots=True)
class Compared:
    """Holds what words of comparison ask for."""

    operator: Operator
    negated: bool = False


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(one.split()) for one in text.split("|"))


_OPERATORS: Final = {
    Compared(Operator.MORE): "more than|great than|greater than|larger than|bigger than|higher than|over|above|exceed|"
    "surpass|>|be over|be above|in excess of|after|later than|longer than|upwards of|beyond",
    Compared(Operator.LESS): "less than|few than|fewer than|small than|smaller than|lower than|under|below|<|be under|"
    "be below|before|earlier than|prior to|short of|up until",
    Compared(Operator.AT_LEAST): "at least|>=|≥|no less than|not less than|no few than|no fewer than|great than or equal "
    "to|greater than or equal to|more than or equal to|equal to or greater than|equal to or more than|or more|or great|"
    "or greater|or above|or high|or higher|or over|or later|or after|since|start from|a minimum of|and above|"
    "or old|or older|not under|not below|not before|and over|and up|on or after",
    Compared(Operator.AT_MOST): "at most|<=|≤|no more than|not more than|less than or equal to|few than or equal to|"
    "fewer than or equal to|equal to or less than|equal to or fewer than|or less|or few|or fewer|or below|or low|"
    "or lower|or under|or earlier|or before|until|till|up to|a maximum of|not over|not above|not exceed|"
    "or young|or younger|by the end of|and below|no later than|on or before|not after|within",
    Compared(Operator.EQUAL): "equal to|equal|be equal to|=|==|the same as|be exactly|exactly|be",
    Compared(Operator.EQUAL, True): "not equal to|not equal|!=|<>|≠|other than|different from|differ from|be not|"
    "except for|except|but not|not be|exclude",
    Compared(Operator.BETWEEN): "between|in between|in the range of|range from|from",
    Compared(Operator.LIKE): "contain|contain the word|contain the letter|include the word|with the word|have the word|"
    "with the substring|contain the substring|start with|begin with|end with|like|the letter|include the letter|"
    "contain the string|include the string|match|with the prefix|with the suffix|have the substring",
}  # fmt: skip
OPERATORS: Final[dict[tuple[str, ...], Compared]] = {
    phrase: compared for compared, text in _OPERATORS.items() for phrase in _phrases(text)
}
"""What compares, by its lemmas. Comparatives of adjectives ("older than") are told by `degrees.py` as well."""

_AGGREGATES: Final = {
    Aggregate.AVG: "average|mean|avg|on average|the average|averagely|average out",
    Aggregate.MEDIAN: "median|the median",
    Aggregate.SUM: "total|sum|combined|altogether|in total|total amount|total number|overall|sum up|add up|accumulate|"
    "cumulative|combine|summed|aggregate|career|lifetime|all-time",
    Aggregate.MAX: "maximum|max|maximal|highest|largest|greatest|biggest|peak|top|most",
    Aggregate.MIN: "minimum|min|minimal|lowest|smallest|least|fewest",
    Aggregate.COUNT: "count|number|how many|number of|count of|the number of|total number of|quantity of|tally",
}
AGGREGATES: Final[dict[tuple[str, ...], Aggregate]] = {
    phrase: aggregate for aggregate, text in _AGGREGATES.items() for phrase in _phrases(text)
}
"""What is computed of many rows, by its lemmas; the longest fits best."""
COUNTS: Final = frozenset(
    _phrases(
        "how many|number of|count of|count|the number of|total number of|the total number of|how many different|"
        "the count of|total count of|amount of|quantity of|how often|how many times|number of times|how many distinct"
    )
)
"""What asks for a count of rows. `how much`, `number of` before a column of counts, asks for its values or their sum."""

UNITS: Final[dict[str, Unit]] = {
    form: unit
    for unit, text in {
        Unit.YEAR: "year yearly annual annually yr yrs",
        Unit.QUARTER: "quarter quarterly qtr",
        Unit.MONTH: "month monthly mth",
        Unit.WEEK: "week weekly wk",
        Unit.DAY: "day daily date",
        Unit.WEEKDAY: "weekday",
        Unit.HOUR: "hour hourly",
        Unit.DECADE: "decade",
    }.items()
    for form in text.split()
}
"""Spans of time, by every word for them. "date" groups by day."""

NUMBER_WORDS: Final[dict[str, int]] = {
    **{
        word: at
        for at, word in enumerate(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen".split()
        )
    },
    "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90, "dozen": 12, "half-dozen": 6, "score": 20, "once": 1, "twice": 2, "thrice": 3, "single": 1,
    "couple": 2, "pair": 2,
}  # fmt: skip
"""`score` and `single` count only beside another number word; see `literals.py`."""
SCALES: Final[dict[str, int]] = {
    "hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000, "trillion": 1_000_000_000_000,
    "k": 1000, "m": 1_000_000, "bn": 1_000_000_000, "mio": 1_000_000, "grand": 1000,
}  # fmt: skip
ORDINALS: Final[dict[str, int]] = {
    word: at + 1
    for at, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
        "sixteenth seventeenth eighteenth nineteenth twentieth".split()
    )
}
MONTHS: Final[dict[str, int]] = {
    form: at + 1
    for at, forms in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|october oct|"
        "november nov|december dec".split("|")
    )
    for form in forms.split()
}
WEEKDAYS: Final[dict[str, int]] = {
    form: at
    for at, forms in enumerate(
        "monday mon|tuesday tue tues|wednesday wed|thursday thu thur thurs|friday fri|saturday sat|sunday sun".split(
            "|"
        )
    )
    for form in forms.split()
}
"""Monday is 0."""

IDENTIFYING: Final = words("id code number no nr key")
"""Words of columns that tell rows apart, or refer to them, and that say nothing of what the rows are."""
DOING: Final = words("do does did")
HELPING: Final = DOING | words("has have had")
"""Verbs, as they are written, that stand before who does something."""
TIME_NAMES: Final = words("date day year month time moment when on at in of the")
"""Words of names of columns that say only that they tell when, and not of what."""

TRUE_WORDS: Final = words("yes true y t on")
FALSE_WORDS: Final = words("no false n f off")

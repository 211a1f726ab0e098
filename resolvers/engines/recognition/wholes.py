"""Defines what a column shows as a whole, which its values do not tell one by one: how they are spread, and in which
forms.
"""

import re
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import Final

from resolvers.engines.recognition.lists import GENDER_CORE
from resolvers.engines.recognition.model import ColumnValues, Recognizer, RecognizerMatch, Strength

AGE: Final = Recognizer("age-range", "Age", Strength.SHAPE, str.isdigit, 0.6, 0.95,
                        "whole numbers spread as ages of people are", digits_only=True, longest=3)  # fmt: skip
GROWN: Final = replace(AGE, name="ages-of-adults", strength=Strength.CHECKED, ceiling=0.4,
                       reason="whole numbers that begin where people are of age and end where few live on")  # fmt: skip


def ages(column: ColumnValues) -> list[RecognizerMatch]:
    """Whole numbers within a life; those that begin at the age of adults tell more than those that begin at nought."""
    numbers = column.integers
    if not numbers or numbers[0] < 0 or not 10 <= numbers[-1] <= 120 or len(numbers) < 4:
        return []
    middle = numbers[len(numbers) // 2]
    if not 5 <= middle <= 85 or column.rows == len(column.counted) > 60:
        return []
    found = [RecognizerMatch(AGE, len(numbers), len(numbers), 1.0, 0.5)]
    most = max(column.counted.values()) / column.rows
    # Marks end at a hundred, hours a week have one value for most, and weights have no twenties.
    grown = 14 <= numbers[0] <= 25 and 55 <= numbers[-1] <= 110 and numbers[-1] != 100 and 25 <= middle <= 65
    if grown and len(numbers) >= 15 and most < 0.2 and column.rows >= 20:
        found.append(RecognizerMatch(GROWN, len(numbers), len(numbers), 1.0, GROWN.ceiling))
    return found


_BIRTH: Final = Recognizer("birth-dates", "DateOfBirth", Strength.SHAPE, bool, 0.3, 0.9,
                           "dates spread over the years in which living people were born")  # fmt: skip
_CLEAR_BIRTH: Final = Recognizer("birth-dates-of-adults", "DateOfBirth", Strength.CHECKED, bool, 0.1, 0.9,
                                 "dates spread as births are, and none in the latest years")  # fmt: skip
_DATE = re.compile(
    r"(?:(?P<y1>(?:18|19|20)[0-9]{2})[-/.]?[01]?[0-9][-/.]?[0-3]?[0-9]"
    r"|[0-3]?[0-9][-/. ](?:[0-3]?[0-9]|[A-Za-zéû]{3,9}\.?)[-/. ,]+(?P<y2>(?:18|19|20)[0-9]{2})"
    r"|[A-Za-z]{3,9}\.? [0-3]?[0-9],? (?P<y3>(?:18|19|20)[0-9]{2}))(?P<time>[T ][0-9:.+Z-]+)?"
)


def is_dates(column: ColumnValues) -> bool:
    """Return whether most values are dates written as text."""
    return column.share_of(lambda text: bool(_DATE.fullmatch(text)), 60) > 0.8


_SPAN: Final = (
    r"(?:[1-4]\.?\s?(?:quartal|quarter|trimestre|kwartaal|kwartał|halbjahr|semester)|(?:first|second|third|fourth)\s(?:quarter|"
    r"half)|[qthswm](?:0?[1-9]|[1-4][0-9]|5[0-3])|p(?:0?[1-9]|1[0-3])|(?:kw|week|wk|cw|period|month|quarter|semester|term)"
    r"[\s-]?[0-9]{1,2}|(?:spring|summer|fall|autumn|winter|frühjahr|sommer|herbst)(?:semester)?|ws|ss|"
    r"(?:semester|term|quarter|trimester)\s(?:[0-9]|[a-e]|i{1,3}v?)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6})"
)
_YEAR: Final = r"(?:fy\s?)?(?:(?:19|20)[0-9]{2}|'?[0-9]{2})(?:\s?[/-]\s?(?:(?:19|20)?[0-9]{2}))?"
_PERIOD: Final = re.compile(
    rf"{_SPAN}[\s,/-]*(?:of\s)?{_YEAR}|{_YEAR}[\s,/-]*{_SPAN}|(?:fy\s?){_YEAR}|(?:19|20)[0-9]{{2}}\s?[/-]\s?(?:(?:19|20)?[0-9]{{2}})"
    rf"|[qhm]0?[0-9]{{1,2}}|{_SPAN}",
    re.I,
)


def is_periods(column: ColumnValues) -> bool:
    """Return whether they are months, quarters, terms and seasons of years, with or without the year."""
    return column.share_of(lambda text: len(text) <= 30 and bool(_PERIOD.fullmatch(text))) > 0.8


def year_of(text: str) -> int | None:
    """The year of a date that is written as text."""
    found = _DATE.fullmatch(text)
    return int(found["y1"] or found["y2"] or found["y3"]) if found else None


def births(column: ColumnValues, now: datetime) -> list[RecognizerMatch]:
    """Dates of birth lie decades back and far apart, and have no time of the day."""
    years: list[int] = []
    clocks = firsts = 0
    for text in column.distinct:
        found = _DATE.fullmatch(text)
        if found is None:
            continue
        years.append(int(found["y1"] or found["y2"] or found["y3"]))
        clock = (found["time"] or "").strip("T ")
        clocks += bool(clock) and not clock.startswith("00:00")
        firsts += bool(found["y1"]) and text[4:10] == "-01-01"
    if len(years) < 3:
        return []
    years.sort()
    count = len(years)
    low, middle, high = years[count // 20], years[count // 2], years[count - 1 - count // 20]
    future = sum(year > now.year for year in years)
    tested = len(column.distinct)
    against = future > 0.02 * count or clocks > 0.3 * count or low < now.year - 115 or high < now.year - 90
    spread = high - low
    if against or spread < 8 or middle > now.year - 4 or firsts > 0.5 * count:
        strength = -1.0
    elif spread >= 25 and high <= now.year - 10 and middle <= now.year - 22:
        return [RecognizerMatch(_CLEAR_BIRTH, tested, count, count / tested, 0.5 if count >= 10 else 0.3)]
    else:
        strength = 0.5
    return [RecognizerMatch(_BIRTH, tested, count, count / tested, strength)]


def few(column: ColumnValues, tag: str) -> bool:
    """A trait has few values, each of many rows; genders include at least one that is no other letter's meaning."""
    if len(column.counted) > max(12, 0.2 * column.rows):
        return False
    if tag != "Gender":
        return len(column.counted) >= 2
    core = {text.lower() for text in column.counted} & GENDER_CORE
    return len(core) >= 2 or (len(core) == 1 and len(next(iter(core))) > 1)


CLEAR_GENDER: Final = Recognizer("gender-whole-words", "Gender", Strength.CHECKED, bool, 0.03, 0.95,
                                 "words that only genders have, not letters alone")  # fmt: skip
_GENDER_CODES: Final = Recognizer("gender-codes", "Gender", Strength.SHAPE, bool, 0.3, 1.0,
                                  "two or three small whole numbers, as genders are coded")  # fmt: skip


def genders(column: ColumnValues, found: list[RecognizerMatch]) -> list[RecognizerMatch]:
    """Whole words tell without a person beside; codes tell nothing without their name."""
    if any(one.recognizer.name == "gender-words" and one.strength > 0 for one in found):
        whole = {text.lower() for text in column.counted if len(text) > 2} & GENDER_CORE
        if len(whole) >= 2:
            return [*found, RecognizerMatch(CLEAR_GENDER, len(column.counted), len(column.counted), 1.0, 0.75, 6.0)]
    numbers = column.integers
    if 2 <= len(numbers) <= 4 and set(numbers) <= {0, 1, 2, 9} and column.rows >= 20:
        return [*found, RecognizerMatch(_GENDER_CODES, len(numbers), len(numbers), 1.0, 1.0)]
    return found


def is_abbreviation(column: ColumnValues) -> bool:
    """Return whether they are capitals of one short length, which name nobody."""
    lengths = set(map(len, column.distinct))
    return len(lengths) == 1 and max(lengths) <= 4 and column.share_of(str.isupper) > 0.9


def degrees(column: ColumnValues) -> int:
    """Return how many decimals most figures have that lie within the ranges of degrees; 0 for other figures."""
    values = [float(text) for text in column.distinct if re.fullmatch(r"[-+]?[0-9]+\.[0-9]+", text)]
    if len(values) < 0.8 * len(column.distinct) or len(values) < 3:
        return 0
    # Probabilities and standardised figures stand around nought.
    if max(map(abs, values)) > 180 or max(map(abs, values)) <= 2:
        return 0
    decimals = sorted(len(text.split(".")[-1]) for text in column.distinct if "." in text)
    return decimals[len(decimals) * 3 // 10]


_CHAPTERS: Final = Recognizer("icd-10-chapters", "MedicalCode", Strength.CHECKED, bool, 0.1, 0.85,
                              "codes as ICD-10 forms them, of many chapters, some with the part behind the dot",
                              ceiling=0.6)  # fmt: skip


def diagnoses(column: ColumnValues, found: list[RecognizerMatch]) -> list[RecognizerMatch]:
    """Shelves and seats have letters from A on without a gap; diagnoses have those of the chapters of medicine."""
    best = max((one for one in found if one.recognizer.tag == "MedicalCode"), key=lambda one: one.nats, default=None)
    if best is None or best.strength <= 0:
        return found
    letters = sorted({text[0] for text in column.distinct if text[:1].isalpha()})
    if letters and ord(letters[-1]) - ord(letters[0]) + 1 == len(letters) and letters[0] == "A" and len(letters) > 2:
        return [
            one for one in found if one.recognizer.strength is Strength.SHAPE or one.recognizer.tag != "MedicalCode"
        ]
    dotted = column.share_of(lambda text: "." in text)
    whole = max((one.share for one in found if one.recognizer.name == "icd-10"), default=0.0)
    if len(letters) >= 5 and dotted >= 0.2 and whole >= 0.85 and column.shapes >= 2:
        found = [*found, replace(best, recognizer=_CHAPTERS, strength=_CHAPTERS.ceiling * best.strength)]
    return found


_FORMS: Final = Recognizer("plate-forms", "LicensePlate", Strength.CHECKED, bool, 0.1, 0.9,
                           "a few forms of short blocks of letters and digits, as plates have",
                           ceiling=0.42)  # fmt: skip
_BLOCKS = re.compile(r"[^\W_]+(?:[ ·-][^\W_]+)*")


def plates(column: ColumnValues, found: list[RecognizerMatch]) -> list[RecognizerMatch]:
    """Numbers of articles have one form, random codes as many as there are values; plates have a few."""
    bare = next((one for one in found if one.recognizer.name == "plate-characters"), None)
    if bare is None or bare.strength <= 0:
        return found
    kept = [one for one in found if one.recognizer.name != "plate-de" or column.shapes >= 3]
    blocks = column.share_of(lambda text: bool(_BLOCKS.fullmatch(text)) and _turns(text) <= 3 and 5 <= len(text) <= 10)
    if len(column.distinct) >= 20 and 4 <= column.shapes <= 0.4 * len(column.distinct[:200]) and blocks >= 0.9:
        kept.append(replace(bare, recognizer=_FORMS, strength=_FORMS.ceiling, nats=8 * _FORMS.ceiling))
    return kept


def _turns(text: str) -> int:
    """Return how often letters and digits change."""
    kinds = [character.isdigit() for character in text if character.isalnum()]
    return sum(one != other for one, other in pairwise(kinds))


HANDLES: Final = Recognizer("usernames-as-a-whole", "Username", Strength.CHECKED, bool, 0.1, 0.95,
                            "single words in lower case, hardly one twice, some with a number behind",
                             ceiling=0.36)  # fmt: skip
_HANDLE = re.compile(r"[a-z][a-z._]{2,20}[0-9]{0,4}")


def usernames(column: ColumnValues) -> list[RecognizerMatch]:
    """Words of a language come again and have no numbers behind them; slugs have dashes."""
    if len(column.distinct) < 20 or len(column.distinct) < 0.9 * column.rows or not 5 <= column.length <= 16:
        return []
    share = column.share_of(lambda text: bool(_HANDLE.fullmatch(text)))
    numbered = column.share_of(lambda text: text[-1:].isdigit())
    if share < 0.95 or not 0.08 <= numbered <= 0.92 or len(set(map(len, column.distinct))) < 5:
        return []
    return [
        RecognizerMatch(
            HANDLES, len(column.distinct), len(column.distinct), share, HANDLES.ceiling, 8 * HANDLES.ceiling
        )
    ]


def loose_phones(column: ColumnValues, found: list[RecognizerMatch]) -> list[RecognizerMatch]:
    """Grouped digits of one form that are valid in no region number something else, as far as the values tell."""
    valid = any(one.recognizer.tag == "PhoneNumber" and one.recognizer.name != "phone-format" and one.strength > 0
                for one in found)  # fmt: skip
    if valid or column.shapes > 2:
        return found
    return [
        replace(one, recognizer=replace(one.recognizer, strength=Strength.SHAPE))
        if one.recognizer.name == "phone-format" else one
        for one in found
    ]  # fmt: skip

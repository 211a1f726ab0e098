"""The same things told of by several rows: which column names the thing, which the one who tells, and who is right.

Where each of several sources reports each flight, or each shop the same article, nearly all columns say one thing in
all rows of a thing, or should. So the rows vote, also where most disagree: what is told most is weighed by how often
its teller is with the others elsewhere, and what some leave empty is told by the rest. Rows that tell of one thing at
several times, or of parts of it, agree in some columns and in others not at all, and are none of this.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final

from resolvers.engines.error_detection.days import days_of
from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.missing import is_nothing
from resolvers.engines.error_detection.table import MISSING, TableColumn

FEWEST_THINGS: Final = 5
ROWS_OF_A_THING: Final = 3.0
"""Rows that tell of a thing, on average."""
TOLD_OF: Final = 0.8
"""The share of the rows, at least, that tell of things of which others tell."""
UNNAMED: Final = 0.05
"""The share of the rows, at most, that do not say of which thing they tell."""
AGREED: Final = 0.3
"""How much oftener than by chance two rows of a thing say the same in a column, 0 to 1, where one names who tells."""
AGREED_UNTOLD: Final = 0.8
"""The same where no column does."""
NEARLY_ALL: Final = 0.98
LARGEST: Final = 10
"""How many times as many rows as the middle one the largest thing may have: a value that is usual is no thing."""
GOVERNED: Final = 0.75
"""The share of the other columns in which the rows of a thing agree, at least."""
ONCE: Final = 0.95
"""The share of the rows of which each tells the only time of its thing for its source."""
MOST_TRIED: Final = 24
ROUNDS: Final = 5
CHANGES: Final = 0.5
"""How far the values of a thing stand each in one stretch of its rows, from what chance gives (0) to all of them (1),
from which they are taken to have changed rather than to be told wrongly."""
TEMPER: Final = 0.2
"""What a vote counts beside one that is independent: sources copy from one another."""
MOST_SURE: Final = 0.97

NOTHING: Final = "\0"
"""What a row tells that has no value where having none is an answer."""

_RUN: Final = re.compile(r"\d+|[^\W\d_]+")
_PERIOD: Final = re.compile(r"(?:\d{4}\W?[QWHM])?\d[\d\W]*$", re.IGNORECASE)
"""A month, quarter, week or clock time, of figures: what tells when, and not who tells."""
_SOURCE: Final = re.compile(
    r"(?:^|[_\W])(?:src|sources?|sites?|web_?sites?|providers?|feeds?|publishers?|reporters?|portals?|systems?)\d*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reports:
    """Rows that tell of the same things."""

    key: tuple[int, ...]
    """The columns that name the thing."""
    source: int | None
    """The column that names who tells."""
    columns: tuple[int, ...]
    """What is told."""
    things: tuple[int, ...]
    """The thing of each row, 0 for none."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rows of a thing say of one of its cells."""

    probability: float
    """How probable it is that the cell is wrong."""
    reason: Reason | None


def find_reports(table: Sequence[TableColumn]) -> Reports | None:
    """The things that rows tell of several times, None if they do not."""
    usable = [column for column in table if column.is_scalar and column.distinct >= 2]
    if not usable or len(usable) > MOST_TRIED or usable[0].present < 3 * FEWEST_THINGS:
        return None
    # Two columns name a thing only where a third one says by its name that it names a source: pairs agree by chance.
    is_sourced = any(_SOURCE.search(column.name) and _is_few(column) for column in usable)
    for size in (1, 2) if is_sourced else (1,):
        tried = [found for key in combinations(usable, size) if (found := _reports(usable, key)) is not None]
        if tried:
            _, is_contested, reports = max(tried, key=lambda one: one[0])
            return reports if is_contested else None
    return None


def _reports(usable: Sequence[TableColumn], key: Sequence[TableColumn]) -> tuple[float, bool, Reports] | None:
    """Return what the rows tell if some columns name the thing, how well they agree in it, and whether not quite."""
    if len(key) == 1 and not _are_things(key[0].counts):
        return None
    things, sizes = _things(key)
    if sizes[0] > UNNAMED * len(things) or not _are_things(sizes):
        return None
    others = [one for one in usable if one not in key and one.distinct < NEARLY_ALL * one.present]
    source = _source(others, things)
    if len(usable) - len(others) - len(key) > (1 if source is None else 2):
        return None  # rows with more of their own than a number are things themselves
    left = [one for one in others if one.index != source]
    least = AGREED if source is not None else AGREED_UNTOLD
    agreed = {one.index: _agreement(one, things) for one in left}
    told = [index for index, lift in agreed.items() if lift >= least]
    if source is None:  # what changed is told rightly each time
        told = [one.index for one in left if one.index in told and not _changes(one, things)]
    is_named = source is not None and _SOURCE.search(next(one.name for one in others if one.index == source))
    if len(told) < max(2.0, GOVERNED * len(left)):
        return None
    contested = sum(agreed[index] < NEARLY_ALL for index in told)
    found = Reports(tuple(one.index for one in key), source, tuple(told), tuple(things))
    score = sum(agreed[index] for index in told) / len(left) + (source is not None)
    return score, contested >= (1 if is_named else 2), found


def _are_things(sizes: Sequence[int]) -> bool:
    """Return whether groups of rows, the first of which is none, are of several rows each, and of about as many."""
    several = sorted(size for size in sizes[1:] if size > 1)
    rows = sum(several)
    return (
        len(several) >= FEWEST_THINGS
        and rows >= max(TOLD_OF * sum(sizes), ROWS_OF_A_THING * len(several))
        and several[-1] <= max(20, LARGEST * several[len(several) // 2])
    )


def _things(key: Sequence[TableColumn]) -> tuple[list[int], list[int]]:
    """The number of each row's thing, 0 where the key is not told, and the rows of each thing."""
    known: dict[tuple[int, ...], int] = {}
    things, sizes = [], [0]
    for codes in zip(*(column.codes for column in key), strict=True):
        thing = 0 if MISSING in codes else known.setdefault(codes, len(known) + 1)
        if thing == len(sizes):
            sizes.append(0)
        sizes[thing] += 1
        things.append(thing)
    return things, sizes


def _source(columns: Sequence[TableColumn], things: Sequence[int]) -> int | None:
    """The column that names who tells: each of its values tells of many things, and of each once. No time does."""
    best: tuple[bool, float, int] | None = None
    for column in columns:
        if not _is_few(column) or column.present < ONCE * len(things) or column.number_share > 0.5 or _is_time(column):
            continue
        times = Counter(zip(things, column.codes, strict=True))
        once = sum(1 for count in times.values() if count == 1) / len(things)
        if once >= ONCE:
            score = (_SOURCE.search(column.name) is not None, once, -column.index)
            best = max(best, score) if best else score
    return None if best is None else -best[2]


def _is_time(column: TableColumn) -> bool:
    periods = sum(column.counts[code] for code, text in enumerate(column.texts) if code and _PERIOD.match(text))
    return periods > 0.5 * column.present or bool(days_of(column))


def _is_few(column: TableColumn) -> bool:
    return 3 <= column.distinct <= 0.2 * column.present


def _agreement(column: TableColumn, things: Sequence[int]) -> float:
    """How much oftener than by chance two rows of a thing say the same, of those that say anything."""
    silent = {code for code, text in enumerate(column.texts) if is_nothing(text)}
    said = Counter(pair for pair in zip(things, column.codes, strict=True) if pair[0] and pair[1] not in silent)
    of_thing: Counter[int] = Counter()
    of_value: Counter[int] = Counter()
    for (thing, code), count in said.items():
        of_thing[thing] += count
        of_value[code] += count
    pairs = sum(count for count in of_thing.values() if count > 1)
    rows = of_value.total()
    if not pairs:
        return 0.0
    # Each row is asked about the others of its thing, so that a large thing counts no more than its rows.
    same = sum(count * (count - 1) / (of_thing[thing] - 1) for (thing, _), count in said.items() if count > 1) / pairs
    chance = sum(count * (count - 1) for count in of_value.values()) / (rows * (rows - 1))
    return (same - chance) / (1 - chance) if chance < NEARLY_ALL else 0.0


def _changes(column: TableColumn, things: Sequence[int]) -> bool:
    """Return whether the values of things change from one stretch of their rows to the next, as a salary does.

    Errors are strewn over the rows of a thing. A change stands between two stretches of them, as the table has them.
    """
    rows: dict[int, list[int]] = defaultdict(list)
    for thing, code in zip(things, column.codes, strict=True):
        if thing:
            rows[thing].append(code)
    several = whole = 0
    by_chance = 0.0
    for codes in rows.values():
        counts = Counter(codes)
        if len(counts) > 1 and len(codes) > len(counts):
            several += 1
            whole += 1 + sum(one != other for one, other in pairwise(codes)) == len(counts)
            ways = math.lgamma(len(counts) + 1) + sum(math.lgamma(count + 1) for count in counts.values())
            by_chance += math.exp(ways - math.lgamma(len(codes) + 1))
    return several >= FEWEST_THINGS and whole - by_chance > CHANGES * (several - by_chance)


def _answers_by_silence(column: TableColumn, things: Sequence[int]) -> bool:
    """Return whether most things of which any row tells nothing are told nothing of at all: nobody has left yet."""
    silent = {code for code, text in enumerate(column.texts) if is_nothing(text)}
    those = {thing for thing, code in zip(things, column.codes, strict=True) if thing and code in silent}
    others = {thing for thing, code in zip(things, column.codes, strict=True) if thing and code not in silent}
    return len(those - others) > len(those & others)


def judge_reports(table: Sequence[TableColumn], reports: Reports) -> dict[tuple[int, int], Verdict]:
    """Return what the rows of each thing say of the cells in which it is told; no word on what no row tells."""
    plain = {index: _plain(table[index]) for index in reports.columns}
    answering = {index for index in reports.columns if _answers_by_silence(table[index], reports.things)}
    for index in answering:
        plain[index][MISSING] = NOTHING
    tellers = table[reports.source].codes if reports.source is not None else [MISSING] * len(reports.things)
    told: dict[tuple[int, int], list[tuple[int, str]]] = defaultdict(list)
    for index in reports.columns:
        texts, codes = plain[index], table[index].codes
        for thing, teller, code in zip(reports.things, tellers, codes, strict=True):
            if thing and texts[code]:
                told[thing, index].append((teller, texts[code]))
    beliefs = _believe(told)
    name = ", ".join(table[index].name for index in reports.key)
    verdicts: dict[tuple[int, int], Verdict] = {}
    for index in reports.columns:
        column, counted = table[index], {}
        for row, (thing, code) in enumerate(zip(reports.things, column.codes, strict=True)):
            belief = beliefs.get((thing, index))
            if belief is None or (index in answering and code != MISSING and not plain[index][code]):
                continue  # what stands for nothing is another way to say it, which its own signs tell of
            if (thing, code) not in counted:
                thing_name = ", ".join(table[at].texts[table[at].codes[row]] for at in reports.key)
                text = NOTHING if index in answering and code == MISSING else column.texts[code]
                counted[thing, code] = _verdict(text, belief, told[thing, index], f"{name} {thing_name!r}")
            verdicts[row, index] = counted[thing, code]
    return verdicts


def _verdict(text: str, belief: Mapping[str, float], told: Sequence[tuple[int, str]], thing: str) -> Verdict:
    best = max(belief, key=lambda one: (belief[one], one))
    if text == best:
        return Verdict(min(1 - belief[best], 0.45), None)
    votes = sum(1 for _, one in told if one == best)
    is_silent = is_nothing(text)
    if votes == 1 and not is_silent and len(told) < 4:
        return Verdict(0.3, None)  # one says this and one that
    with_it = sum(1 for _, one in told if one == text)
    camps = 0.5 + 0.5 * votes / (votes + with_it)  # two camps may each have copied from one
    probability = MOST_SURE if votes > 1 else 0.8
    if not is_silent:
        probability = min(MOST_SURE, camps, max(belief[best], 1 - belief.get(text, 0.0)))
    repair = None if best == NOTHING else best
    who = "other row tells" if votes == 1 else "rows tell"
    said = f"{votes} {who} {'nothing' if best == NOTHING else repr(best)} of {thing}"
    said += ", and this one nothing." if is_silent else f"; {len(told)} tell anything."
    return Verdict(probability, Reason(Sign.DEPENDENCY, math.log(probability / (1 - probability)) + 3.2, said, repair))


def _believe(told: Mapping[tuple[int, int], Sequence[tuple[int, str]]]) -> dict[tuple[int, int], dict[str, float]]:
    """How far to believe each value of each thing: its tellers, each as far as it is with the others elsewhere."""
    trust: dict[int, float] = {}
    beliefs: dict[tuple[int, int], dict[str, float]] = {}
    for _ in range(ROUNDS):
        right: dict[int, float] = defaultdict(float)
        asked: Counter[int] = Counter()
        for place, votes in told.items():
            beliefs[place] = belief = _weighed(votes, trust)
            for teller, text in votes if len(votes) > 1 else ():
                right[teller] += belief[text]
                asked[teller] += 1
        # A teller of few things is taken for one as good as others. One of all columns: those who copy from one
        # another in one column would else make one another sure.
        trust = {one: (right[one] + 3.5) / (asked[one] + 5.0) for one in asked}
    return beliefs


def _weighed(votes: Sequence[tuple[int, str]], trust: Mapping[int, float]) -> dict[str, float]:
    weights: dict[str, float] = defaultdict(float)
    for teller, text in votes:
        sure = min(0.97, max(0.05, trust.get(teller, 0.7)))
        weights[text] += TEMPER * max(0.05, math.log(10 * sure / (1 - sure)))
    most = max(weights.values())
    parts = {text: math.exp(weight - most) for text, weight in weights.items()}
    whole = sum(parts.values()) + math.exp(-most)  # or none of them
    return {text: part / whole for text, part in parts.items()}


def _plain(column: TableColumn) -> list[str]:
    """Each text without what stands before or behind the column's usual form, where it has one; "" for nothing."""
    forms: Counter[str] = Counter()
    for code in range(1, len(column.texts)):
        forms[_form(column.texts[code])] += column.counts[code]
    usual, rows = forms.most_common(1)[0] if forms else ("", 0)
    has_form = rows >= 0.6 * column.present and "9" in usual and len(usual) >= 3
    within = re.compile(_pattern(usual)) if has_form else None
    found = []
    for text in column.texts:
        silent = is_nothing(text)
        match = within.search(text) if within and not silent else None
        found.append("" if silent else match[0] if match else text)
    return found


def _form(text: str) -> str:
    return _RUN.sub(lambda run: "9" if run[0][0].isdigit() else "a", text)


def _pattern(form: str) -> str:
    return "".join({"9": r"\d+", "a": r"[^\W\d_]+"}.get(sign, re.escape(sign)) for sign in form)

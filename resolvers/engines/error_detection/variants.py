"""Rare values and words that are nearly frequent ones, and letters that a column has nowhere else."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import OSA

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.missing import is_stand_in
from resolvers.engines.error_detection.numbers import is_often
from resolvers.engines.error_detection.table import TableColumn
from resolvers.engines.error_detection.texts import known_lists

MOST_COMPARED: Final = 20_000_000
"""Comparisons of two texts for one table."""
MOST_FREQUENT: Final = 2000
MOST_LOOKED_AT: Final = 20_000
BACKWARDS: Final = 4
"""How many times as many rows have a word as have it from behind, at least, for this to be a slip."""
USUAL: Final = 10
"""How many rows have the usual writing around numbers, and how many times as many as another, at least."""
RESTORED: Final = 1.2
"""What it weighs more that a value is another of the column, once one letter of its odd word is put right."""

_DIGITS: Final = re.compile(r"\d+")
_NUMBER: Final = "0123456789"
_WORD: Final = re.compile(r"[^\W_]+")
_PLAIN: Final = re.compile(r"[^\w+<>=≤≥-]+|_+|[+-]+(?!$)")
"""Signs that do not matter; a plus or minus at the end does: A+ is not A-. Nor is < 20 what > 20 is."""
_COMMA: Final = re.compile(r"\s*,\s*")


@dataclass(slots=True)
class Budget:
    """Comparisons that are left."""

    left: int = MOST_COMPARED

    def take(self, number: int) -> bool:
        """Return whether so many may be made; they are counted."""
        if number > self.left:
            return False
        self.left -= number
        return True


@dataclass(frozen=True, slots=True)
class _Near:
    to: int
    similarity: float


def variant_signs(column: TableColumn, budget: Budget) -> dict[int, list[Reason]]:
    """For each code of the column that looks miswritten, why, each with what it may have been meant as."""
    signs: dict[int, list[Reason]] = defaultdict(list)
    if column.present < 8 or not column.is_scalar:
        return signs
    _writings(column, signs)
    _backwards(column, signs)
    lists: Set[int] = frozenset()
    if column.number_share < 0.6:
        lists = known_lists(column)
        _near_values(column, budget, signs, lists)
        _near_words(column, budget, signs)
        _odd_letters(column, signs)
    _rare(column, signs, lists)
    return signs


def _writings(column: TableColumn, signs: dict[int, list[Reason]]) -> None:
    """The same value with another case, other spaces or signs, of which one writing is the usual one."""
    if column.number_share > 0.9:
        return
    same: dict[str, list[int]] = defaultdict(list)
    for code in range(1, len(column.texts)):
        text = column.texts[code]
        plain = _PLAIN.sub(" ", _in_order(text.casefold())).strip()
        if plain and not is_stand_in(text) and column.numbers[code] is None:
            same[plain].append(code)
        if text != text.strip():
            signs[code].append(Reason(Sign.WRITING, 3.6, "It has white space at its edge.", text.strip()))
    _numbered_writings(column, signs)
    for codes in same.values():
        if len(codes) < 2:
            continue
        usual = max(codes, key=lambda code: column.counts[code])
        for code in codes:
            ratio = column.counts[usual] / column.counts[code]
            if code != usual and ratio >= 2:
                told = f"{column.counts[usual]} rows write {column.texts[usual]!r}."
                weight = 2.0 + min(2.5, math.log(ratio))
                signs[code].append(Reason(Sign.WRITING, weight, told, column.texts[usual]))


def _backwards(column: TableColumn, signs: dict[int, list[Reason]]) -> None:
    """Words whose letters stand in the other order in far more rows."""
    if column.number_share > 0.9:
        return
    words = {
        text: code
        for code, text in enumerate(column.texts)
        if len(text) >= 4 and text[0].isalpha() and text[-1].isalpha()
    }
    for text, code in words.items():
        right = words.get(text[::-1], code)
        if column.counts[right] >= max(3, BACKWARDS * column.counts[code]) and right != code:
            told = f"{column.counts[right]} rows have {column.texts[right]!r}, which this is from behind."
            signs[code].append(Reason(Sign.VARIANT, 5.0, told, column.texts[right]))


def _numbered_writings(column: TableColumn, signs: dict[int, list[Reason]]) -> None:
    """The same for texts that differ in their numbers: 12 Rows among 7 rows and 31 rows."""
    written: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for code in range(1, len(column.texts)):
        if column.numbers[code] is None and "0" in (masked := _DIGITS.sub("0", column.texts[code])):
            written[masked.casefold()][masked].append(code)
    for ways in written.values():
        if len(ways) < 2:
            continue
        rows = {way: sum(column.counts[code] for code in codes) for way, codes in ways.items()}
        usual = max(rows, key=rows.__getitem__)
        for way, codes in ways.items() if rows[usual] >= USUAL else ():
            if way != usual and rows[usual] >= USUAL * rows[way]:
                told = f"{rows[usual]} rows write it like {usual!r}."
                for code in codes:
                    signs[code].append(Reason(Sign.WRITING, 3.8, told))


def _in_order(text: str) -> str:
    """A text with one comma as what it is without: `Reed, Ann` is Ann Reed."""
    parts = _COMMA.split(text)
    return f"{parts[1]} {parts[0]}" if len(parts) == 2 else text


def _allowed(text: str) -> float:
    """Return how similar another text has to be; short ones nearly equal."""
    length = len(text)
    if length <= 3:
        return 0.66
    return 0.7 if length <= 6 else 0.72


def _near(text: str, texts: Sequence[str], masked: Sequence[str]) -> _Near | None:
    """The nearest of some texts, unless only digits differ: those are other values, not misspelt ones.

    A number behind it makes a name another one, too: `smith2` where there is a `smith`.
    """
    own, unnumbered = _DIGITS.sub("0", text), text.rstrip(_NUMBER)
    best = process.extract(
        text, texts, scorer=OSA.normalized_similarity, score_cutoff=_allowed(text), limit=3, processor=None
    )
    for _, similarity, index in best:
        if masked[index] != own and texts[index].rstrip(_NUMBER) != unnumbered:
            return _Near(index, similarity)
    return None


def _naturally_near(texts: Sequence[str], masked: Sequence[str], counts: Sequence[int]) -> tuple[float, int]:
    """The share of rows whose value looks like a misspelling of another that is about as frequent; of how many."""
    step = max(1, len(texts) // 100)
    near = rows = 0
    for index in range(0, len(texts), step):
        others = [at for at in range(len(texts)) if at != index and counts[at] * 4 >= counts[index]]
        found = _near(texts[index], [texts[at] for at in others], [masked[at] for at in others])
        near += counts[index] if found is not None else 0
        rows += counts[index]
    return (near / rows if rows else 1.0), len(texts)


def _surprise(natural: tuple[float, int], length: int) -> float:
    """Return how much it says that two texts are near: less if good ones often are, less for short ones."""
    share, number = natural
    doubt = max(0.08, 0.6 - 0.065 * length)
    return -math.log((share * number + doubt) / (number + 2 * doubt))


def _near_values(column: TableColumn, budget: Budget, signs: dict[int, list[Reason]], lists: Set[int]) -> None:
    least = max(3.0, column.present * 0.001)
    codes = sorted(range(1, len(column.texts)), key=lambda code: -column.counts[code])
    frequent = [code for code in codes if column.counts[code] >= least and len(column.texts[code]) > 1][:MOST_FREQUENT]
    if not frequent or sum(column.counts[code] for code in frequent) < 0.4 * column.present:
        return
    texts = [column.texts[code].lower() for code in frequent]
    masked = [_DIGITS.sub("0", text) for text in texts]
    natural = _naturally_near(texts, masked, [column.counts[code] for code in frequent])
    most = column.counts[frequent[0]]
    rare = [code for code in codes if column.counts[code] * 4 <= most and len(column.texts[code]) > 1]
    for code in rare[-MOST_LOOKED_AT:]:
        text, count = column.texts[code], column.counts[code]
        if code in lists or is_stand_in(text) or (column.numbers[code] is not None and text.isdigit()):
            continue
        upto = len(frequent)
        while upto and column.counts[frequent[upto - 1]] < 4 * count:
            upto -= 1
        if not upto or not budget.take(upto):
            continue
        near = _near(text.lower(), texts[:upto], masked)
        if near is None:
            continue
        to = frequent[near.to]
        ratio = column.counts[to] / count
        weight = min(1.0, math.log(ratio) / math.log(20)) * (1.2 + min(3.3, _surprise(natural, len(text))))
        weight *= 0.75 + (near.similarity - 0.66)
        if count >= 5 and len(text) == len(column.texts[to]) <= 4 and text.isalpha():
            weight *= 0.4  # the same slip in a code of a few letters is hardly made so often
        told = f"It is nearly {column.texts[to]!r}, which {column.counts[to]} rows have."
        signs[code].append(Reason(Sign.VARIANT, weight, told, column.texts[to]))


def _near_words(column: TableColumn, budget: Budget, signs: dict[int, list[Reason]]) -> None:
    words: list[list[str]] = [[]]
    rows: Counter[str] = Counter()
    for code in range(1, len(column.texts)):
        own = [word for word in _WORD.findall(column.texts[code].lower()) if len(word) > 1 and not word.isdigit()]
        words.append(own)
        for word in set(own):
            rows[word] += column.counts[code]
    least = max(5.0, 0.001 * column.present)
    frequent = [word for word, count in rows.most_common(MOST_FREQUENT) if count >= least and len(word) >= 3]
    if not frequent:
        return
    masked = [_DIGITS.sub("0", word) for word in frequent]
    natural = _naturally_near(frequent, masked, [rows[word] for word in frequent])
    rare = [word for word, count in rows.items() if count <= max(2.0, 0.01 * column.present) and len(word) >= 4]
    # Where rare words abound, a rare word is nothing special.
    rarely = sum(rows[word] for word in rare) / max(1, rows.total())
    near_words: dict[str, tuple[str, float]] = {}
    for word in rare[:MOST_LOOKED_AT]:
        if rows[word] * 6 > rows[frequent[0]] or not budget.take(len(frequent)):
            continue
        near = _near(word, frequent, masked)
        if near is not None and rows[frequent[near.to]] >= (6 if rows[word] < 3 else 15) * rows[word]:
            to = frequent[near.to]
            ratio = min(1.0, math.log(rows[to] / rows[word]) / math.log(30))
            weight = ratio * (0.8 + min(3.2, _surprise(natural, len(word)))) * (0.75 + near.similarity - 0.66)
            near_words[word] = (to, weight * (1.0 - min(0.6, rarely)))
    known = {text.casefold() for text in column.texts}
    for code, own in enumerate(words):
        found = [word for word in own if word in near_words]
        if not found:
            continue
        word = max(found, key=lambda one: near_words[one][1])
        to, weight = near_words[word]
        text = column.texts[code]
        at = text.lower().find(word)
        better = text[:at] + _as(text[at : at + len(word)], to) + text[at + len(word) :] if at >= 0 else None
        if better is not None and better.casefold() in known and OSA.distance(word, to) == 1:
            weight += RESTORED
        told = f"{word!r} is nearly {to!r}, which {rows[to]} rows have."
        signs[code].append(Reason(Sign.WORD, weight, told, better))


def _as(written: str, word: str) -> str:
    if written.isupper():
        return word.upper()
    return word.capitalize() if written[:1].isupper() else word


def _odd_letters(column: TableColumn, signs: dict[int, list[Reason]]) -> None:
    """Sequences of three characters that no other value of the column has."""
    texts = column.texts[: MOST_LOOKED_AT + 1]
    grams: list[set[str]] = [set()]
    seen: Counter[str] = Counter()
    for text in texts[1:]:
        masked = _DIGITS.sub("0", f"^{text.lower()}$")
        own = {masked[start : start + 3] for start in range(len(masked) - 2)}
        grams.append(own)
        seen.update(own)
    total = sum(map(len, grams))
    once = sum(1 for count in seen.values() if count == 1)
    if len(texts) < 20 or not total:
        return
    usual = (once + 1) / (total + 1)
    for code in range(1, len(texts)):
        odd = sum(1 for gram in grams[code] if seen[gram] == 1)
        if odd < 2 or is_stand_in(texts[code]):
            continue
        expected = max(0.3, usual * len(grams[code]))
        weight = min(2.2, 0.8 * math.log(odd / expected)) if odd > expected else 0.0
        weight *= max(0.0, 1.0 - 4 * usual)
        if weight > 0.2:
            signs[code].append(Reason(Sign.LETTERS, weight, f"{odd} of its sequences of letters occur nowhere else."))


def _rare(column: TableColumn, signs: dict[int, list[Reason]], lists: Set[int]) -> None:
    """Values of few rows in a column that nearly always has one of a few that are much more frequent."""
    present = column.present
    numeric = column.number_share > 0.6
    if present < (300 if numeric else 30) or (numeric and column.distinct > 500):
        return
    # Numbers have tails: only where nearly all rows have one of a few far more frequent ones are these all there are.
    least, steep = (0.97, 8.0) if numeric else (0.85, 1.0)
    codes = sorted(range(1, len(column.texts)), key=lambda code: -column.counts[code])
    covered, gap, often = 0, steep, 0
    for place, (code, following) in enumerate(pairwise(codes)):
        covered += column.counts[code]
        if column.counts[code] < 5 or place >= 500:
            break
        ratio = column.counts[code] / column.counts[following]
        if covered >= least * present and ratio > gap and column.counts[following] <= 0.02 * present:
            gap, often = ratio, place + 1
    if not often:
        return
    share = sum(column.counts[code] for code in codes[:often]) / present
    # A long tail goes down step by step; errors lie far below the least frequent good value.
    weight = 2.6 * (share - 0.8) / 0.2 + min(1.2, max(-1.5, 0.7 * math.log(gap / 5)))
    told = f"{often} values cover {share:.1%} of the column, and this is none of them."
    # A number within a text is not one of a few, even if few have been seen.
    numbered = {_DIGITS.sub("0", column.texts[code]) for code in codes[:often]}
    lengths = {len(column.texts[code]) for code in codes[:often]}
    for code in codes[often:]:
        text = column.texts[code]
        is_numbered = _DIGITS.search(text) is not None and _DIGITS.sub("0", text) in numbered
        if code not in lists and not is_stand_in(text) and not is_numbered and weight > 0.2:
            rarity = math.log(column.counts[codes[often - 1]] / column.counts[code]) - math.log(gap)
            # Several rows with a code as long as all others: a code that is seldom needed.
            is_code = column.counts[code] >= 5 and lengths == {len(text)} and len(text) <= 4 and text.isalpha()
            # So is a number that several rows have: a slip makes another number each time.
            is_code = is_code or (column.counts[code] >= 5 and column.numbers[code] is not None)
            # And what many have is rather a value of its own than one slip made many times.
            is_code = is_code or is_often(column, code)
            own = weight + min(0.4, 0.2 * rarity) - (1.2 if is_code else 0.0)
            if own > 0.2:
                signs[code].append(Reason(Sign.RARE, own, told))

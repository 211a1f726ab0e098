"""Regular expressions for columns whose values are written by a rule.

Only what every store's engine understands the same: classes of ASCII characters, counts, alternatives, anchors.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from resolvers.engines.checks.predicates import FORMATS as DAYS

MOST_FORMS: Final = 3
LONGEST: Final = 60
MOST_RUNS: Final = 12
MOST_EXAMPLES: Final = 5000
"""Values of one form that are kept, beside those with runs of other lengths than these."""

FORMATS: Final[dict[str, re.Pattern[str]]] = {
    "uuid": re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"),
    "email": re.compile(r"[^@ ]+@[^@ ]+\.[A-Za-z]{2,}"),
    "uri": re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^ ]+"),
    "ipv4": re.compile(r"(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"),
    "date": re.compile(DAYS["date"]),
    "date-time": re.compile(DAYS["date-time"] + ".*"),
}
"""The formats that a column can have as a whole, the narrower first."""

_RUN: Final = re.compile(r"(?P<U>[A-Z]+)|(?P<L>[a-z]+)|(?P<D>[0-9]+)|(?P<S>.)", re.DOTALL)
_CLASSES: Final = {"U": "[A-Z]", "L": "[a-z]", "D": "[0-9]", "A": "[A-Za-z]"}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression, with its anchors."""

    text: str
    compiled: re.Pattern[str]

    def fits(self, value: str) -> bool:
        """Return whether a whole value has the pattern."""
        return self.compiled.fullmatch(value) is not None

    def besides(self, texts: Collection[str]) -> str:
        """The expression, letting some texts stand as well."""
        if not texts:
            return self.text
        return "^(" + "|".join([self.text[1:-1], *sorted(_escaped(text) for text in texts)]) + ")$"


def format_of(values: Sequence[str], least: float) -> str | None:
    """The named format that at least this share of the values has."""
    for name, pattern in FORMATS.items():
        fitting = sum(1 for value in values if pattern.fullmatch(value))
        if values and fitting >= least * len(values):
            return name
    return None


def pattern_of(values: Sequence[str], least: float) -> Pattern | None:
    """A pattern that at least this share of the values has; None where they are words, or of too many forms."""
    forms: dict[str, list[list[tuple[str, str]]]] = defaultdict(list)
    lengths: set[tuple[str, tuple[int, ...]]] = set()
    counted: Counter[str] = Counter()
    for value in values:
        runs = _runs(value)
        if runs is None:
            continue
        form = "".join(sign if kind == "S" else kind for kind, sign in runs)
        counted[form] += 1
        spelled = form, tuple(len(text) for _, text in runs)
        if len(forms[form]) < MOST_EXAMPLES or spelled not in lengths:
            forms[form].append(runs)
            lengths.add(spelled)
    chosen: list[str] = []
    covered = 0
    for form, count in counted.most_common(MOST_FORMS):
        if covered >= least * len(values):
            break
        chosen.append(form)
        covered += count
    if not values or covered < least * len(values) or not chosen:
        return None
    if not all(_is_written(form, forms[form]) for form in chosen):
        return None
    parts = sorted({_expression(forms[form]) for form in chosen})
    body = parts[0] if len(parts) == 1 else "(" + "|".join(parts) + ")"
    return Pattern(f"^{body}$", re.compile(body))


def cleaner(values: Sequence[str]) -> set[str]:
    """The values that a cleaner form takes for suspects: others are written as nearly all, but with more or less to it.

    Where one form has nine of ten values, a value that lacks what it has (`12` beside `12 %`, `N/A` beside numbers),
    has more, or has the same letters and digits with other signs between them, was written by mistake. Numbers with and
    without a fraction are written alike, and what is merely a rarer code (`A1B 2C` beside `A1 2C`) is one as well.
    """
    forms = {value: _form_of(value) for value in set(values)}
    counted = Counter(forms[value] for value in values)
    if not values or len(counted) < 2:
        return set()
    usual, times = counted.most_common(1)[0]
    if usual is None or times < CLEAN * len(values):
        return set()
    return {value for value, form in forms.items() if form != usual and _is_marred(form, usual)}


CLEAN: Final = 0.9
"""The share of the values that one form must have for the rest to be suspects."""

_NUMBERS: Final = frozenset({"D", "D.D", "-D", "-D.D", "D,D", "D,D.D"})


def _form_of(value: str) -> str | None:
    runs = _runs(value)
    return None if runs is None else "".join(sign if kind == "S" else kind for kind, sign in runs)


def _is_marred(form: str | None, usual: str) -> bool:
    """Return whether values of a form are rather those of the usual one, written wrong."""
    # Words are written as they come.
    if form is None or "D" not in usual or {form, usual} <= _NUMBERS:
        return False
    if "D" not in form:
        return True
    bare, of_usual = ("".join(sign for sign in one if sign in "ULAD") for one in (form, usual))
    return bare == of_usual or (bool(bare) and (_holds(form, usual) or _holds(usual, form)))


def _holds(longer: str, shorter: str) -> bool:
    """Return whether a form is another one with something before or behind it that is no digit."""
    before, found, behind = longer.partition(shorter)
    return bool(found) and bool(before or behind) and "D" not in before + behind


def _runs(value: str) -> list[tuple[str, str]] | None:
    if len(value) > LONGEST or not value.isascii() or not value.isprintable():
        return None
    runs: list[tuple[str, str]] = []
    for match in _RUN.finditer(value):
        kind = str(match.lastgroup)
        if kind in "UL" and runs and runs[-1][0] in "ULA":
            runs[-1] = ("A", runs[-1][1] + match[0])  # upper and lower mixed
        else:
            runs.append((kind, match[0]))
        if len(runs) > MOST_RUNS:
            return None
    return runs


def _is_written(form: str, examples: Sequence[list[tuple[str, str]]]) -> bool:
    """Return whether values of a form follow a rule: they have digits, or letters whose number is always the same."""
    if "D" in form:
        return True
    lengths = {tuple(len(text) for _, text in runs) for runs in examples}
    return len(lengths) == 1 and len(examples) >= 50 and sum(next(iter(lengths))) <= 6


def _expression(examples: Sequence[list[tuple[str, str]]]) -> str:
    """The pattern of values that all have the same runs."""
    parts = []
    for at, (kind, sign) in enumerate(examples[0]):
        texts = {runs[at][1] for runs in examples}
        if kind == "S":
            parts.append(_escaped(sign))
        elif len(texts) == 1 and kind != "D" and len(examples) >= 50:
            parts.append(sign)
        else:
            lengths = Counter(len(runs[at][1]) for runs in examples)
            parts.append(_CLASSES[kind] + _times(lengths))
    return "".join(parts)


def _escaped(text: str) -> str:
    """A text as itself in a regular expression of any store."""
    return "".join(f"\\{sign}" if sign in ".^$*+?()[]{}|\\" else sign for sign in text)


def _times(lengths: Counter[int]) -> str:
    if len(lengths) > 1:
        return "+"
    (length,) = lengths
    return "" if length == 1 else f"{{{length}}}"

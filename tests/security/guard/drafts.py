"""A draft, and how one is disguised: the same tokens, written as no person would write them."""

import functools
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SEED: Final = 20_260
"""Every draft follows from this number, so that a run can be repeated and a failure looked at."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One draft of a query, and what it attempts."""

    attack: str
    text: str


Maker = Callable[[random.Random, str], str]
"""Makes one draft of a class, for a dialect."""

_GRAMMAR: Final = Path(__file__).parent / "grammar"
_SECTION: Final = re.compile(r"\[(\w+)(?: (\w+))?\]")
_TOKENS: Final = re.compile(r"\s+|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\$\$.*?\$\$|\w+|.", re.DOTALL)
_QUOTE: Final = {"postgres": '"', "mysql": "`", "duckdb": '"'}
_COLUMNS: Final = frozenset({"ssn", "salary", "born", "name", "city", "id", "team_id"})
_TABLES: Final = frozenset({"staff", "teams", "orders", "jobs", "payroll", "secrets", "sales", "vault"})
_GAPS: Final = {
    "postgres": (
        "/**/",
        "/* a */",
        "\n",
        "\t",
        "\r\n",
        "\f",
        " -- a\n",
        "/* /* b */ */",
        "--\n",
        "  ",
        "/*;*/",
        "/*'*/ ",
    ),
    "mysql": ("/**/", "/* a */", "\n", "\t", "\r\n", "\f", " -- a\n", " #a\n", "/*!50000 */", "/*M! */", "  ", "/*;*/"),
    "duckdb": ("/**/", "/* a */", "\n", "\t", "\r\n", "\f", " -- a\n", "--\n", "  ", "/*;*/", "/*'*/ "),
}


def tokens(text: str) -> list[str]:
    """The words, marks, texts and gaps of a draft."""
    return _TOKENS.findall(text)


def quoted(name: str, dialect: str) -> str:
    """An identifier in the quotes of a dialect."""
    sign = _QUOTE[dialect]
    return f"{sign}{name}{sign}"


def _gaps(chance: random.Random, dialect: str, text: str) -> str:
    return "".join(
        chance.choice(_GAPS[dialect]) if one == " " and chance.random() < 0.6 else one for one in tokens(text)
    )


def _upper(chance: random.Random, dialect: str, text: str) -> str:
    return "".join(one.upper() if one[0].isalpha() else one for one in tokens(text))


def _mixed(chance: random.Random, dialect: str, text: str) -> str:
    return "".join(
        "".join(sign.upper() if chance.random() < 0.5 else sign for sign in one) if one[0].isalpha() else one
        for one in tokens(text)
    )


def _in_quotes(chance: random.Random, dialect: str, text: str) -> str:
    names = _COLUMNS | _TABLES if chance.random() < 0.5 else _COLUMNS
    return "".join(quoted(one, dialect) if one in names else one for one in tokens(text))


def _conditional(chance: random.Random, dialect: str, text: str) -> str:
    """In MySQL, words in a comment that is executed."""
    made = tokens(text)
    at = [place for place, one in enumerate(made) if one[0].isalpha()]
    first = chance.choice(at)
    last = min(len(made), first + chance.choice((1, 1, 3, 5)))
    sign = chance.choice(("!", "!50000 ", "!99999 ", "M!", "M!100100 "))
    return "".join((*made[:first], f"/*{sign}", *made[first:last], "*/", *made[last:]))


def _escaped(chance: random.Random, dialect: str, text: str) -> str:
    r"""In PostgreSQL, a name with one of its letters as a code: U&"s\0073n"."""
    made = []
    for one in tokens(text):
        if one in _COLUMNS and len(one) > 2:
            at = chance.randrange(len(one))
            one = f'U&"{one[:at]}\\{ord(one[at]):04x}{one[at + 1 :]}"'
        made.append(one)
    return "".join(made)


def _odd_letters(chance: random.Random, dialect: str, text: str) -> str:
    """Letters that look alike or fold alike, and signs of no width."""
    odd = chance.choice(
        (
            lambda name: name.replace("s", "\u017f", 1),
            lambda name: "".join(chr(ord(sign) + 0xFEE0) if sign.isalnum() else sign for sign in name),
            lambda name: name[:1] + "\u200b" + name[1:],
            lambda name: name.replace("a", "\u0430", 1),
            lambda name: name + "\u0301",
        )
    )
    return "".join(odd(one) if one in ("ssn", "salary", "born") else one for one in tokens(text))


def _odd_space(chance: random.Random, dialect: str, text: str) -> str:
    sign = chance.choice(("\u00a0", "\u2003", "\u3000", "\ufeff", "\x0b", "\x1f", "\u200b"))
    return "".join(sign if one == " " and chance.random() < 0.3 else one for one in tokens(text))


def _tail(chance: random.Random, dialect: str, text: str) -> str:
    ends = (";", " ;", ";;", "; --", " -- ", "\n", " /* open", ";\n", " #", "\\G", "\x1a", " ; ; ", ";/**/", "; -- '")
    return text + chance.choice(ends)


def _head(chance: random.Random, dialect: str, text: str) -> str:
    starts = ("\ufeff", ";", "-- a\n", "/* a */ ", "\n\n", "\t", "#a\n", "/*!1*/", "select 1;", "\\", "begin; ", "(")
    return chance.choice(starts) + text


_ANYWHERE: Final = (_gaps, _gaps, _upper, _mixed, _in_quotes, _in_quotes, _odd_letters, _odd_space, _tail, _head)
_ALSO: Final = {"postgres": (_escaped, _escaped), "mysql": (_conditional, _conditional, _conditional), "duckdb": ()}


def disguised(chance: random.Random, dialect: str, text: str) -> str:
    """The draft as it is, or in one or two disguises."""
    for _ in range(chance.choice((0, 0, 0, 1, 1, 2))):
        text = chance.choice((*_ANYWHERE, *_ALSO[dialect]))(chance, dialect, text)
    return text


def filled(template: str, **parts: str) -> str:
    """A template with its <PARTS>."""
    for name, part in parts.items():
        template = template.replace(f"<{name}>", part)
    return template


def distinct(attack: str, make: Maker, dialect: str, number: int, *, plain: bool = False) -> Iterator[Draft]:
    """So many drafts of a class, no two of which differ only in case or white space."""
    chance = random.Random(f"{SEED}:{dialect}:{attack}")
    seen: set[str] = set()
    for _ in range(number * 40):
        if len(seen) == number:
            return
        text = make(chance, dialect)
        if not plain:
            text = disguised(chance, dialect, text)
        same = " ".join(text.casefold().split())
        if same not in seen:
            seen.add(same)
            yield Draft(attack, text)
    raise AssertionError(f"{attack} makes no {number} distinct drafts in {dialect}, only {len(seen)}")


@functools.cache
def grammar(name: str, dialect: str) -> tuple[str, ...]:
    """The templates of a section, named `file.section`: those of every dialect, and those that one has of its own.

    A ¶ stands for the end of a line.
    """
    file, section = name.split(".")
    found: list[str] = []
    reads = False
    for line in (_GRAMMAR / f"{file}.txt").read_text().splitlines():
        if head := _SECTION.fullmatch(line):
            reads = head[1] == section and head[2] in (None, dialect)
        elif reads and line:
            found.append(line.replace("¶", "\n"))
    assert found, f"there is no {section} in {file}.txt"
    return tuple(found)

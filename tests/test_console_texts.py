"""What the console says: one file a language, the same keys in all, and no text anywhere else."""

import json
import re
from pathlib import Path

import pytest

from rest_compat.pages import STATIC_FOLDER

FOLDER = STATIC_FOLDER / "console"
MODULES = sorted(FOLDER.glob("*.js"))
LANGUAGES = sorted((FOLDER / "texts").glob("*.js"))
PLACE = re.compile(r"\{(\w+)\}")
SPOKEN = ("title", "label", "placeholder", "aria-label", "alt", "what", "note", "verb", "about")
"""Attributes whose value a person reads or hears."""
SAME_EVERYWHERE = {"SQL", "Stoa", "eyJ…", "stoa token --user NAME --org ORGANIZATION"}
"""Names, a command, and how every token begins."""

Texts = dict[str, str | dict[str, str]]


def texts_of(file: Path) -> Texts:
    """The texts of one language."""
    _, _, body = file.read_text("utf-8").partition("export default ")
    texts: Texts = json.loads(body.removesuffix(";\n"))
    return texts


def forms(text: str | dict[str, str]) -> list[str]:
    """Every form of a text: the plural forms, or itself."""
    return list(text.values()) if isinstance(text, dict) else [text]


def test_every_language_has_the_same_keys_with_the_same_places() -> None:
    english = texts_of(FOLDER / "texts" / "en.js")
    assert len(LANGUAGES) >= 2
    for file in LANGUAGES:
        texts = texts_of(file)
        assert list(texts) == list(english), file.name
        for key, text in texts.items():
            assert isinstance(text, dict) == isinstance(english[key], dict), (file.name, key)
            if isinstance(text, dict):
                assert set(text) == {"one", "other"}, (file.name, key)
            places = set(PLACE.findall(" ".join(forms(text))))
            assert places == set(PLACE.findall(" ".join(forms(english[key])))), (file.name, key)
            assert all(form.strip() for form in forms(text)), (file.name, key)


def test_every_key_that_is_asked_for_is_there_and_every_text_is_asked_for() -> None:
    texts = texts_of(FOLDER / "texts" / "en.js")
    code = "".join(module.read_text("utf-8") for module in MODULES)
    named = set(re.findall(r'(?<!named\()"([a-z]+(?:\.[A-Za-z0-9_]+)*\.[A-Za-z0-9_.]*)"', code))
    begun = {re.escape(part) for part in re.findall(r"`([a-z]+(?:\.[\w]+)*\.)\$\{", code)}
    groups = {re.escape(group + ".") for group in re.findall(r'named\("([\w.]+)"', code)}
    ended = re.findall(r"`([a-z]+)\.\$\{[^}]*\}(\.\w+)`", code)

    asked = {key for key in named if key.partition(".")[0] in {one.partition(".")[0] for one in texts}}
    missing = {key for key in asked if key not in texts and not key.endswith(".js")}
    assert missing == set()
    variable = [re.compile(begin) for begin in begun | groups]
    variable += [re.compile(rf"{start}\..*{re.escape(end)}$") for start, end in ended]
    unused = {key for key in texts if key not in named and not any(one.match(key) for one in variable)}
    assert unused == set()


class Reader:
    """Reads a module of JavaScript: its markup without the code in it, and its strings.

    Attributes:
        markup: What stands in templates that are tagged `html`, each with its code left out.
        strings: What stands in quotes, and in other templates.
    """

    def __init__(self, code: str) -> None:
        self._code, self._at = code, 0
        self.markup: list[str] = []
        self.strings: list[str] = []
        self._read_code()

    def _read_code(self, end: str = "") -> None:
        """Read up to a closing brace that belongs to what is around, or to the end."""
        depth, before = 0, "("
        while self._at < len(self._code):
            here = self._code[self._at]
            self._at += 1
            if here in "\"'":
                self.strings.append(self._up_to(here))
            elif here == "`":
                self._read_template(tagged=self._code[: self._at - 1].endswith("html"))
            elif here == "/" and self._code[self._at] == "/":
                self._at = self._code.find("\n", self._at) % (len(self._code) + 1)
            elif here == "/" and before in "(,=:[!&|?{};>":
                self._up_to("/")
            elif here == "{":
                depth += 1
            elif here == "}":
                if not depth and end:
                    return
                depth -= 1
            if not here.isspace():
                before = here

    def _up_to(self, end: str) -> str:
        """Return what stands before a closing sign; a class of characters may hold the one of a regular expression."""
        start, inside = self._at, False
        while inside or self._code[self._at] != end:
            if self._code[self._at] == "\\":
                self._at += 1
            elif end == "/" and self._code[self._at] in "[]":
                inside = self._code[self._at] == "["
            self._at += 1
        self._at += 1
        return self._code[start : self._at - 1]

    def _read_template(self, *, tagged: bool) -> None:
        kept = ""
        while self._code[self._at] != "`":
            if self._code.startswith("${", self._at):
                self._at += 2
                self._read_code("}")
                kept += "\0"
                continue
            self._at += 2 if self._code[self._at] == "\\" else 1
            kept += self._code[self._at - 1]
        self._at += 1
        (self.markup if tagged else self.strings).append(kept)


def spoken(code: str) -> set[str]:
    """The words that people read or hear: between tags, in attributes, and sentences in strings."""
    read = Reader(code)
    found: set[str] = set()
    for markup in read.markup:
        found |= {text.strip("\0 \n") for text in re.findall(r">([^<>]*)<", f">{markup}<")}
        found |= {text for name in SPOKEN for text in re.findall(rf'\s{name}="([^"]*)"', markup)}
    found |= {text for text in read.strings if re.match(r"[A-Z][a-z]+(?:[ ,:][\w\0 ,.:-]*)[a-z]", text)}
    return {text for text in found if re.search(r"[^\W\d_]{2,}", re.sub(r"&\w+;", "", text))}


def test_text_is_found_wherever_it_stands() -> None:
    code = """
      const pattern = /["`/]/g; // it's no text
      const x = html`<p class="a">Hello ${b ? html`<b title="On hover">inner ${"}"} words</b>` : ""} end</p>`;
      const y = ["Two words", `Three ${more} words`, "aria-label"];
    """
    assert spoken(code) == {"Hello \0 end", "On hover", "inner \0 words", "Two words", "Three \0 words"}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_no_text_stands_outside_the_languages(module: Path) -> None:
    if module.name.endswith("documents.js"):
        return
    assert spoken(module.read_text("utf-8")) - SAME_EVERYWHERE - set(texts_of(LANGUAGES[0])) == set()

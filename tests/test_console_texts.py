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
SAME_EVERYWHERE = {"GraphQL", "REST", "Stoa", "stoa token --user NAME --org ORGANIZATION", "rows"}
"""Names and commands, and the word `rows` inside a regular expression."""

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


def without_code(template: str) -> str:
    """A template with its `${...}` cut out, whatever braces and templates those hold."""
    kept, depth, at = [], 0, 0
    while at < len(template):
        if template.startswith("${", at):
            depth += 1
            at += 2
        elif depth and template[at] in "{}":
            depth += 1 if template[at] == "{" else -1
            at += 1
        else:
            if not depth:
                kept.append(template[at])
            at += 1
    return "".join(kept)


def spoken(code: str) -> set[str]:
    """The words between tags and in attributes that people read, of all markup in a module."""
    found: set[str] = set()
    # Innermost templates first, so that what a template holds in its code is looked at by itself.
    while match := re.search(r"html`((?:[^`\\]|\\.)*?)`", code):
        start = code.rfind("html`", 0, match.end())
        inner = code[start + 5 : match.end() - 1]
        markup = without_code(inner)
        found |= {text.strip() for text in re.findall(r">([^<>]*)<", f">{markup}<")}
        found |= {text for name in SPOKEN for text in re.findall(rf'\s{name}="([^"]*)"', markup)}
        code = code[:start] + "0" + code[match.end() :]
    return {text for text in found if re.search(r"[^\W\d_]{2,}", re.sub(r"&\w+;", "", text))}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_no_text_stands_outside_the_languages(module: Path) -> None:
    if module.name.endswith("documents.js"):
        return
    code = re.sub(r"(?m)^\s*//.*$", "", module.read_text("utf-8"))
    assert spoken(code) - SAME_EVERYWHERE == set()
    # A sentence in a string: words with blanks between them that no selector, class or address has.
    sentences = re.findall(r'"([A-Z][a-z]+(?: [\w,.-]+)+)"', code)
    assert [text for text in sentences if text not in SAME_EVERYWHERE] == []

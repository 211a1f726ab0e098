"""Apache Ossie, which was OSI: semantic models of datasets, fields, relationships and metrics.

Both forms of the draft 0.2.0 are read: a document that is one model, and one with a list of them under
`semantic_model`.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.documents import Understood, UnreadableDocument, text_of
from resolvers.engines.semantics.fragments import FragmentRefused, fragment, table_parts
from resolvers.engines.semantics.model import (
    MOST_EXAMPLES,
    Dataset,
    Field,
    Link,
    Measure,
    Model,
    Words,
    by_name,
    names,
    places,
    short,
)
from schema.utils.kept_json import canonical

MOST_KEPT: Final = 8192
VERSION: Final = "0.2.0.dev0"
"""What is written; documents of earlier drafts have the same words."""
DIALECTS: Final = {
    "ANSI_SQL": "",
    "SNOWFLAKE": "snowflake",
    "DATABRICKS": "databricks",
    "BIGQUERY": "bigquery",
}
"""The dialects of the standard that are SQL, by sqlglot's names; a standard dialect goes by none."""
VENDOR: Final = "STOA"
"""Whose extension says of which dataset's rows a metric is that names no column, as JSON: `{"dataset": "orders"}`."""
KEPT: Final = ("label", "datatype", "dimension", "unique_keys", "custom_extensions")
"""What is kept as it stands, and used by nothing."""


def read_ossie(document: Mapping[str, Any], dialect: str, found: Understood) -> list[Model]:
    """The models of a document. Raises UnreadableDocument."""
    listed = document.get("semantic_model")
    if isinstance(listed, list):
        return [_model(one, where, dialect, found) for where, one in places(listed, "semantic_model")]
    if not isinstance(document.get("datasets"), list):
        raise UnreadableDocument("The file is no model of Ossie: it has neither `datasets` nor `semantic_model`.")
    return [_model(document, "", dialect, found)]


def _model(one: Mapping[str, Any], where: str, dialect: str, found: Understood) -> Model:
    before = f"{where}." if where else ""
    for name in ("description", "ai_context", "custom_extensions"):
        if one.get(name):
            found.miss(f"{before}{name}", "It is about the model as a whole, which is no memory.")
    made = Model(text_of(one.get("name")) or "model")
    for place, said in places(one.get("datasets"), f"{before}datasets"):
        try:
            made.datasets.append(_dataset(said, place, dialect, found))
        except FragmentRefused as refused:
            found.miss(place, str(refused))
    for place, said in places(one.get("relationships"), f"{before}relationships"):
        start, end = (text_of(said.get(name)) or "" for name in ("from", "to"))
        columns, to_columns = (_columns(said.get(name)) for name in ("from_columns", "to_columns"))
        called = text_of(said.get("name")) or f"{start} to {end}"
        made.links.append(Link(called, start, end, columns, to_columns, _words(said, found, place), place))
    for place, said in places(one.get("metrics"), f"{before}metrics"):
        measure = text_of(said.get("name"))
        tree = _expression(said, place, dialect, found) if measure is not None else None
        if measure is not None and tree is not None:
            made.measures.append(Measure(measure, tree, _home(said), _words(said, found, place), place))
    return made


def _dataset(said: Mapping[str, Any], where: str, dialect: str, found: Understood) -> Dataset:
    name, source = text_of(said.get("name")), text_of(said.get("source"))
    if name is None or source is None:
        raise FragmentRefused("A dataset has a `name` and a `source`.")
    fields = _fields(said, where, dialect, found)
    return Dataset(
        name,
        table_parts(source, dialect),
        where,
        by_name(fields, found),
        words=_words(said, found, where),
        key=_columns(said.get("primary_key")),
    )


def _fields(said: Mapping[str, Any], where: str, dialect: str, found: Understood) -> Iterator[Field]:
    for place, one in places(said.get("fields"), f"{where}.fields"):
        name = text_of(one.get("name"))
        tree = _expression(one, place, dialect, found) if name is not None else None
        if name is not None and tree is not None:
            yield Field(name, tree, _words(one, found, place), place)


def _expression(said: Mapping[str, Any], where: str, dialect: str, found: Understood) -> exp.Expr | None:
    """The expression in the dialect of the connection, else in the standard one, else in another SQL."""
    told = said.get("expression")
    listed = told.get("dialects") if isinstance(told, dict) else None
    given: dict[str, str] = {}
    for _, one in places(listed, where):
        language, text = text_of(one.get("dialect")), text_of(one.get("expression"))
        if language is not None and text is not None:
            given.setdefault(language, text)
    readable = [language for language in given if language in DIALECTS]
    readable.sort(key=lambda language: (DIALECTS[language] != dialect, language != "ANSI_SQL", language))
    if not readable:
        found.miss(where, f"It is in none of the dialects that are read: {', '.join(DIALECTS)}.")
        return None
    if len(given) > 1:
        others = ", ".join(sorted(one for one in given if one != readable[0]))
        found.miss(where, f"It is read in {readable[0]}. What it is in {others[:200]} is not kept.")
    try:
        return fragment(given[readable[0]], DIALECTS[readable[0]])
    except FragmentRefused as refused:
        found.miss(where, str(refused))
        return None


def _home(said: Mapping[str, Any]) -> str | None:
    """The dataset of a metric that names no column, where our own extension says it."""
    for _, one in places(said.get("custom_extensions"), ""):
        if one.get("vendor_name") == VENDOR:
            try:
                told = json.loads(str(one.get("data")))
            except (ValueError, RecursionError):
                continue
            return text_of(told.get("dataset")) if isinstance(told, dict) else None
    return None


def _columns(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else []
    return tuple(text for one in listed if (text := text_of(one)) is not None)


def _words(said: Mapping[str, Any], found: Understood, where: str) -> Words:
    context = said.get("ai_context")
    told = context if isinstance(context, dict) else {"instructions": context}
    examples = [text for one in told.get("examples") or () if (text := short(one, found, where)) is not None]
    kept: dict[str, Any] = {name: said[name] for name in KEPT if said.get(name) is not None}
    others = {name: value for name, value in told.items() if name not in ("instructions", "synonyms", "examples")}
    extensions = [one for _, one in places(said.get("custom_extensions"), "") if one.get("vendor_name") != VENDOR]
    if "custom_extensions" in kept and not extensions:
        del kept["custom_extensions"]
    elif extensions:
        kept["custom_extensions"] = extensions
    if others:
        kept["ai_context"] = others
    if len(canonical(kept)) > MOST_KEPT:
        found.miss(where, f"What is said of it for the format alone has more than {MOST_KEPT} bytes, and is not kept.")
        kept = {}
    return Words(
        short(said.get("description"), found, where),
        names(told.get("synonyms"), found, where),
        short(told.get("instructions"), found, where),
        tuple(examples[:MOST_EXAMPLES]),
        kept,
    )

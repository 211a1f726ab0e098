"""The pages of `docs/` that are written from the code: every setting, and every kind of connection."""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from persistence.connectors import CONNECTION_TYPES, connector_class
from rest_compat.settings import setting_sections

CHECKOUT = Path(__file__).parents[1]

_SETTINGS = """\
# Settings

Every setting is an environment variable. `stoa serve --help` prints the same list. A name that is one or two letters
away from a setting ends the command with the name that was probably meant, and so does a value that cannot be read.

"""
_CONNECTORS = """\
# Connections

The kinds of sources that a data connection can read, each by its `connection_type`. Sources are read, never written.
Where an extra is named, install it first: `pip install 'stoa-platform[mysql]'`.

What each kind was tried against, honestly:

"""
_FIELDS = """\
A config goes into `database_config`, `storage_config` or `filesystem_config` of `POST /assets/data`, credentials into
`credentials`. Credentials are sealed, and no answer shows them but the one of `GET /assets/data/{resource_uri}/secret`.
"""
_WRITTEN = "\n<!-- This page is written by `stoa snapshot`. Change the code that it describes instead. -->\n"


def reference_pages() -> Iterator[tuple[Path, str]]:
    """Yield every written page with what it should hold. An installed package has no such pages, only a checkout."""
    if (CHECKOUT / "pyproject.toml").is_file():
        yield CHECKOUT / "docs" / "settings.md", settings_page()
        yield CHECKOUT / "docs" / "connectors.md", connectors_page()


def settings_page() -> str:
    """Return the page of the settings, section by section."""
    parts = [_SETTINGS.rstrip("\n")]
    for title, lines in setting_sections():
        rows = [(f"`{line.variable}`", _code(line.default), line.description) for line in lines]
        parts.append(f"## {title}\n\n{_table(('variable', 'default', 'meaning'), rows)}")
    return "\n\n".join(parts) + "\n" + _WRITTEN


def connectors_page() -> str:
    """Return the page of the connection types: what each was verified against, and what it takes."""
    verified, kinds = [], []
    for name in CONNECTION_TYPES:
        kind = connector_class(name)
        extra = _code(kind.extra or "") or "none"
        verified.append((f"[{name}](#{name})", extra, import_module(kind.__module__).VERIFIED))
        config, credentials = _schema(kind.config_model), _schema(kind.credentials_model)
        takes = [("config", *row) for row in _fields(config)] + [("credentials", *row) for row in _fields(credentials)]
        about = " ".join(config.get("description", "").split())
        heading = ("in", "field", "default", "meaning")
        kinds.append(f"## {name}\n\n{about} Its config is `{kind.config_section}`.\n\n{_table(heading, takes)}")
    table = _table(("type", "extra", "verified against"), verified)
    return "\n\n".join([_CONNECTORS + table, _FIELDS.rstrip("\n"), *kinds]) + "\n" + _WRITTEN


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()


def _fields(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield each field with its default and meaning; those of an object within are named by both names."""
    definitions = schema.get("$defs", {})
    for name, field in schema.get("properties", {}).items():
        inner = definitions.get(_referred(field), {})
        if "properties" in inner:
            for below, default, meaning in _fields({**inner, "$defs": definitions}):
                yield f"`{name}.{below.strip('`')}`", default, meaning
            continue
        required = name in schema.get("required", ())
        meaning = " ".join(field.get("description", "").split())
        if choices := inner.get("enum"):
            meaning += f" One of {', '.join(map(_code, choices))}."
        yield f"`{name}`", "required" if required else _default(field.get("default")), meaning.strip()


def _referred(field: Mapping[str, Any]) -> str:
    """Return the definition that a field refers to, itself or beside null; an empty text when there is none."""
    told = [field, *field.get("anyOf", ()), *field.get("allOf", ())]
    return next((one["$ref"].rpartition("/")[2] for one in told if "$ref" in one), "")


def _default(value: object) -> str:
    if value is None or value in ("", [], {}):
        return ""
    return _code(str(value).lower() if isinstance(value, bool) else str(value))


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _table(heading: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    cells = [heading, ("---",) * len(heading), *((cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)

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
_FILES = """\
## Files as tables

What a folder, a share or a bucket (`nfs`, `smb`, `s3`, `gcs`, `minio`) holds becomes a catalog. The folder itself is
the database.

| file | becomes |
| --- | --- |
| CSV, TSV, JSON, NDJSON, each also as `.gz`; Parquet | a table of the schema that its folder is, `root` for the top |
| folders named `key=value`, and Parquet part files | one table; the keys are columns |
| a SQLite database: `.sqlite`, `.sqlite3`, `.db`, `.db3` | a schema; its tables and views are the tables |
| an Excel workbook: `.xlsx`, `.xlsm` | a schema; each sheet with values is a table |

A schema that is a file is named by its path without the ending, such as `sales/shop` for `sales/shop.sqlite`; the
ending stays where two schemas would have one name. What is no table is counted and named by `verify` and by each run.

**SQLite.** The first 16 bytes say what is a database, not the name. Declared types, `NOT NULL`, keys, foreign keys and
the queries of views come into the catalog. A column is of its declared type as long as the first 20,000 rows bear it
out: numbers with a text among them are texts, and texts that all are ISO days or moments are days or moments. Days kept
as numbers stay numbers. When rows are read, a column gets the first type that holds every value, else text; nothing
becomes null or is rounded. Of bytes the first 65,536 of a value are read. The write-ahead log is read with the file;
while a change is under way it is not read, and its tables stand as they were. Virtual tables are named and not read; a
view may take as long as a statement on a catalog (`STOA_STATEMENT_TIMEOUT`).

**Excel.** The header is the first row with half as many values as the widest of the first 50: what stands above is
taken for a title, and the table's description says so. Where fewer than half of its cells are texts there is no header,
and columns are named by their letters. Values are those that Excel kept: formulas and macros never run; errors such as
`#N/A`, and all cells of a merged range but the first, are null. Numbers kept as text stay text; spans of time are
numbers of days. Rows without values are left out, and so are empty sheets, which the schema's description names; hidden
sheets say that they are hidden. The first 10,000 rows decide what columns there are and of which types: a column that
begins below them is not read. `.xls`, `.xlsb` and `.ods` are not read.

Databases and workbooks are copied whole to be read: from a folder as far as `STOA_SOURCE_COPY_BYTES` allows, from a
share or a bucket 512 MB of them together. Larger ones are named and not read.

**Parsed once.** What takes more than half a second to parse, be it a text, a database or a workbook, is kept beside the
other copies as DuckDB wrote it, in a folder that only the account of the server can enter. The next reading uses it, as
long as the store lists the file with the same size and version (its ETag; in a folder and on a share the times of its
last change) and still lets the connection read it. `STOA_SOURCE_KEPT_BYTES` bounds what is kept of all connections, and
so does a quarter of the disk; 0 keeps nothing. What was not used for a week is removed with the next table that is
kept. Parquet is read where it lies.
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
    return "\n\n".join([_CONNECTORS + table, _FIELDS.rstrip("\n"), *kinds, _FILES.rstrip("\n")]) + "\n" + _WRITTEN


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

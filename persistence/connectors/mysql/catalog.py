"""The information schema of MySQL and MariaDB as statements, and their rows as columns and keys."""

from collections.abc import Mapping, Sequence
from typing import Any

from persistence.connectors.core.base import ColumnInfo, KeyInfo

Row = tuple[Any, ...]

SCHEMATA = "select * from information_schema.schemata"

NAMES = (
    "select table_schema, table_name from information_schema.tables"
    " where table_schema not in %(system)s and table_type <> 'SEQUENCE'"
)

TABLES = (
    "select table_name, table_type, table_rows, table_comment from information_schema.tables"
    " where table_schema = %(schema)s and table_name in %(names)s"
)

VIEWS = (
    "select table_name, view_definition from information_schema.views"
    " where table_schema = %(schema)s and table_name in %(names)s"
)

KEYS = (
    "select table_name, constraint_name, column_name, referenced_table_schema, referenced_table_name,"
    " referenced_column_name from information_schema.key_column_usage"
    " where table_schema = %(schema)s and table_name in %(names)s"
    " order by cast(table_name as binary), constraint_name = 'PRIMARY' desc, referenced_table_name is not null,"
    " constraint_name, ordinal_position"
)

# Sorted by bytes: under the catalog's own collation the columns of tables `A` and `a` would come mixed.
COLUMNS = (
    "select table_name, column_name, data_type, column_type, is_nullable, column_comment, numeric_precision,"
    " numeric_scale, datetime_precision, character_maximum_length, column_default, extra, generation_expression"
    " from information_schema.columns where table_schema = %(schema)s and table_name in %(names)s"
    " order by cast(table_name as binary), ordinal_position"
)

TYPES: Mapping[str, str] = {
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "mediumint": "INTEGER",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "decimal": "NUMERIC",
    "float": "REAL",
    "double": "DOUBLE",
    "bit": "BIT",
    "char": "CHAR",
    "varchar": "VARCHAR",
    **dict.fromkeys(("tinytext", "text", "mediumtext", "longtext"), "TEXT"),
    **dict.fromkeys(("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"), "BINARY"),
    "date": "DATE",
    "time": "TIME",
    "datetime": "TIMESTAMP",
    "timestamp": "TIMESTAMPTZ",
    "year": "YEAR",
    "json": "JSON",
    "enum": "ENUM",
    "set": "SET",
    "uuid": "UUID",
    **dict.fromkeys(("inet4", "inet6"), "INET"),
    **dict.fromkeys(
        (
            "geometry",
            "point",
            "linestring",
            "polygon",
            "multipoint",
            "multilinestring",
            "multipolygon",
            "geometrycollection",
            "geomcollection",
        ),
        "GEOMETRY",
    ),
}

_SIZED = {"char", "varchar", "binary", "varbinary"}


def keys_by_table(rows: Sequence[Row]) -> dict[str, list[KeyInfo]]:
    """Each table's keys from the rows of KEYS, which come sorted by table, kind, name and position."""
    grouped: dict[tuple[str, str, bool], list[Row]] = {}
    for row in rows:
        grouped.setdefault((row[0], row[1], row[4] is not None), []).append(row)
    keys: dict[str, list[KeyInfo]] = {}
    for (table, name, foreign), parts in grouped.items():
        columns = tuple(part[2] for part in parts)
        if None in columns:
            continue  # an index over expressions
        if foreign:
            key = KeyInfo("FOREIGN_KEY", name, columns, parts[0][3], parts[0][4], tuple(part[5] for part in parts))
        else:
            key = KeyInfo("PRIMARY_KEY" if name == "PRIMARY" else "UNIQUE", name, columns)
        keys.setdefault(table, []).append(key)
    return keys


def column(place: int, row: Row, mariadb: bool) -> ColumnInfo:
    """One column from its row of COLUMNS; `place` is where it stands in its table, from 1."""
    _, name, data_type, display, nullable, comment, precision, scale, moment, length, default, extra, formula = row
    extra = (extra or "").lower()
    if formula:
        default = f"generated always as ({formula})"
    elif "auto_increment" in extra:
        default = "auto_increment"
    elif default == "NULL" and mariadb:
        default = None  # MariaDB spells out that there is none
    elif default is not None and "on update" in extra:
        default = f"{default} {extra[extra.index('on update') :]}"
    return ColumnInfo(
        name=name,
        data_type=neutral_type(data_type, display),
        data_type_display=display,
        ordinal_position=place,
        nullable=nullable == "YES",
        comment=comment or None,
        precision=_whole(precision) if data_type.lower() == "decimal" else _whole(moment) or None,
        scale=_whole(scale) if data_type.lower() == "decimal" else None,
        data_length=_whole(length) if data_type.lower() in _SIZED else None,
        default=default,
    )


def neutral_type(data_type: str, display: str) -> str:
    """The neutral name of a MySQL type. A tinyint of width 1 is how MySQL spells BOOLEAN; some use a single bit."""
    if display.lower().startswith(("tinyint(1)", "bit(1)")):
        return "BOOLEAN"
    return TYPES.get(data_type.lower(), data_type.upper())


def _whole(number: object) -> int | None:
    return None if number is None else int(str(number))

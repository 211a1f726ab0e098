"""PostgreSQL's system catalog as statements, and their rows as tables, columns and keys.

Every statement takes the names as an array, so its number does not grow with them. Partitions are folded into their
parent: they are not listed, and the parent's row estimate is the sum over its leaves. What an extension brought along
is its own business and is left out.
"""

# ruff: noqa: S608 - these statements are put together from the constants of this file alone

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, LiteralString

from persistence.connectors.core.base import ColumnInfo, KeyInfo, TableInfo

_RELEVANT: LiteralString = """
    c.relkind in ('r', 'p', 'v', 'm', 'f')
    and not c.relispartition
    and not exists (
        select from pg_catalog.pg_depend d
        where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
    )
"""

_ALLOWED: LiteralString = """
    has_schema_privilege(n.oid, 'USAGE')
    and (has_table_privilege(c.oid, 'SELECT') or has_any_column_privilege(c.oid, 'SELECT'))
"""

_READABLE: LiteralString = f"{_RELEVANT} and {_ALLOWED}"

_OURS: LiteralString = "n.nspname !~ '^pg_' and n.nspname <> 'information_schema'"

_THESE: LiteralString = """
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
""".strip()

_NAMED: LiteralString = (
    f"where n.nspname = %(schema)s and {_OURS} and c.relname = any(%(names)s::name[]) and {_READABLE}"
)

SCHEMAS: LiteralString = f"""
    select n.nspname::text, obj_description(n.oid, 'pg_namespace'),
           coalesce((
               select array_agg(c.relname::text) from pg_catalog.pg_class c
               where c.relnamespace = n.oid and {_READABLE}
           ), '{{}}'::text[])
    from pg_catalog.pg_namespace n
    where {_OURS} and has_schema_privilege(n.oid, 'USAGE')
"""
"""(schema, comment, names of tables and views) for every schema that the user may use."""

HIDDEN: LiteralString = f"""
    select n.nspname::text, c.relname::text {_THESE} where {_OURS} and {_RELEVANT} and not ({_ALLOWED})
"""
"""(schema, name) of the tables and views that the user may not read."""

ESTIMATE: LiteralString = """
    case when {0}.reltuples > 0 or ({0}.reltuples = 0 and {0}.relpages > 0) then {0}.reltuples
         when {0}.relkind <> 'f' and pg_relation_size({0}.oid) = 0 then 0 end
"""

RELATIONS: LiteralString = f"""
    select c.relname::text, c.relkind::text, obj_description(c.oid, 'pg_class'),
           case c.relkind
               when 'p' then (
                   select case when count(*) = count(e.estimate) then coalesce(sum(e.estimate), 0)::bigint end
                   from (
                       select {ESTIMATE.format("leaf")} as estimate
                       from pg_partition_tree(c.oid) t join pg_catalog.pg_class leaf on leaf.oid = t.relid
                       where t.isleaf
                   ) e
               )
               when 'v' then null
               else ({ESTIMATE.format("c")})::bigint
           end,
           case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid, true) end
    {_THESE} {_NAMED}
"""
"""(name, relkind, comment, rows, definition) of the named tables and views."""

COLUMNS: LiteralString = f"""
    select c.relname::text, a.attname::text, a.attnum, format_type(a.atttypid, a.atttypmod), not a.attnotnull,
           col_description(c.oid, a.attnum),
           case a.attgenerated when '' then pg_get_expr(d.adbin, d.adrelid)
                else 'generated always as ' || pg_get_expr(d.adbin, d.adrelid) end,
           a.attidentity::text, t.typname::text, t.typtype::text, t.typcategory::text,
           case when a.atttypmod < 0 then t.typtypmod else a.atttypmod end,
           b.typname::text, b.typtype::text, b.typcategory::text, t.typnotnull
    {_THESE}
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_catalog.pg_type t on t.oid = a.atttypid
    left join pg_catalog.pg_type b on t.typtype = 'd' and b.oid = t.typbasetype
    left join pg_catalog.pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    {_NAMED}
    order by c.relname, a.attnum
"""
"""The columns of the named tables and views, sorted by table (in byte order) and position."""

KEYS: LiteralString = f"""
    select * from (
        select c.relname::text as relation, k.contype::text as kind, k.conname::text as name,
               array(
                   select a.attname::text from unnest(k.conkey) with ordinality u(attnum, place)
                   join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.attnum order by u.place
               ) as columns,
               tn.nspname::text as target_schema, tc.relname::text as target_table,
               array(
                   select a.attname::text from unnest(k.confkey) with ordinality u(attnum, place)
                   join pg_catalog.pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.attnum order by u.place
               ) as target_columns
        {_THESE}
        join pg_catalog.pg_constraint k on k.conrelid = c.oid and k.contype in ('p', 'u', 'f') and k.conparentid = 0
        left join pg_catalog.pg_class tc on tc.oid = k.confrelid
        left join pg_catalog.pg_namespace tn on tn.oid = tc.relnamespace
        {_NAMED}
        union all
        select c.relname::text, 'u', ic.relname::text,
               array(
                   select a.attname::text from unnest(i.indkey) with ordinality u(attnum, place)
                   join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = u.attnum
                   where u.place <= i.indnkeyatts order by u.place
               ),
               null, null, '{{}}'::text[]
        {_THESE}
        join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisunique and not i.indisprimary and i.indisvalid
             and i.indpred is null and i.indexprs is null
        join pg_catalog.pg_class ic on ic.oid = i.indexrelid
        {_NAMED}
        and not exists (
            select from pg_catalog.pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x')
        )
    ) keys order by relation, case kind when 'p' then 0 when 'u' then 1 else 2 end, name
"""
"""Primary, unique and foreign keys; a unique index over plain columns without a condition counts as a unique key."""

_KINDS = {"r": "TABLE", "p": "TABLE", "v": "VIEW", "m": "MATERIALIZED_VIEW", "f": "EXTERNAL"}
_KEYS = {"p": "PRIMARY_KEY", "u": "UNIQUE", "f": "FOREIGN_KEY"}

TYPES: Mapping[str, str] = {
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "int8": "BIGINT",
    "numeric": "NUMERIC",
    "float4": "REAL",
    "float8": "DOUBLE",
    "money": "MONEY",
    "bool": "BOOLEAN",
    "varchar": "VARCHAR",
    "bpchar": "CHAR",
    "char": "CHAR",
    "name": "VARCHAR",
    "text": "TEXT",
    "citext": "TEXT",
    "bytea": "BINARY",
    "date": "DATE",
    "time": "TIME",
    "timetz": "TIMETZ",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMPTZ",
    "interval": "INTERVAL",
    "json": "JSON",
    "jsonb": "JSON",
    "uuid": "UUID",
    "xml": "XML",
    "bit": "BIT",
    "varbit": "BIT",
    "inet": "INET",
    "cidr": "INET",
    "hstore": "MAP",
    "geometry": "GEOMETRY",
    "geography": "GEOGRAPHY",
}
_BY_KIND = {"e": "ENUM", "c": "STRUCT", "r": "RANGE", "m": "RANGE"}

Row = tuple[Any, ...]
Keys = Mapping[str, Sequence[KeyInfo]]


def keys_by_table(rows: Iterable[Row]) -> Keys:
    """The keys of each table, in the order of the rows."""
    keys: dict[str, list[KeyInfo]] = {}
    for table_name, kind, name, columns, target_schema, target_table, target_columns in rows:
        keys.setdefault(table_name, []).append(
            KeyInfo(_KEYS[kind], name, tuple(columns), target_schema, target_table, tuple(target_columns))
        )
    return keys


def table(relation: Row, columns: Iterable[Row], keys: Keys) -> TableInfo:
    """One table from a row of RELATIONS, its rows of COLUMNS and the keys of its schema."""
    name, kind, comment, rows, definition = relation
    return TableInfo(
        name,
        _KINDS[kind],
        # The catalog's own numbers have gaps where columns were dropped.
        tuple(_column(place, row) for place, row in enumerate(columns, 1)),
        tuple(keys.get(name, ())),
        comment,
        rows,
        definition.strip() if definition else None,
    )


def _column(place: int, row: Row) -> ColumnInfo:
    _, name, _, display, nullable, comment, default, identity, *type_row = row
    typname, typtype, category, typmod, base_name, base_type, base_category, domain_not_null = type_row
    if typtype == "d":
        typname, typtype, category = base_name, base_type, base_category
    precision, scale, length = sizes(typname, typmod)
    if identity:
        default = f"generated {'always' if identity == 'a' else 'by default'} as identity"
    return ColumnInfo(
        name=name,
        data_type=neutral_type(typname, typtype, category),
        data_type_display=display,
        ordinal_position=place,
        nullable=nullable and not domain_not_null,
        comment=comment,
        precision=precision,
        scale=scale,
        data_length=length,
        default=default,
    )


def neutral_type(typname: str, typtype: str = "b", category: str = "") -> str:
    """The neutral name of a PostgreSQL type, from pg_type's name, kind and category."""
    if category == "A" and typname.startswith("_"):
        return "ARRAY"
    if category == "G":
        return "GEOMETRY"
    return TYPES.get(typname) or _BY_KIND.get(typtype) or typname.upper()


def sizes(typname: str, typmod: int | None) -> tuple[int | None, int | None, int | None]:
    """(precision, scale, length) that a type modifier stands for; elements of an array share theirs."""
    bare = typname.lstrip("_")
    if typmod is None or typmod < 0:
        return None, None, None
    if bare == "numeric":
        packed = typmod - 4
        scale = packed & 0x7FF
        return (packed >> 16) & 0xFFFF, scale - 0x800 if scale & 0x400 else scale, None
    if bare in ("varchar", "bpchar"):
        return None, None, typmod - 4
    if bare in ("bit", "varbit"):
        return None, None, typmod
    if bare in ("time", "timetz", "timestamp", "timestamptz"):
        return typmod, None, None
    return None, None, None

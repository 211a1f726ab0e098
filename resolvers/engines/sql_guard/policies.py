"""Policies: what memories of the type `policy` say about tables and columns, and what holds for one table.

The content of such a memory is an object:

    {"effect": "mask",                              forbid | mask | row_filter | aggregate_only | minimum_group_size,
                                                   or show
     "tables": ["shop.main.sales.*"],               what: tables, by dotted names; `*` stands for any part, or in it
     "columns": ["*.*.*.customers.email"],                columns, likewise
     "tags": ["PII.*"],                                   columns and tables that bear a tag
     "data_types": ["DATE"],                              columns of a type
     "users": [], "groups": [],                     who: only these, by id or address; everybody when both are empty
     "except_users": [], "except_groups": [],             and never these
     "mask": "full",                                mask: full | last4 | hash | year; full unless said
     "salt": "...",                                 mask hash: mixed into what is hashed
     "condition": "region = 'EU'",                  row_filter: a SQL condition over the columns of the table
     "minimum": 5}                                  minimum_group_size, aggregate_only: rows behind every answer

`tables` together with columns, tags or types narrows those down to the tables. A name with fewer parts is matched from
its end. Without any of them, a policy is about the `asset_fqn` of its memory: a column, a table, or all tables below.
`show` lets the cells of columns be read that are masked because their level is the highest; what another policy hides
stays hidden. `type`, `text`, `title` and `reason` may hold words for people. Any other key, or a value that cannot be
understood, makes the policy one that cannot be read: then nothing is answered until somebody mends it, for nobody knows
what it was to protect.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from resolvers.engines.sql_guard.tables import Table
from schema.identifiers import Fqn, join_fqn
from schema.utils.memory import Memory

DEFAULT_MINIMUM: Final = 5
"""The rows behind an aggregate over a protected column when the policy does not say."""
MOST_MINIMUM: Final = 1_000_000
MOST_NAMES: Final = 500
MOST_STARS: Final = 3
LONGEST_CONDITION: Final = 4_000


class Effect(StrEnum):
    """Describes what a policy does."""

    FORBID = "forbid"
    MASK = "mask"
    ROW_FILTER = "row_filter"
    AGGREGATE_ONLY = "aggregate_only"
    MINIMUM_GROUP_SIZE = "minimum_group_size"
    SHOW = "show"


class MaskStyle(StrEnum):
    """Describes what is shown in the place of a value."""

    FULL = "full"
    LAST4 = "last4"
    HASH = "hash"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy that can be read."""

    id: str
    """The id of its memory."""
    name: str
    effect: Effect
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    data_types: frozenset[str] = frozenset()
    assets: tuple[str, ...] = ()
    """Dotted names of columns, tables or what is above them, taken exactly."""
    users: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    except_users: frozenset[str] = frozenset()
    except_groups: frozenset[str] = frozenset()
    mask: MaskStyle = MaskStyle.FULL
    salt: str = ""
    condition: str = ""
    minimum: int = DEFAULT_MINIMUM

    def holds_for(self, users: Collection[str], groups: Collection[str] = ()) -> bool:
        """Return whether it holds for somebody, known by these ids and addresses, who is in these groups."""
        names = {name.casefold() for name in users}
        within = {name.casefold() for name in groups}
        if names & self.except_users or within & self.except_groups:
            return False
        return not (self.users or self.groups) or bool(names & self.users or within & self.groups)


@dataclass(frozen=True, slots=True)
class Broken:
    """A policy that cannot be read. The guard refuses everything while it stands."""

    id: str
    name: str
    why: str
    """For those who may read the memory; a refusal does not quote it."""


def is_policy(memory: Memory) -> bool:
    """Return whether a memory says anything in the terms of a policy; words alone, `{type, text}`, cannot be
    enforced.
    """
    return not isinstance(memory.content, Mapping) or bool({*_KEYS, *_PARAMETERS} & memory.content.keys())


def parse_policy(memory: Memory) -> Policy | Broken:
    """The policy that a memory holds."""
    try:
        return _policy(memory)
    except ValueError as why:
        return Broken(memory.id, memory.name, str(why))


def policies_for(
    memories: Iterable[Memory], *, users: Collection[str], groups: Collection[str] = ()
) -> list[Policy | Broken]:
    """The policies that hold for a caller. One that cannot be read holds for everybody."""
    parsed = [parse_policy(memory) for memory in memories]
    return [one for one in parsed if isinstance(one, Broken) or one.holds_for(users, groups)]


_WORDS: Final = frozenset({"type", "text", "title", "reason"})
_PARAMETERS: Final[Mapping[str, frozenset[Effect]]] = {
    "mask": frozenset({Effect.MASK}),
    "salt": frozenset({Effect.MASK}),
    "condition": frozenset({Effect.ROW_FILTER}),
    "minimum": frozenset({Effect.MINIMUM_GROUP_SIZE, Effect.AGGREGATE_ONLY}),
}
_KEYS: Final = frozenset(
    {"effect", "tables", "columns", "tags", "data_types", "users", "groups", "except_users", "except_groups"}
)


def _policy(memory: Memory) -> Policy:
    content = memory.content
    if not isinstance(content, Mapping):
        raise ValueError("The content is no object.")
    try:
        effect = Effect(str(content.get("effect")))
    except ValueError:
        raise ValueError(f"`effect` is one of {', '.join(Effect)}.") from None
    for key in content:
        if key not in _KEYS and key not in _WORDS and effect not in _PARAMETERS.get(key, ()):
            raise ValueError(f"`{key}` means nothing in a policy that has the effect {effect}.")
    tables, columns, tags = (_names(content, key) for key in ("tables", "columns", "tags"))
    for pattern in (*tables, *columns, *tags):
        _pattern(pattern)
    types = frozenset(name.upper() for name in _names(content, "data_types"))
    assets: tuple[str, ...] = ()
    if not (tables or columns or tags or types):
        if memory.asset_fqn is None:
            raise ValueError("It says nothing of what it is about: give tables, columns, tags or data_types.")
        assets = (join_fqn(Fqn.parse(memory.asset_fqn).parts),)
    if effect is Effect.ROW_FILTER and (columns or types):
        raise ValueError("A row filter is about tables: give tables or tags.")
    parameters = _parameters(content, effect)
    users, groups, except_users, except_groups = (
        frozenset(name.casefold() for name in _names(content, key))
        for key in ("users", "groups", "except_users", "except_groups")
    )
    return Policy(
        id=memory.id,
        name=memory.name,
        effect=effect,
        tables=tables,
        columns=columns,
        tags=tags,
        data_types=types,
        assets=assets,
        users=users,
        groups=groups,
        except_users=except_users,
        except_groups=except_groups,
        mask=parameters.mask,
        salt=parameters.salt,
        condition=parameters.condition,
        minimum=parameters.minimum,
    )


class _Parameters(NamedTuple):
    """Holds how a policy does what it does."""

    mask: MaskStyle
    salt: str
    condition: str
    minimum: int


def _parameters(content: Mapping[str, Any], effect: Effect) -> _Parameters:
    """Raises ValueError for one of the wrong kind, or out of bounds."""
    condition = content.get("condition", "")
    if effect is Effect.ROW_FILTER and not (
        isinstance(condition, str) and condition.strip() and len(condition) <= LONGEST_CONDITION
    ):
        raise ValueError(f"`condition` is a SQL condition of 1 to {LONGEST_CONDITION} characters.")
    minimum = content.get("minimum", None if effect is Effect.MINIMUM_GROUP_SIZE else DEFAULT_MINIMUM)
    if not isinstance(minimum, int) or isinstance(minimum, bool) or not 1 <= minimum <= MOST_MINIMUM:
        raise ValueError(f"`minimum` is a whole number from 1 to {MOST_MINIMUM}.")
    salt = content.get("salt", "")
    if not isinstance(salt, str) or len(salt) > 200:
        raise ValueError("`salt` is a text of at most 200 characters.")
    try:
        mask = MaskStyle(str(content.get("mask", MaskStyle.FULL)))
    except ValueError:
        raise ValueError(f"`mask` is one of {', '.join(MaskStyle)}.") from None
    return _Parameters(mask, salt, condition if effect is Effect.ROW_FILTER else "", minimum)


def _names(content: Mapping[str, Any], key: str) -> tuple[str, ...]:
    given = content.get(key, [])
    if not isinstance(given, list) or len(given) > MOST_NAMES:
        raise ValueError(f"`{key}` is a list of at most {MOST_NAMES} names.")
    if not all(isinstance(name, str) and 0 < len(name.strip()) <= 1000 for name in given):
        raise ValueError(f"`{key}` holds names of 1 to 1,000 characters.")
    return tuple(name.strip() for name in cast("list[str]", given))


_Matcher = str | re.Pattern[str] | None
"""One part of a dotted name with `*` in it, without regard to case; None for a part that may be anything."""


@lru_cache(maxsize=4096)
def _pattern(text: str) -> tuple[_Matcher, ...]:
    """The parts of a dotted name with `*` in it. Raises ValueError."""
    return tuple(_matcher(part.casefold()) for part in Fqn.parse(text).parts)


def _matcher(part: str) -> _Matcher:
    if part.count("*") > MOST_STARS:
        raise ValueError(f"A part of a name holds at most {MOST_STARS} stars.")
    if "*" not in part:
        return part
    return None if part == "*" else re.compile(".*".join(map(re.escape, part.split("*"))), re.DOTALL)


@lru_cache(maxsize=8192)
def _parts(fqn: str) -> tuple[str, ...]:
    """The parts of a dotted name, without regard to case."""
    try:
        return tuple(part.casefold() for part in Fqn.parse(fqn).parts)
    except ValueError:
        return tuple(fqn.casefold().split("."))


@lru_cache(maxsize=4096)
def _names_of(columns: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Columns, each with its name without regard to case."""
    return tuple((name, name.casefold()) for name in columns)


def _is(matcher: _Matcher, part: str) -> bool:
    if matcher is None:
        return True
    return matcher == part if isinstance(matcher, str) else matcher.fullmatch(part) is not None


def _ends_with(wanted: Sequence[_Matcher], parts: Sequence[str]) -> bool:
    """Return whether the last parts of a name are those that are wanted."""
    if len(wanted) > len(parts):
        return False
    return all(_is(one, part) for one, part in zip(reversed(wanted), reversed(parts), strict=False))


def _tagged(patterns: Sequence[str], tags: Sequence[str]) -> bool:
    """Return whether a tag fits a pattern. `PII.*` fits the classification `PII` itself, and what is deeper in it
    too.
    """
    for tag in tags:
        parts = _parts(tag)
        for pattern in patterns:
            wanted = _pattern(pattern)
            if wanted[-1] is None:
                wanted = wanted[:-1]
                parts_wanted = parts[: len(wanted)]
            else:
                parts_wanted = parts
            if len(parts_wanted) == len(wanted) and all(map(_is, wanted, parts_wanted)):
                return True
    return False


@dataclass(slots=True)
class Ruling:
    """Holds what the policies say of one table, combined: the strictest holds."""

    table_forbidden: Policy | None = None
    forbidden: dict[str, Policy] = field(default_factory=dict)
    """Columns that may not be used at all."""
    guarded: dict[str, tuple[int, list[Policy]]] = field(default_factory=dict)
    """Columns that may only be counted, summed and averaged, over so many rows at least."""
    masks: dict[str, tuple[MaskStyle, str, list[Policy]]] = field(default_factory=dict)
    """Columns that are shown masked: how, the salt, and by which policies."""
    filters: list[Policy] = field(default_factory=list)
    minimum: int = 0
    """Rows behind every answer; 0 when single rows may be shown."""
    minimum_by: list[Policy] = field(default_factory=list)
    shown: dict[str, Policy] = field(default_factory=dict)
    """Columns that are shown though they are most sensitive."""

    @property
    def changes(self) -> bool:
        """Return whether the table must be wrapped."""
        return bool(self.filters or self.masks)

    def keep_strictest(self) -> None:
        """Drop what is said of a column beside something stricter."""
        for name in self.guarded:
            self.masks.pop(name, None)
        for name in self.forbidden:
            self.masks.pop(name, None)
            self.guarded.pop(name, None)


def ruling_of(table: Table, policies: Sequence[Policy]) -> Ruling:
    """Return what holds for a table."""
    ruling = Ruling()
    parts = _parts(table.fqn)
    for policy in policies:
        whole, columns = _hit(policy, table, parts)
        if not whole and not columns:
            continue
        match policy.effect:
            case Effect.FORBID if whole:
                ruling.table_forbidden = ruling.table_forbidden or policy
            case Effect.FORBID:
                for name in columns:
                    ruling.forbidden.setdefault(name, policy)
            case Effect.ROW_FILTER:
                ruling.filters.append(policy)
            case Effect.MINIMUM_GROUP_SIZE:
                ruling.minimum = max(ruling.minimum, policy.minimum)
                ruling.minimum_by.append(policy)
            case _:
                _rule_cells(ruling, policy, columns)
    ruling.keep_strictest()
    return ruling


def _rule_cells(ruling: Ruling, policy: Policy, columns: Collection[str]) -> None:
    """Note what a policy says of how the cells of columns are shown."""
    for name in columns:
        match policy.effect:
            case Effect.AGGREGATE_ONLY:
                least, by = ruling.guarded.get(name, (0, []))
                ruling.guarded[name] = (max(least, policy.minimum), [*by, policy])
            case Effect.MASK:
                ruling.masks[name] = _stricter(ruling.masks.get(name), policy)
            case Effect.SHOW:
                ruling.shown.setdefault(name, policy)


def _hit(policy: Policy, table: Table, parts: tuple[str, ...]) -> tuple[bool, Collection[str]]:
    """Return whether a policy is about the table as a whole, and the columns that it is about."""
    if policy.tables and not any(_ends_with(_pattern(pattern), parts) for pattern in policy.tables):
        return False, ()
    if policy.assets:
        asset = _parts(policy.assets[0])
        if parts[: len(asset)] == asset:
            return True, table.columns
        if asset[:-1] == parts:
            return False, [name for name, folded in _names_of(table.columns) if folded == asset[-1]]
        return False, ()
    if not (policy.columns or policy.tags or policy.data_types):
        return True, table.columns
    if policy.tags and table.tags and _tagged(policy.tags, table.tags):
        return True, table.columns
    return False, _columns_hit(policy, table, parts)


def _columns_hit(policy: Policy, table: Table, parts: tuple[str, ...]) -> Collection[str]:
    """The columns that a policy names, tags or means by their type."""
    found: dict[str, None] = {}
    for pattern in policy.columns:
        wanted = _pattern(pattern)
        if _ends_with(wanted[:-1], parts):
            found.update((name, None) for name, folded in _names_of(table.columns) if _is(wanted[-1], folded))
    if policy.tags:
        for name, tags in zip(table.columns, table.column_tags, strict=False):
            if tags and _tagged(policy.tags, tags):
                found[name] = None
    if policy.data_types:
        shows = policy.effect is Effect.SHOW
        of_type = (name for name in table.columns if _is_of(table.type_of(name), policy.data_types, unknown=not shows))
        found.update((name, None) for name in of_type)
    return found


def _is_of(kind: str | None, wanted: frozenset[str], *, unknown: bool) -> bool:
    """A column of which no type is known counts as one of every type that is protected, for nobody can say that it is
    not, and as one of none that is shown.
    """
    if kind is None:
        return unknown
    return kind.upper() in wanted or kind.upper().partition("(")[0].strip() in wanted


def _stricter(
    standing: tuple[MaskStyle, str, list[Policy]] | None, policy: Policy
) -> tuple[MaskStyle, str, list[Policy]]:
    """Two styles that differ show nothing."""
    if standing is None:
        return policy.mask, policy.salt, [policy]
    style, salt, by = standing
    same = style is policy.mask and salt == policy.salt
    return (style if same else MaskStyle.FULL), salt, [*by, policy]

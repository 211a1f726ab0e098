"""Parse a text, and refuse what is not on the lists of what a query may hold."""

import logging
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.expressions.core import POSITION_META_KEYS, SQLGLOT_META

from resolvers.engines.sql_guard.allowed import ANONYMOUS, FUNCTIONS, PLAIN, REFUSED, SHAPES, TYPES
from resolvers.engines.sql_guard.nesting import DEEPEST, judge_tokens
from resolvers.engines.sql_guard.refusing import QueryRefused, function_name, parser_words, plain

LONGEST: Final = 20_000
MOST_NODES: Final = 5_000

# The parser logs what it does not know, which would put the words of those who ask into the log.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)

_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z_ ]*")
UNREADABLE: Final = (
    *(SqlglotError, RecursionError, ValueError, TypeError, AttributeError, LookupError, AssertionError),
)
"""What the parser ends with for a text that it was not made for."""
_PLACES: Final = frozenset(POSITION_META_KEYS)
"""What the parser notes of where a name stood."""
_CHAINS: Final = (exp.Connector, exp.Binary, exp.SetOperation)
"""What is written one after the other, and parsed as if nested."""


def parsed(text: str, dialect: str) -> exp.Query:
    """The one query that a text holds, of parts that are allowed. Raises Refused."""
    query: exp.Query = _parsed(text, dialect).copy()
    return query


@lru_cache(maxsize=8)
def _parsed(text: str, dialect: str) -> exp.Query:
    """Kept for a while: a draft is judged when it is made and again when it is run, and parsing is most of the work."""
    if not text.strip() or len(text) > LONGEST or "\x00" in text:
        raise QueryRefused("length", f"Send one query of 1 to {LONGEST} characters.")
    if SQLGLOT_META in text:
        # In a comment the parser takes notes from it, by which a function would be written under any other name.
        raise QueryRefused("no_hints", f"Leave “{SQLGLOT_META}” out of the query.")
    reading = Dialect.get_or_raise(dialect)
    try:
        tokens = reading.tokenize(text)
        judge_tokens(tokens)
        statements = [one for one in reading.parser().parse(tokens, text) if one is not None]
    except UNREADABLE as error:
        words = parser_words(str(error).splitlines()[0]) if str(error) else type(error).__name__
        raise QueryRefused(
            "syntax", f"This is no {dialect or 'standard'} SQL that can be read: {plain(words)}"
        ) from None
    if len(statements) != 1:
        raise QueryRefused("one_query", f"Send exactly one query, not {len(statements)} statements.")
    (statement,) = statements
    nodes = _nodes(statement)
    _judge(nodes)
    while isinstance(statement, exp.Subquery) and not statement.alias:
        statement = _unwrapped(statement)
    if not isinstance(statement, exp.Select | exp.SetOperation):
        raise QueryRefused("one_query", "Only a SELECT, or a union of SELECTs, can be sent.")
    _judge_parts(nodes)
    return statement


def _unwrapped(statement: exp.Subquery) -> exp.Expr:
    """The query in brackets; when something stands behind them, as a query over it."""
    if not any(statement.args.get(part) for part in ("order", "limit", "offset", "with_")):
        inner: exp.Expr = statement.this
        inner.parent = None
        return inner
    outer = exp.Select(expressions=[exp.Star()])
    for part in ("order", "limit", "offset", "with_"):
        outer.set(part, statement.args.get(part))
        statement.set(part, None)
    outer.set("from_", exp.From(this=statement))
    return outer


def _nodes(statement: exp.Expr) -> list[exp.Expr]:
    """Every node, found without recursion. Raises Refused for a query that is too long or nested too deeply.

    Comments are forgotten, and where each name stood in the text, which would be copied with every copy of the query.
    """
    found: list[exp.Expr] = []
    waiting: list[tuple[exp.Expr, int]] = [(statement, 0)]
    while waiting:
        node, depth = waiting.pop()
        found.append(node)
        if len(found) > MOST_NODES:
            raise QueryRefused("size", "The query is too long. Ask for less at once.")
        node.comments = None
        if node._meta is not None and _PLACES.issuperset(node._meta):
            node._meta = None
        if not isinstance(node, _CHAINS):
            depth += 1
            if depth > DEEPEST:
                raise QueryRefused("size", "The query is nested too deeply.")
        for child in node.args.values():
            if isinstance(child, exp.Expr):
                waiting.append((child, depth))
            elif isinstance(child, list):
                for one in child:
                    if isinstance(one, exp.Expr):
                        waiting.append((one, depth))
    return found


@dataclass(frozen=True, slots=True)
class _Verdict:
    refusal: tuple[str, str] | None = None
    parts: frozenset[str] | None = None
    is_function: bool = False
    is_known: bool = True
    looks: bool = False
    """Whether the node itself is looked at further."""


_verdicts: dict[type, _Verdict] = {}
_LOOKED_AT: Final = (
    exp.Table, exp.With, exp.Anonymous, exp.AnonymousAggFunc, exp.Dot, exp.DataType, exp.Var, exp.Select, exp.Join,
    exp.Alias, exp.Ordered, exp.Identifier, exp.CTE,
)  # fmt: skip


def _verdict(kind: type) -> _Verdict:
    """Return what is said of a kind of node, found once for each."""
    standing = _verdicts.get(kind)
    if standing is None:
        refusal = next(((rule, words) for rule, words, kinds in REFUSED if issubclass(kind, kinds)), None)
        is_function = issubclass(kind, exp.Func) and not issubclass(kind, exp.Anonymous | exp.AnonymousAggFunc)
        parts = SHAPES.get(kind)
        is_known = parts is not None or kind in PLAIN or issubclass(kind, exp.Anonymous | exp.AnonymousAggFunc)
        if is_function and kind not in PLAIN:
            is_known = issubclass(kind, FUNCTIONS)
        standing = _Verdict(refusal, parts, is_function, is_known, issubclass(kind, _LOOKED_AT))
        _verdicts[kind] = standing
    return standing


def _judge(nodes: list[exp.Expr]) -> None:
    """Refuse what is refused wherever it stands."""
    for kind in {type(node): None for node in nodes}:
        refusal = _verdict(kind).refusal
        if refusal is not None:
            rule, words = refusal
            raise QueryRefused(rule, f"The query is refused because {words}. Send one SELECT that only reads.")


def _judge_parts(nodes: list[exp.Expr]) -> None:
    """Refuse what is not on the lists of what may be written, called and cast to."""
    unknown: exp.Expr | None = None
    for node in nodes:
        verdict = _verdicts[type(node)]
        if verdict.looks:
            _look(node)
        if not verdict.is_known:
            if verdict.is_function and isinstance(node, exp.Func):
                raise QueryRefused(
                    "functions", f"The function {function_name(node.sql_name())} is not one that may be called."
                )
            unknown = unknown or node
        elif verdict.parts is not None:
            for part, value in node.args.items():
                if value and part not in verdict.parts:
                    told = part.rstrip("_").replace("_", " ").upper()
                    raise QueryRefused("constructs", f"{told} is not a part that a query may have here.")
    if unknown is not None:
        raise QueryRefused("constructs", f"{type(unknown).__name__} is not something that a query may hold.")


def _look(node: exp.Expr) -> None:
    """Return what depends on more than the kind of a node."""
    if isinstance(node, exp.Identifier):
        if not node.name.isprintable():
            raise QueryRefused("constructs", "A name holds signs that cannot be shown.")
    elif isinstance(node, exp.With):
        if node.args.get("recursive"):
            raise QueryRefused("no_recursion", "A query that calls itself is refused. Write it without RECURSIVE.")
    elif isinstance(node, exp.Table):
        if not isinstance(node.this, exp.Identifier):
            raise QueryRefused(
                "no_table_functions", "A function or a file cannot stand in FROM. Name tables of the catalog."
            )
    elif isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        if str(node.this).upper() not in ANONYMOUS:
            raise QueryRefused("functions", f"The function {plain(str(node.this))} is not one that may be called.")
    elif isinstance(node, exp.Dot):
        raise QueryRefused("functions", "Functions are called by their bare names, and fields by JSON operators.")
    elif isinstance(node, exp.DataType):
        if node.this not in TYPES or node.args.get("nested"):
            raise QueryRefused("types", f"Values may not be cast to {plain(node.sql())}.")
    elif isinstance(node, exp.Var):
        if not _WORD.fullmatch(node.name):
            raise QueryRefused("constructs", f"{plain(node.name)} is not a word that a query may hold.")
    elif isinstance(node, exp.Join):
        if node.args.get("method"):
            raise QueryRefused("natural_join", "Say by which columns tables are joined, with ON or USING.")
    elif isinstance(node, exp.Select):
        if node.args.get("kind"):
            raise QueryRefused("constructs", "A query answers with columns, not with structures.")
    elif isinstance(node, exp.Alias):
        if not isinstance(node.parent, exp.Select):
            raise QueryRefused("constructs", "Only the columns of a SELECT bear names.")
    elif isinstance(node, exp.Ordered):
        if isinstance(node.this, exp.Var):
            raise QueryRefused("constructs", "Name the columns to order by.")
    elif isinstance(node, exp.CTE) and not isinstance(node.this, exp.Query):
        raise QueryRefused("one_query", "A WITH clause holds queries.")

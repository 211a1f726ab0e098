"""Reads of a forbidden column: what it comes from, what is made of it, where that stands, and what stands around."""

import random
from dataclasses import dataclass
from typing import Final

from tests.security.guard.drafts import filled, grammar

# In the templates: <F> what stands in FROM, <K> its key, <T> the forbidden text, <N> the forbidden number, <D> the
# forbidden date, <X> anything made of them, <P> a condition on them.


@dataclass(frozen=True, slots=True)
class _From:
    source: str
    text: tuple[str, ...] = ("s.ssn", "ssn", "s . ssn")
    number: tuple[str, ...] = ("s.salary",)
    date: tuple[str, ...] = ("s.born", "born")
    key: str = "s.id"
    before: str = ""


_FROMS: Final = (
    _From("staff s"),
    _From("staff s"),
    _From("staff as s"),
    _From("sales.staff s"),
    _From("staff", ("staff.ssn", "ssn"), ("staff.salary", "salary"), ("staff.born",), "staff.id"),
    _From("sales.staff", ("sales.staff.ssn", "staff.ssn", "ssn"), ("sales.staff.salary",), ("born",), "staff.id"),
    _From("staff s join teams t on s.team_id = t.id"),
    _From("teams t join staff s on t.id = s.team_id"),
    _From("staff s left join orders o on o.staff_id = s.id"),
    _From("teams t, staff s"),
    _From("staff s cross join jobs j", number=("s.salary",)),
    _From("teams t inner join (staff s join jobs j on j.level = s.level) on t.id = s.team_id"),
    _From("(select * from staff) s"),
    _From("(select * from staff where level > 0) as s"),
    _From("((select * from staff)) s"),
    _From("(select id, ssn, salary, born from staff) s"),
    _From("(select i.* from staff i join teams u on u.id = i.team_id) s"),
    _From("(select staff.*, 1 as one from staff) s"),
    _From("(select * from staff union all select * from staff) s"),
    _From("(select * from (select * from staff) a) s"),
    _From(
        "(select id, ssn as city, salary as level, born as hired from staff) s",
        ("s.city", "city"), ("s.level", "level"), ("s.hired",),
    ),
    _From(
        "(select id, name as ssn, ssn as name, salary as team_id, born as hired from staff) s",
        ("s.name", "name"), ("s.team_id",), ("s.hired",),
    ),
    _From("(select id, max(ssn) as a, sum(salary) as b, min(born) as c from staff group by id) s",
          ("s.a", "a"), ("s.b", "b"), ("s.c",)),
    _From("w as s", before="with w as (select * from staff) "),
    _From("w s", before="with v as (select * from staff), w as (select * from v) "),
    _From("w s", ("s.b", "b"), ("s.c",), ("s.d",), "s.a",
          "with w (a, b, c, d) as (select id, ssn, salary, born from staff) "),
    _From("staff s", before="with staff as (select * from sales.staff) "),
    _From("teams s", before="with teams as (select * from staff) "),
    _From("w s", before="with w as (select * from (with v as (select * from staff) select * from v) x) "),
    _From("w s", ("s.ssn",), ("s.salary",), ("s.born",), "s.id",
          "with w as (select id, ssn, salary, born from staff union select id, name, level, hired from staff) "),
)  # fmt: skip

_MADE: Final = ("text", "text", "number", "date", "own", "own")
POSITIONS: Final = (
    *("output", "filter", "join", "group", "order", "having", "window", "aggregate", "subquery", "set"),
)
"""Where in a query a forbidden column may stand."""

_WHOLE_FROMS: Final = tuple(
    one for one in _FROMS if one.key == "s.id" and "s.ssn" in one.text and "as ssn" not in one.source
)


def _around(chance: random.Random, dialect: str, query: str) -> str:
    if chance.random() < 0.4:
        return query
    return filled(chance.choice(grammar("columns.around", dialect)), Q=query)


def read(position: str, chance: random.Random, dialect: str) -> str:
    """A query that reads a forbidden column in a position."""
    source = chance.choice(_FROMS)
    template = chance.choice(grammar(f"columns.{position}", dialect))
    made = chance.choice(grammar(f"columns.{chance.choice(_MADE)}", dialect))
    query = source.before + filled(template, X=made, P=chance.choice(grammar("columns.predicate", dialect)))
    for name, spelled in (("T", source.text), ("N", source.number), ("D", source.date)):
        query = query.replace(f"<{name}>", chance.choice(spelled))
    return _around(chance, dialect, filled(query, F=source.source, K=source.key))


def whole(chance: random.Random, dialect: str) -> str:
    """A query that takes a table's rows as a whole, or joins over columns that it does not name."""
    template = chance.choice(grammar("columns.whole", dialect))
    source = chance.choice(_WHOLE_FROMS)
    query = filled(template, F=source.source, K=source.key)
    if "<F>" in template:
        query = source.before + query
    return _around(chance, dialect, query)

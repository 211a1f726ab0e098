"""Views written by hand, as people write them, over three small schemas; each says in which dialects it can be read."""

from typing import Final

from benchmarks.quality.lineage_oracle import View
from benchmarks.quality.lineage_sources import Shape

EVERYWHERE: Final = ("sqlite", "duckdb", "postgres")
_SHOP: Final[Shape] = {
    "customers": {"id": "int", "name": "text", "city": "text", "referrer": "int"},
    "orders": {"id": "int", "customer": "int", "day": "int", "state": "text"},
    "lines": {"id": "int", "order_id": "int", "product": "text", "amount": "int", "price": "int"},
}
_STAFF: Final[Shape] = {
    "people": {"id": "int", "name": "text", "boss": "int", "team": "int", "pay": "int"},
    "teams": {"id": "int", "title": "text", "site": "text"},
    "shifts": {"id": "int", "person": "int", "day": "int", "hours": "int"},
}
_CLINIC: Final[Shape] = {
    "patients": {"id": "int", "name": "text", "born": "int", "ward": "text"},
    "visits": {"id": "int", "patient": "int", "day": "int", "doctor": "text"},
    "results": {"id": "int", "visit": "int", "test": "text", "figure": "int"},
}

_TEXTS: Final[tuple[tuple[Shape, str, tuple[str, ...]], ...]] = (
    (_SHOP, "select id, name, city from customers", EVERYWHERE),
    (_SHOP, "select c.name as who, o.state from customers c join orders o on o.customer = c.id", EVERYWHERE),
    (_SHOP, "select c.name, count(o.id) as orders from customers c left join orders o on o.customer = c.id "
            "group by c.id, c.name", EVERYWHERE),
    (_SHOP, "select o.customer, sum(l.amount * l.price) as total from orders o join lines l on l.order_id = o.id "
            "where o.state <> 'p' group by o.customer having sum(l.amount) > 1", EVERYWHERE),
    (_SHOP, "with sums as (select order_id, sum(amount * price) as total from lines group by order_id) "
            "select o.id, o.day, s.total from orders o left join sums s on s.order_id = o.id", EVERYWHERE),
    (_SHOP, "select c.id, c.name from customers c where not exists "
            "(select 1 from orders o where o.customer = c.id and o.state = 'q')", EVERYWHERE),
    (_SHOP, "select c.id, (select max(o.day) from orders o where o.customer = c.id) as latest from customers c",
     EVERYWHERE),
    (_SHOP, "select a.name as who, b.name as by_whom from customers a left join customers b on a.referrer = b.id",
     EVERYWHERE),
    (_SHOP, "select name from customers union select product from lines", EVERYWHERE),
    (_SHOP, "select city as place from customers except select state from orders", EVERYWHERE),
    (_SHOP, "select id, day, rank() over (partition by customer order by day desc) as place from orders", EVERYWHERE),
    (_SHOP, "select * from (select o.*, row_number() over (partition by customer order by day, state) as n "
            "from orders o) x where x.n = 1", EVERYWHERE),
    (_SHOP, "select case state when 'p' then 'open' when 'q' then 'sent' else state end as told, day from orders",
     EVERYWHERE),
    (_SHOP, "select coalesce(city, name, 'none') as place, length(name) as size from customers", EVERYWHERE),
    (_SHOP, "with recursive chain(id, first) as (select id, name from customers where referrer is null union "
            "select c.id, k.first from customers c join chain k on c.referrer = k.id) select id, first from chain",
     EVERYWHERE),
    (_SHOP, "select day, sum(case when state = 'p' then 1 else 0 end) as open_ones, count(*) as all_of_them "
            "from orders group by day order by day", EVERYWHERE),
    (_SHOP, "select product, max(price) - min(price) as spread from lines group by product", EVERYWHERE),
    (_SHOP, "select distinct customer from orders where day between 1 and 3", EVERYWHERE),
    (_SHOP, "select l.product, o.day from lines l, orders o where l.order_id = o.id and o.state in ('p', 'q')",
     EVERYWHERE),
    (_SHOP, "select sum(amount) over (order by price) as running, product from lines", EVERYWHERE),
    (_SHOP, "select count(distinct customer) as buyers from orders where state = 'p'", EVERYWHERE),
    (_SHOP, "select product, price from lines order by price desc, product, amount, id, order_id limit 3", EVERYWHERE),
    (_SHOP, "select o.id from orders o join lines l using (id) where l.price > 1", EVERYWHERE),
    (_SHOP, "select id, customer, day - lag(day) over (partition by customer order by day, id) as since from orders",
     EVERYWHERE),
    (_SHOP, "select v.label, c.name from customers c join (values (1, 'one'), (2, 'two')) as v(n, label) "
            "on v.n = c.id", ("duckdb", "postgres")),
    (_SHOP, "select distinct on (customer) customer, day, state from orders order by customer, day desc, state, id",
     ("duckdb", "postgres")),
    (_SHOP, "select c.name, l.top from customers c cross join lateral (select max(o.day) as top from orders o "
            "where o.customer = c.id) l", ("duckdb", "postgres")),
    (_SHOP, "select customer, count(*) filter (where state = 'p') as n from orders group by customer", EVERYWHERE),
    (_SHOP, "select product from lines where price > all (select day from orders)", ("postgres",)),
    (_SHOP, "select id, name from customers where city ilike 'p%'", ("duckdb", "postgres")),
    (_SHOP, "select iif(amount > 1, price, 0) as kept, product from lines", ("sqlite",)),
    (_SHOP, "select product || '-' || amount as tag from lines where amount is not null", EVERYWHERE),
    (_STAFF, "select p.name, t.title, b.name as boss from people p left join teams t on t.id = p.team "
             "left join people b on b.id = p.boss", EVERYWHERE),
    (_STAFF, "select t.title, avg(p.pay) as mean from teams t join people p on p.team = t.id group by t.title",
     EVERYWHERE),
    (_STAFF, "select name, pay - (select avg(pay) from people) as above from people", EVERYWHERE),
    (_STAFF, "select p.name from people p where p.pay > (select avg(q.pay) from people q where q.team = p.team)",
     EVERYWHERE),
    (_STAFF, "with recursive below(id, depth) as (select id, 0 from people where boss is null union all "
             "select p.id, b.depth + 1 from people p join below b on p.boss = b.id where b.depth < 4) "
             "select id, depth from below", EVERYWHERE),
    (_STAFF, "select person, sum(hours) as h from shifts group by person having count(*) > 1", EVERYWHERE),
    (_STAFF, "select p.id, p.name, coalesce(s.h, 0) as h from people p left join (select person, sum(hours) as h "
             "from shifts group by person) s on s.person = p.id", EVERYWHERE),
    (_STAFF, "select site, count(*) as n from teams group by site union all select 'all', count(*) from teams",
     EVERYWHERE),
    (_STAFF, "select p.name, s.day, s.hours, sum(s.hours) over w as so_far from people p join shifts s "
             "on s.person = p.id window w as (partition by s.person order by s.day)", EVERYWHERE),
    (_STAFF, "select team, max(pay) as top, min(pay) as low from people where team is not null group by team",
     EVERYWHERE),
    (_STAFF, "select id from people intersect select person from shifts", EVERYWHERE),
    (_STAFF, "select p.id, p.name from people p full join shifts s on s.person = p.id where s.hours is null",
     EVERYWHERE),
    (_STAFF, "select t.*, p.name as member from teams t join people p on p.team = t.id", EVERYWHERE),
    (_STAFF, "select name, ntile(2) over (order by pay, id) as half from people", EVERYWHERE),
    (_STAFF, "select name, first_value(name) over (partition by team order by pay, name) as first_of_team from people",
     EVERYWHERE),
    (_STAFF, "select string_agg(name, ',' order by pay, name) as names, team from people group by team",
     ("duckdb", "postgres")),
    (_STAFF, "select p.* from people p where (p.team, p.boss) in (select id, id from teams)", ("duckdb", "postgres")),
    (_STAFF, "select x.name, n.copy from people x cross join generate_series(1, 2) as n(copy)", ("postgres",)),
    (_STAFF, "select team, percentile_cont(0.5) within group (order by pay) as middle from people group by team",
     ("duckdb", "postgres")),
    (_STAFF, "select name, pay from people where pay > 1 order by pay, name", EVERYWHERE),
    (_CLINIC, "select p.name, v.day, r.test, r.figure from patients p join visits v on v.patient = p.id "
              "join results r on r.visit = v.id where r.figure > 1", EVERYWHERE),
    (_CLINIC, "select ward, count(*) as n from patients group by ward order by n desc, ward", EVERYWHERE),
    (_CLINIC, "select patient, count(*) as times, min(day) as first, max(day) as latest from visits group by patient",
     EVERYWHERE),
    (_CLINIC, "with latest as (select patient, max(day) as day from visits group by patient) select p.name, l.day "
              "from patients p left join latest l on l.patient = p.id", EVERYWHERE),
    (_CLINIC, "select r.test, case when r.figure < 2 then 'low' when r.figure > 3 then 'high' else 'fine' end as told "
              "from results r", EVERYWHERE),
    (_CLINIC, "select doctor, count(distinct patient) as patients from visits group by doctor", EVERYWHERE),
    (_CLINIC, "select p.id, exists (select 1 from visits v where v.patient = p.id) as seen from patients p",
     EVERYWHERE),
    (_CLINIC, "select p.id, p.ward in (select r.test from results r) as odd from patients p", EVERYWHERE),
    (_CLINIC, "select nullif(ward, 'p') as w, born from patients", EVERYWHERE),
    (_CLINIC, "select a.id as one, b.id as other from visits a join visits b "
              "on a.patient = b.patient and a.day < b.day",
     EVERYWHERE),
    (_CLINIC, "select figure, figure * 1.0 / nullif(sum(figure) over (partition by test), 0) as part from results",
     EVERYWHERE),
    (_CLINIC, "select upper(substr(name, 1, 1)) as letter, count(*) as n from patients group by 1", EVERYWHERE),
    (_CLINIC, "select p.id, v.doctor from patients p natural join visits v", EVERYWHERE),
    (_CLINIC, "select cast(figure as varchar(20)) as shown, visit from results where test is not null", EVERYWHERE),
    (_CLINIC, "select ward, born, count(*) as n from patients group by rollup (ward, born)", ("duckdb", "postgres")),
    (_CLINIC, "select id, name from patients where id not in (select patient from visits where patient is not null)",
     EVERYWHERE),
    (_CLINIC, "select max(figure) as top from (select figure from results where test = 'p' union all "
              "select day from visits) x", EVERYWHERE),
    (_CLINIC, "select id, figure from results qualify row_number() over (partition by visit order by figure, id, test) "
              "= 1", ("duckdb",)),
    (_CLINIC, "select * exclude (born) from patients", ("duckdb",)),
)  # fmt: skip


def views(dialect: str) -> list[tuple[Shape, View]]:
    """The views that a dialect can read, each with its tables."""
    found = []
    for at, (shape, text, dialects) in enumerate(_TEXTS):
        if dialect in dialects:
            found.append(
                (shape, View(f"h{at}", (f"create view h{at} as {text}",), _ORDERED.get(at, ()), _KEYS.get(at, {})))
            )
    return found


def _places() -> tuple[dict[int, tuple[int, ...]], dict[int, dict[int, str]]]:
    """Return what the oracle has to know of some views: by which columns they order, and which columns are keys."""
    ordered: dict[int, tuple[int, ...]] = {}
    keys: dict[int, dict[int, str]] = {}
    for at, (_, text, _) in enumerate(_TEXTS):
        if text.endswith("order by day"):
            ordered[at] = (0,)
        elif text.endswith(("order by n desc, ward", "order by pay, name")):
            ordered[at] = (1, 0)
        elif text.endswith("limit 3"):
            ordered[at] = ()
        if " over " in text:
            first = text.split("select ", 1)[1].split(",")[0].split(" as ")[0].strip()
            table = text.split(" from ")[1].split()[0].strip("()")
            keys[at] = (
                {0: f"{table}.{first}"}
                if first.isidentifier()
                else {1: f"{table}.product"}
                if "product" in text
                else {}
            )
    return ordered, keys


_ORDERED, _KEYS = _places()

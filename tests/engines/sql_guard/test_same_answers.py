"""A query that may be sent answers with what the database makes of it as it was written."""

# ruff: noqa: E501 - one query, one line

import duckdb
import pytest

from tests.engines.sql_guard.office import office, rows

QUERIES = """
select * from staff order by id limit 3
select e.*, d.title from staff e join depts d on d.dept = e.dept order by e.id limit 4
select * from staff join depts using (dept) order by id limit 4
select dept, count(*) from staff group by dept order by dept
select dept, count(*) as n from staff group by 1 order by n desc, 1
select dept d, avg(salary) from staff group by d having avg(salary) > 1000 order by d
select dept as d, count(*) n from staff group by d having n > 6 order by 2, 1
select upper(name) as name from staff order by name limit 3
select name as id, id as name from staff order by id limit 3
select id from staff order by salary desc, name limit 3
select distinct dept from staff order by dept
select distinct dept, salary > 1100 as rich from staff order by 1, 2
select count(distinct dept), count(*) filter (where salary > 1100), sum(salary), min(name), max(born) from staff
select name from staff where salary > (select avg(salary) from staff) order by 1
select name from staff e where not exists (select 1 from orders where staff_id = e.id and oid < 9) order by 1
select id from staff where id not in (select boss_id from staff where boss_id is not null) order by id
select e.name, b.name as boss from staff e left join staff b on e.boss_id = b.id order by e.id limit 5
with x as (select dept, sum(salary) as s from staff group by dept), y as (select max(s) as m from x) select x.dept from x, y where x.s = y.m
with x(a, b) as (select dept, count(*) from staff group by dept) select a, b from x order by a
with x as materialized (select dept from staff) select count(*) from x
select t.a from (select id as a from staff) as t where t.a < 3 order by a
select t.q from (select id from staff) as t(q) where q < 3 order by 1
select id from staff where id < 3 union select oid from orders where oid < 5 order by id
select id from staff where id < 3 union all select oid from orders where oid < 2 order by 1 limit 5
select id from staff intersect select oid from orders order by 1 limit 3
select oid from orders except select id from staff order by 1 limit 4
select id from staff where id < 3 union select oid from orders where oid < 2 except select 1 from depts order by 1
(select id from staff order by id desc limit 2) union all (select oid from orders order by oid limit 2) order by id
((select id from staff order by id desc limit 3)) limit 2
(select id from staff order by id desc limit 3) order by id limit 2
select dept, name, row_number() over (partition by dept order by salary desc) as r from staff order by dept, r limit 5
select dept, name from staff qualify row_number() over (partition by dept order by salary desc) = 1 order by dept
select name, sum(salary) over w from staff window w as (order by id rows between 1 preceding and current row) order by id limit 4
select case when salary > 1100 then 'high' else 'low' end as band, count(*) from staff group by band order by band
select case when salary > 1100 then 'high' else 'low' end as band, count(*) from staff group by case when salary > 1100 then 'high' else 'low' end order by 1
select extract(year from placed) as y, extract(month from placed) m, sum(amount) from orders group by y, m order by y, m
select date_trunc('month', placed) as m, sum(amount) from orders group by 1 order by 1
select 'x' as k, count(*) from staff group by k
select 2 as k, dept, count(*) from staff group by k, dept order by k, dept
select staff.name from main.staff where main.staff.id = 3
select "staff"."Name" from "staff" where "id" = 3
select "NAME" from STAFF where ID = 3
select sum(amount) / count(distinct staff_id) as per from orders
select 100.0 * sum(case when salary > 1100 then 1 else 0 end) / count(*) as pct from staff
select d.title, (select count(*) from staff e where e.dept = d.dept) as n from depts d order by n desc, title
select name from staff where dept in ('d1', 'd2') and salary between 1050 and 1150 and name like 'n%' order by id
select name from staff where lower(email) like '%@example.com' and boss_id is not null order by name limit 2
select a.id from staff a, orders b, depts c where a.id = b.staff_id and a.dept = c.dept and b.amount > 100 order by a.id, b.oid limit 7
select d.title, e.name from depts d full join staff e using (dept) order by title nulls last, name nulls first limit 6
select dept from depts full join staff using (dept) order by dept limit 30
select dept from depts right join staff using (dept) order by 1 limit 3
select dept, d.dept, s.dept from depts d left join staff s using (dept) order by 1, 2, 3 limit 30
select e.id from (staff e join depts d on e.dept = d.dept) left join orders o on o.staff_id = e.id and o.oid > 30 where o.oid is null order by 1
select id from staff where (dept, salary) in (select dept, max(salary) from staff group by dept) order by id
select dept, string_agg(name, ',' order by name) from staff group by dept order by dept
select * from (select dept, avg(salary) as a from staff group by dept) where a > 1000 order by a
select id from staff where exists (select * from orders where staff_id = staff.id) order by id limit 3
select dept, sum(salary) from staff group by rollup(dept) order by 1 nulls last
select dept, boss_id, count(*) from staff group by grouping sets ((dept), (boss_id)) order by 1 nulls last, 2 nulls last, 3
select dept, boss_id, count(*) from staff group by cube(dept, boss_id) order by 1 nulls last, 2 nulls last, 3
select dept, count(*) from staff group by all order by dept
select coalesce(boss_id, -1) as b, count(*) from staff group by coalesce(boss_id, -1) order by b limit 3
select round(avg(salary), 2), cast(sum(salary) as varchar), salary::varchar from staff group by salary order by salary limit 2
select name from staff order by length(name) desc, name limit 3
select name n from staff order by length(n) desc, n limit 3
select max(cnt) from (select count(*) as cnt from staff group by dept) t
select title from depts where dept = any(select dept from staff where salary > 1150) order by 1
select e.name from staff e where e.salary >= all(select salary from staff)
select percentile_cont(0.5) within group (order by salary), median(salary), stddev(salary), variance(salary) from staff
select name from staff where born + interval 3 day > date '1980-01-05' and born < current_date order by id limit 2
select name || '-' || dept as label, -salary as neg, not (salary > 3) as b from staff order by id limit 2
select e1.id, e2.id from staff e1 join staff e2 on e1.dept = e2.dept and e1.id < e2.id order by 1, 2 limit 3
with staff as (select * from staff where id < 5) select count(*) from staff
with a as (with b as (select id from staff) select id from b where id < 4) select * from a order by 1
with a as (select id from staff), b as (with a as (select oid from orders) select * from a) select count(*) from a, b
select o.oid from orders o where o.amount > (select avg(i.amount) from orders i where i.staff_id = o.staff_id) order by o.oid limit 3
select staff.id from staff where staff.id in (select staff.boss_id from staff where staff.salary > 1100) order by 1
select id from staff where exists (select 1 from staff s2 where s2.boss_id = staff.id and exists (select 1 from staff where boss_id = s2.id)) order by 1
select staff_id, count(*) c from orders group by staff_id having count(*) = (select max(n) from (select count(*) n from orders group by staff_id) z) order by staff_id limit 3
select * exclude (email) from staff order by id limit 2
from staff select id order by id limit 2
from depts order by dept
select x: id from staff order by x limit 2
select depts.*, 1 as one from depts order by title offset 2
select id from staff order by id fetch first 3 rows only
select strftime(placed, '%Y-%m') as ym, count(*) from orders group by ym order by ym
select year(placed) y, count(*) from orders group by year(placed) order by y
select dept, count(*) from staff where salary > 1000 group by dept having count(*) > 1 and min(salary) > 0 order by count(*) desc, dept limit 1
select * from staff e semi join orders o on o.staff_id = e.id order by e.id limit 2
select lag(salary, 1) over (order by id) as prev, salary - lag(salary) over (order by id) from staff order by id limit 3
select sum(sum(salary)) over (), dept from staff group by dept order by dept
select ifnull(boss_id, 0), nullif(dept, 'd1'), greatest(salary, 1100), abs(-1), salary % 3, salary // 7 from staff order by id limit 2
select id from staff where regexp_matches(name, '^n1') and name ilike 'N1%' order by id
select sum(e.salary) as total, d.title from staff e inner join depts d on e.dept = d.dept group by d.title order by total desc
select true, null, 1.5e3, 'it''s' from staff limit 1
select e.dept, o.n from (select dept, id from staff) e left join (select staff_id as id, count(*) n from orders group by 1) o using (id) order by id, n limit 3
select id as "Employee Id", salary as "Salary (EUR)" from staff order by "Salary (EUR)" desc limit 2
select count(*) from staff as "E" where "E".id > 3
select dept from staff group by dept order by sum(salary) desc limit 1
select dept, salary from staff where salary = (select max(salary) from staff as e2 where e2.dept = staff.dept) order by dept
"""


@pytest.fixture(scope="module")
def database() -> duckdb.DuckDBPyConnection:
    return office()


@pytest.mark.parametrize("text", QUERIES.strip().splitlines())
def test_the_answer_is_that_of_the_query_as_it_was_written(text: str, database: duckdb.DuckDBPyConnection) -> None:
    assert rows(database, text) == database.execute(text).fetchall()

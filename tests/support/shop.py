"""A small shop in two schemas with people, keys and amounts: what a run-all-enrichment finds something to say about."""

from collections.abc import Iterator
from typing import Final

import psycopg
import pytest

from tests.support.postgres import PostgresServer

SHOP: Final = """
    drop schema public;
    create schema sales;
    create schema stock;
    create table sales.customers (
        id integer primary key, email varchar(120) not null unique, full_name text not null, phone text, born date
    );
    comment on table sales.customers is 'Who buys.';
    create table sales.orders (
        id integer primary key, customer_id integer not null references sales.customers (id),
        placed timestamptz not null, total numeric(10, 2) not null, status varchar(12) not null
    );
    create table sales.lines (
        order_id integer not null references sales.orders (id), number integer not null, product_id integer not null,
        quantity integer not null, primary key (order_id, number)
    );
    create table stock.products (id integer primary key, name text not null, price numeric(10, 2), weight real);
    create table stock.places (id integer primary key, city text, latitude float8, longitude float8);
    create table stock.moves (id integer primary key, product_id integer, place_id integer, moved date, amount integer);
    insert into sales.customers select i, 'person' || i || '@example.org', 'Person Number' || i,
        '+4930' || (1000000 + i), date '1950-01-01' + i * 37 from generate_series(1, 300) i;
    insert into sales.orders select i, i % 300 + 1, timestamptz '2024-01-01' + i * interval '1 hour', i * 1.25,
        (array['open', 'paid', 'sent'])[i % 3 + 1] from generate_series(1, 900) i;
    insert into sales.lines select i, 1, i % 50 + 1, i % 7 + 1 from generate_series(1, 900) i;
    insert into stock.products select i, 'Product ' || i, i * 0.99, i * 0.1 from generate_series(1, 50) i;
    insert into stock.places select i, 'City ' || i, 40 + i * 0.01, 10 + i * 0.01 from generate_series(1, 20) i;
    insert into stock.moves select i, i % 50 + 1, i % 20 + 1, date '2024-01-01' + i, i from generate_series(1, 400) i;
    analyze;
"""


@pytest.fixture(scope="module")
def source(postgres_server: PostgresServer) -> Iterator[str]:
    """A source of six tables in two schemas."""
    url = postgres_server.create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(SHOP.encode())
    yield url
    postgres_server.drop_database(url)

"""A table that is joined only for a column that another one refers to is read where it is referred to."""

from resolvers.engines.nl2sql.joining.joins import joins_of
from resolvers.engines.nl2sql.plan import Column, Output, Plan
from resolvers.engines.nl2sql.sql_writing.query import written
from tests.engines.nl2sql.catalogs import fqn, keyed, knowledge, table

KNOWN = knowledge(
    table("models", "model_no*:INTEGER model*:VARCHAR", keys=({"type": "UNIQUE", "columns": ["model"]},)),
    keyed(table("cars", "car_id*:INTEGER car_model:VARCHAR owner_id:INTEGER"), car_model="models.model"),
    keyed(table("tests", "test_id*:INTEGER car_id:INTEGER speed:DOUBLE"), car_id="cars.car_id"),
)


def sql(main: str, *columns: tuple[str, str]) -> str:
    """The query that shows columns of tables."""
    plan = Plan(fqn(main), tuple(Output(Column(fqn(of), name)) for of, name in columns))
    return written(plan, KNOWN, joins_of(KNOWN)).sql("duckdb").replace('"', "")


def test_the_column_that_refers_stands_for_the_one_referred_to() -> None:
    found = sql("models", ("models", "model"), ("tests", "speed"))
    assert found.startswith("SELECT cars.car_model AS model, tests.speed FROM cars JOIN tests")
    assert "models" not in found
    assert found.endswith("WHERE NOT cars.car_model IS NULL")


def test_a_table_is_kept_whose_other_columns_are_shown() -> None:
    assert "JOIN cars ON models.model = cars.car_model" in sql("models", ("models", "model_no"), ("cars", "car_id"))


def test_a_row_is_not_taken_for_the_rows_that_refer_to_it() -> None:
    assert sql("models", ("models", "model")) == "SELECT model FROM models"

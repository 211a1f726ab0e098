"""A value that strayed into a few rows of another column is not what a question means by it."""

from schema.data_readiness.profile import TableProfile, ValueCount
from tests.engines.nl2sql.catalogs import drafted, knowledge, profiled, table

PET = table("pet", "id*:INTEGER kind strain name")


def counted(**values: dict[str, int]) -> TableProfile:
    """A profile of pets in which each value stands so often, of 1,000 rows."""
    plain = profiled(PET, {column: list(counts) for column, counts in values.items()})
    columns = [
        one.model_copy(
            update={
                "row_count": 1000,
                "top_values": [ValueCount(value=value, count=count) for value, count in values[one.name].items()],
            }
        )
        if one.name in values
        else one
        for one in plain.columns
    ]
    return plain.model_copy(update={"columns": columns, "row_count": 1000})


def drafted_sql(question: str, profile: TableProfile) -> str:
    sql = drafted(question, knowledge(PET, profiles={PET.fqn: profile})).sql
    return (sql or "").replace('"', "")


def test_a_few_rows_with_exchanged_cells_do_not_decide_which_column_is_meant() -> None:
    clean = counted(kind={"Dog": 450, "Cat": 540}, strain={"Whippet": 120, "Manx": 80})
    dirty = counted(kind={"Dog": 445, "Cat": 540, "Whippet": 5}, strain={"Whippet": 115, "Manx": 80, "Dog": 5})
    for profile in (clean, dirty):
        assert "WHERE kind = 'Dog'" in drafted_sql("How many dogs are there?", profile)
        assert "WHERE strain = 'Whippet'" in drafted_sql("How many whippets are there?", profile)


def test_a_column_that_is_named_keeps_what_strayed_into_it() -> None:
    dirty = counted(kind={"Dog": 445, "Cat": 540}, strain={"Whippet": 115, "Manx": 80, "Dog": 5})
    assert "strain = 'Dog'" in drafted_sql("How many pets have the strain Dog?", dirty)


def test_what_two_columns_hold_often_is_no_slip() -> None:
    both = counted(kind={"Dog": 445, "Grey": 300}, name={"Grey": 25, "Rex": 60})
    assert "'Grey'" in drafted_sql("How many pets are called Grey?", both)
    assert "name = 'Grey'" in drafted_sql("How many pets have the name Grey?", both)

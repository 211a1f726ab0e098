"""Sensitivity: the highest of a column's tags, the highest of a table's columns, and combinations above them."""

from resolvers.engines.recognition.hints import hint, names_other, names_persons, words
from resolvers.engines.recognition.taxonomy import TAXONOMY, Level, column_level, table_level
from schema.data_readiness.classification import OPEN_ALONE, TELL_OF_NO_PERSON


def test_a_column_has_the_level_of_its_most_sensitive_tag() -> None:
    assert column_level([]) is Level.INTERNAL
    assert column_level(["City"]) is Level.INTERNAL
    assert column_level(["City", "Email"]) is Level.CONFIDENTIAL
    assert column_level(["Email", "NationalId"]) is Level.RESTRICTED
    assert column_level(["SomethingOfTheirOwn"]) is Level.CONFIDENTIAL


def test_a_table_has_the_highest_level_of_its_columns() -> None:
    assert table_level([[], ["City"]]) == (Level.INTERNAL, None)
    assert table_level([["Email"], ["City"]]) == (Level.CONFIDENTIAL, None)
    assert table_level([["PaymentCard"], ["City"]]) == (Level.RESTRICTED, None)


def test_combinations_raise_a_table_above_its_columns() -> None:
    level, why = table_level([["PersonName"], ["DateOfBirth"], ["Postcode"]])
    assert level is Level.RESTRICTED
    assert why is not None
    assert "identity" in why.reason
    assert table_level([["PersonName"], ["DateOfBirth"]]) == (Level.CONFIDENTIAL, None)
    assert table_level([["DateOfBirth"], ["Gender"], ["City"]])[0] is Level.RESTRICTED
    assert table_level([["Email"], ["PasswordHash"]])[1] is None  # as high already


def test_nothing_is_public_by_itself_and_everything_is_described() -> None:
    assert all(tag.level > Level.PUBLIC and tag.description.endswith(".") for tag in TAXONOMY.values())


def test_words_of_names_are_taken_apart_in_several_ways_of_writing() -> None:
    assert words("homePhone2_nr") == ("home", "phone", "2", "nr")
    for name in ("email", "E-Mail", "customerEmail", "EMAIL_ADDR", "correo_electronico", "emailaddress"):
        assert hint(name, "Email") == 1.0, name
    for name in ("emanate", "c17", "total", "mailing_cost_center"[8:]):
        assert hint(name, "Email") == 0.0, name
    assert hint("name", "PersonName") == 0.5
    assert hint("plz", "Postcode") == hint("Straße", "StreetAddress") == 1.0
    assert names_other("product_name")
    assert not names_other("full_name")
    assert names_persons("crm_contacts")
    assert not names_persons("t_things")


def test_what_is_shown_where_nothing_tells_of_a_person_is_what_the_taxonomy_calls_low_and_contextual() -> None:
    low = {f"PII.{tag.name}" for tag in TAXONOMY.values() if tag.contextual and tag.level is Level.INTERNAL}
    assert low == OPEN_ALONE
    assert {tag.removeprefix("PII.") for tag in TELL_OF_NO_PERSON} <= set(TAXONOMY)

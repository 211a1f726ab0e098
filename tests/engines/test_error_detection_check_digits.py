"""A number of a kind with check digits that fails its check is wrong, where nearly all of its column pass."""

import random

import pytest
from stdnum import ean, iban, luhn

from resolvers.engines.error_detection.check_digits import check_digit_signs
from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.table import TableColumn, encode


def accounts(seed: int, rows: int = 300) -> list[str]:
    chance = random.Random(seed)
    made = []
    for _ in range(rows):
        body = "ABNA" + "".join(chance.choices("0123456789", k=10))
        made.append("NL" + iban.calc_check_digits("NL00" + body) + body)
    return made


def numbers(seed: int, length: int, rows: int = 200) -> list[str]:
    chance = random.Random(seed)
    bodies = ["".join(chance.choices("123456789", k=length - 1)) for _ in range(rows)]
    return [body + luhn.calc_check_digit(body) for body in bodies]


def column_of(values: list[str] | list[int]) -> TableColumn:
    return encode(["it"], [[value] for value in values])[0]


def slip(text: str) -> str:
    """The same with its fifth digit from the end one more."""
    return text[:-5] + str((int(text[-5]) + 1) % 10) + text[-4:]


def test_accounts_whose_check_digits_fail_are_nearly_surely_wrong() -> None:
    values = accounts(1)
    rows = [[at, value, f"owner {at % 7}"] for at, value in enumerate(values)]
    for at in (5, 90, 210):
        rows[at][1] = slip(values[at])
    found = {one.row: one for one in find_errors(["no", "konto", "of"], rows) if one.column == "konto"}
    assert found.keys() == {5, 90, 210}
    assert all(one.score >= 0.9 for one in found.values())
    assert all("297 of 300" in one.reasons[0].told for one in found.values())


@pytest.mark.parametrize("length", [9, 15, 16])
def test_any_number_with_a_check_digit_is_checked(length: int) -> None:
    values = numbers(length, length)
    values[3] = slip(values[3])
    column = column_of([int(value) for value in values])
    assert set(check_digit_signs(column)) == {column.texts.index(values[3])}


def test_numbers_of_goods_are_checked() -> None:
    chance = random.Random(4)
    bodies = ["50" + "".join(chance.choices("0123456789", k=10)) for _ in range(200)]
    values = [body + ean.calc_check_digit(body) for body in bodies]
    values[7] = slip(values[7])
    column = column_of(values)
    assert set(check_digit_signs(column)) == {column.texts.index(values[7])}


def test_one_in_ten_that_passes_by_chance_makes_no_check() -> None:
    chance = random.Random(5)
    assert check_digit_signs(column_of([str(chance.randint(10**14, 10**15)) for _ in range(500)])) == {}


def test_a_fifth_that_fails_is_of_another_kind() -> None:
    values = [slip(value) if at % 5 == 0 else value for at, value in enumerate(accounts(6))]
    assert check_digit_signs(column_of(values)) == {}


def test_what_is_no_such_number_is_left_to_others() -> None:
    values = [*accounts(7), "not known yet", "NL12"]
    assert check_digit_signs(column_of(values)) == {}

"""Single letters behind numbers, and for words that are usual; names that are turned round."""

import random

from resolvers.engines.error_detection.aliases import alias_signs
from resolvers.engines.error_detection.shapes import shape_signs
from resolvers.engines.error_detection.table import encode
from resolvers.engines.error_detection.turned_round import turned_round_signs


def test_a_number_with_one_of_several_letters_is_a_form_and_one_with_a_unit_is_none() -> None:
    chance = random.Random(6)

    def odd(letters: str) -> set[str]:
        texts = [f"{chance.randint(1, 90)}{chance.choice(letters) if at % 9 == 0 else ''}" for at in range(600)]
        (column,) = encode(["house"], [[text] for text in [*texts, "16.Mar"]])
        return {column.texts[code] for code in shape_signs(column)}

    assert odd("ab") == {"16.Mar"}
    assert len(odd("m")) > 10


def test_a_letter_for_one_of_the_usual_words_is_a_second_writing_where_only_one_begins_with_it() -> None:
    def short(*words: str) -> dict[str, str | None]:
        texts = [words[at % len(words)] for at in range(400)] + ["Y"] * 8
        (column,) = encode(["paid"], [[text] for text in texts])
        return {column.texts[code]: one.repair for code, one in alias_signs(column).items()}

    assert short("yes", "no") == {"Y": "yes"}
    assert short("yes", "yellow", "no") == {}
    assert short("X", "yes") == {}


def test_a_name_that_is_turned_round_is_told_by_its_parts() -> None:
    chance = random.Random(7)
    given, family = ("Maria", "Leo", "Chloë", "Ida"), ("Krüger", "Silva", "de Vries", "Nowak")
    names = [f"{chance.choice(given)} {chance.choice(family)}" for _ in range(300)]
    odd = {"Krüger, Maria": "Maria Krüger", "de Vries, Leo": "Leo de Vries"}

    def found(more: list[str]) -> dict[str, str | None]:
        (column,) = encode(["customer"], [[text] for text in [*names, *more]])
        return {column.texts[code]: one.repair for code, one in turned_round_signs(column).items()}

    assert found([*odd, "Silva, Inc", "Leo, Ida"]) == odd
    assert found(["Krüger, Maria"] * 40) == {}, "so many are another way"

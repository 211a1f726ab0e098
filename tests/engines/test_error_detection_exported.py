"""What goes wrong where tables are written and read anew: cells slide, markup stays, fields end, blanks count."""

import random

from resolvers.engines.error_detection.check_digits import check_digit_signs
from resolvers.engines.error_detection.cut_off import cut_off_signs
from resolvers.engines.error_detection.dependencies import find_dependencies, vote
from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.encodings import unescaped
from resolvers.engines.error_detection.order_names import comes_first
from resolvers.engines.error_detection.shapes import shape_signs
from resolvers.engines.error_detection.slid import slid_signs
from resolvers.engines.error_detection.table import encode

CHOSEN = random.Random(5)


def vehicle(row: int) -> list[str | None]:
    """A row of an inspection."""
    return [f"V{row:04}", ("MAN", "DAF", "Scania")[row % 3], ("2", "3", "4")[row % 3], str(9000 + row * 37 % 4000),
            ("diesel", "electric")[row % 2], f"{10 + row % 17}.{row % 10}", "fit"]  # fmt: skip


def test_cells_of_a_row_that_slid_by_a_column_are_wrong_together() -> None:
    rows = [vehicle(row) for row in range(200)]
    names = ("id", "maker", "axles", "weight_kg", "fuel", "length_m", "verdict")
    right = rows[60][1:5]
    rows[60][1:6] = [None, *right]
    found = slid_signs(encode(names, rows))
    assert {cell[1] for cell in found} == {1, 2, 3, 4, 5}
    assert {cell[0] for cell in found} == {60}
    assert [found[60, at].repair for at in (1, 2, 3, 4)] == right
    told = {(one.row, one.column) for one in find_errors(names, rows)}
    assert {(60, name) for name in names[1:6]} <= told
    assert slid_signs(encode(names, [vehicle(row) for row in range(200)])) == {}


def test_two_cells_that_were_exchanged_slid_nowhere() -> None:
    rows = [vehicle(row) for row in range(200)]
    rows[60][1], rows[60][2] = rows[60][2], rows[60][1]
    assert slid_signs(encode(("id", "maker", "axles", "weight_kg", "fuel", "length_m", "verdict"), rows)) == {}


def test_characters_as_html_names_them_are_told_with_what_was_meant() -> None:
    assert unescaped("Caf&eacute; &amp; Bar") == "Café & Bar"
    assert unescaped("AT&T; Bell & Co") is None
    assert unescaped("<b>Salt &amp; Pepper</b>") is None, "that is a page"
    titles = [f"Salt & Pepper mill {CHOSEN.choice('ABCDEFG')}{row}" for row in range(100)]
    titles[7] = "Salt &amp; Pepper mill X"
    (column,) = encode(("title",), [[one] for one in titles])
    found = shape_signs(column)
    assert [found[code].repair for code in found if "&amp;" in column.texts[code]] == ["Salt & Pepper mill X"]
    (pages,) = encode(("title",), [[one.replace("&", "&amp;")] for one in titles])
    assert not any("HTML" in one.told for one in shape_signs(pages).values()), "such a column is written for pages"


def test_points_where_a_field_ends_cut_a_text_off() -> None:
    words = ("Winter", "Summer", "Harvest", "Midnight", "Garden", "Festival")
    titles = [f"{words[row % 6]} {words[row // 6 % 6]} edition for {words[row // 36 % 6]} {row}" for row in range(150)]
    cut = [5, 44, 90, 130]
    for row in cut:
        titles[row] = titles[row][:21] + "…"
    titles[20] = "And then …"
    (column,) = encode(("title",), [[one] for one in titles])
    assert {column.texts[code] for code in cut_off_signs(column)} == {titles[row] for row in cut}


def test_a_check_holds_where_nearly_all_rows_pass_though_each_wrong_number_is_another() -> None:
    def numbered(row: int) -> str:
        digits = f"{31815375000 + row * 7919:011}"
        doubled = [int(one) * 2 if at % 2 == 0 else int(one) for at, one in enumerate(digits[::-1])]
        return digits + str(-sum(one - 9 if one > 9 else one for one in doubled) % 10)

    numbers = [numbered(row % 40) for row in range(400)]
    wrong = [12 + 25 * number for number in range(12)]
    for row in wrong:
        numbers[row] = numbers[row][:-1] + str((int(numbers[row][-1]) + 3) % 10)
    (column,) = encode(("wagon",), [[one] for one in numbers])
    assert {column.texts[code] for code in check_digit_signs(column)} == {numbers[row] for row in wrong}


def test_an_empty_term_of_a_sum_counts_as_nothing() -> None:
    rows = []
    for row in range(200):
        basic, bonus = 2000 + CHOSEN.randrange(900), CHOSEN.randrange(50, 400)
        has = row % 5 != 0
        overtime = CHOSEN.randrange(20, 300)
        rows.append([f"E{row}", str(basic), str(bonus) if has else None, str(overtime),
                     str(basic + (bonus if has else 0) + overtime)])  # fmt: skip
    rows[30][4] = str(int(rows[30][4] or 0) + 1500)
    told = {(one.row, one.column) for one in find_errors(("id", "basic", "bonus", "overtime", "gross"), rows)}
    assert (30, "gross") in told
    assert {row for row, _ in told} == {30}


def test_what_things_mostly_have_is_a_habit_and_no_rule() -> None:
    rows = []
    for patient in range(150):
        for visit in range(5):
            other = (patient * 5 + visit) % 12 == 0
            rows.append([f"P{patient:04}", f"Clinic {'ABCDE'[(patient + other) % 5]}"])
    table = encode(("patient", "clinic"), rows)
    (found,) = [one for one in find_dependencies(table) if one.dependent == 1]
    assert all(odds < 0 for odds, _, _ in vote(table, found).against.values())
    for number, row in enumerate(rows):
        row[1] = f"Clinic {'ABCDE'[number // 5 % 5]}" if number % 90 else "Clinic A"
    table = encode(("patient", "clinic"), rows)
    (found,) = [one for one in find_dependencies(table) if one.dependent == 1]
    assert any(odds > 2 for odds, _, _ in vote(table, found).against.values()), "few exceptions are slips"


def test_nothing_is_due_before_it_was_done() -> None:
    assert comes_first("dose_date", "next_due")
    assert comes_first("invoice_date", "due_date")
    assert not comes_first("inspection_due", "payment_due")

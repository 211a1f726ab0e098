"""The detector: all signs of a cell, weighed together.

The signs of a value are looked for once per distinct value, those of dependencies once per pair of values; only cells
that show one are looked at singly. A cell's score starts at the odds that any cell is wrong. Signs of one kind tell
much the same, so the heaviest counts in full and the others in part. What other columns say of a cell counts by how far
those columns' own cells are trusted, so that a wrong key is not taken for a row of wrong values.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Final

from resolvers.engines.error_detection.addresses import address_signs
from resolvers.engines.error_detection.aliases import alias_signs
from resolvers.engines.error_detection.attribution import blamed_signs
from resolvers.engines.error_detection.carry_forward import carried
from resolvers.engines.error_detection.check_digits import check_digit_signs
from resolvers.engines.error_detection.classes import class_signs
from resolvers.engines.error_detection.cleanness import Judged, told_by_others
from resolvers.engines.error_detection.clock import clock_signs
from resolvers.engines.error_detection.confined import clear_confined, spare_written
from resolvers.engines.error_detection.cut_off import cut_off_signs
from resolvers.engines.error_detection.decimal_commas import decimal_commas, turned_back, with_points
from resolvers.engines.error_detection.dependencies import Votes, find_dependencies, vote
from resolvers.engines.error_detection.domains import domain_signs, exchange_signs, merged_signs, strayed_signs
from resolvers.engines.error_detection.evidence import Reason, Sign, Suspect
from resolvers.engines.error_detection.fillers import filler_signs
from resolvers.engines.error_detection.formats import format_signs
from resolvers.engines.error_detection.formula_fits import find_formulas
from resolvers.engines.error_detection.formula_signs import Formulas, formula_signs
from resolvers.engines.error_detection.groups import grouped, strewn
from resolvers.engines.error_detection.kin import clear_kin
from resolvers.engines.error_detection.minority_formats import written_east
from resolvers.engines.error_detection.missing import is_stand_in
from resolvers.engines.error_detection.nothing import known_less, nothing_signs
from resolvers.engines.error_detection.numbers import order_signs, outlier_signs
from resolvers.engines.error_detection.pairs import pair_signs
from resolvers.engines.error_detection.ratios import ratio_signs
from resolvers.engines.error_detection.refined import Refined, refined
from resolvers.engines.error_detection.repeated_keys import repeated_key_signs
from resolvers.engines.error_detection.reports import Reports, find_reports, judge_reports
from resolvers.engines.error_detection.running_totals import running_total_signs
from resolvers.engines.error_detection.sequence import SPEAKS, Steps, steps_of
from resolvers.engines.error_detection.serial_codes import serial_code_signs
from resolvers.engines.error_detection.shapes import case, loose, shape_signs
from resolvers.engines.error_detection.slid import slid_signs
from resolvers.engines.error_detection.spreadsheets import spreadsheet_signs
from resolvers.engines.error_detection.stuck import stuck_signs
from resolvers.engines.error_detection.table import MISSING, TableColumn, encode
from resolvers.engines.error_detection.turned_round import turned_round_signs
from resolvers.engines.error_detection.turns import turned
from resolvers.engines.error_detection.twofold import twofold
from resolvers.engines.error_detection.units import unit_signs
from resolvers.engines.error_detection.variants import Budget, variant_signs
from resolvers.engines.error_detection.witnesses import Witnesses, probability

PRIOR: Final = -3.2
"""The log odds that a cell is wrong before it is looked at: about one in 25."""
ALSO: Final = 0.35
"""What each further sign of a value counts beside the heaviest."""
STREWN: Final = frozenset({Sign.RARE, Sign.VARIANT, Sign.WORD, Sign.LETTERS, Sign.PATTERN})
"""The signs that speak against a value only as long as its rows have nothing else in common."""
CLEARED: Final = frozenset({Sign.OUTLIER, Sign.ORDER})
"""The signs that a number shows as well which is right, as a formula confirms."""
MOST_HEARD: Final = 4.0
"""What the signs of a cell weigh at most, where it is told which cell of a formula is wrong."""
DOUBT: Final = 1.2
"""The weight from which a value is not asked what it depends on."""
KINDS_EMPTY: Final = 0.01
MOST_KINDS: Final = 30
"""The share of the rows that are empty, at least, and different kinds of rows, at most, of which some have no value."""
SURE: Final = 2.0
"""The log odds from which a group says that a cell is the wrong one of two that are out of order."""
MOST_SUSPECTS: Final = 100_000
_LOOKS: Final = (
    *(shape_signs, outlier_signs, format_signs, alias_signs, clock_signs, unit_signs),
    *(check_digit_signs, spreadsheet_signs, filler_signs, cut_off_signs, address_signs),
    *(turned_round_signs, serial_code_signs),
)
"""What looks at the values of one column, by themselves."""


def find_errors(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    least: float = 0.5,
    most: int = MOST_SUSPECTS,
    in_order: bool = True,
) -> list[Suspect]:
    """The cells that are wrong with at least this probability, row by row.

    `in_order` is whether the rows stand as they were written down: else nothing is told by what stands before a row.
    """
    commas = decimal_commas(columns, rows)
    if not commas:
        return _found(columns, rows, least, most, in_order)
    names = {columns[at] for at in commas}
    found = _found(columns, with_points(rows, commas), least, most, in_order)
    return [turned_back(one) if one.column in names else one for one in found]


def _found(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], least: float, most: int, in_order: bool
) -> list[Suspect]:
    table = encode(columns, rows)
    by_value = _value_signs(table)
    _clear(table, by_value)
    doubtful = [{code for code, reasons in signs.items() if _weigh(reasons) >= DOUBT} for signs in by_value]
    reports = find_reports(table)
    strayed, slid = strayed_signs(table), slid_signs(table)
    for row, index in strayed:
        if table[index].codes[row] != MISSING:
            doubtful[index].add(table[index].codes[row])
    votes = [vote(table, one, doubtful[one.dependent]) for one in find_dependencies(table, doubtful)]
    asked = refined(table, votes, doubtful)
    cells = _cells(table, by_value, asked)
    spare_written(asked.votes, asked.table, clear_confined(table, cells, loose))
    _clear_kinds_without(table, votes, cells)
    _clear_empty_groups(table, votes, cells)
    _clear_negative_groups(table, cells)
    clear_kin(table, cells)
    formulas = Formulas(table, find_formulas(table))
    _ask_groups(table, cells, formulas.bound(), asked.decided())
    steps, begun = steps_of(table) if in_order else Steps({}, {}), turned(table)
    ordered = order_signs(table, doubtful, begun, _in_step(table, votes, steps.kept))
    for found_together in (
        *(ordered, steps.signs, ratio_signs(table, formulas.bound(), doubtful, ordered.keys())),
        *(
            exchange_signs(table),
            slid_signs(table),
            strayed,
            pair_signs(table, votes, doubtful),
            repeated_key_signs(table),
        ),
        *((stuck_signs(table), running_total_signs(table)) if in_order else ()),
    ):
        for cell, reason in found_together.items():
            cells[cell].append(reason)
    odd = {cell for cell, reasons in cells.items() if _weigh(reasons) >= DOUBT}
    for cell, reason in class_signs(table, doubtful, odd).items():
        cells[cell].append(reason)
    for cell in begun & cells.keys():
        cells[cell] = [one for one in cells[cell] if one.sign is not Sign.OUTLIER]
    single = [one for one in asked.votes if one.dependency.determinant not in asked.parts]
    _ask_formulas(formulas, cells, single, steps)
    judged = _judge(table, cells, asked, single, twofold(table, votes), slid.keys())
    voted = _ask_reports(table, reports, judged) if reports is not None else frozenset()
    judged = told_by_others(table, judged, voted)
    found = [
        _suspect(table, row, index, score, reasons)
        for (row, index), (score, reasons) in judged.items()
        if score >= least
    ]
    if len(found) > most:
        found = sorted(found, key=lambda one: -one.score)[:most]
    place = {column.name: column.index for column in table}
    return sorted(found, key=lambda one: (one.row, place[one.column]))


def _ask_reports(table: Sequence[TableColumn], reports: Reports, judged: Judged) -> Set[tuple[int, int]]:
    """Where several rows tell of one thing, they judge its cells, and no other column does; return these cells."""
    verdicts = judge_reports(table, reports)
    for cell, verdict in verdicts.items():
        if verdict.reason is not None:
            judged[cell] = verdict.probability, [verdict.reason]
        else:
            judged.pop(cell, None)
    for cell, (_, reasons) in list(judged.items()):
        # What is told of a thing is no witness of which thing it is.
        if cell[1] in reports.key and all(one.sign is Sign.DEPENDENCY for one in reasons):
            del judged[cell]
    return verdicts.keys()


def _in_step(
    table: Sequence[TableColumn], votes: Sequence[Votes], kept: Mapping[int, Set[int]]
) -> Mapping[int, Set[int]]:
    """The rows of each column that are in step, and those in which it is another cell that its group contradicts."""
    accused: dict[int, set[int]] = defaultdict(set)
    for one in votes:
        left, right = table[one.dependency.determinant], table[one.dependency.dependent]
        sure = {pair for pair, (odds, _, most) in one.against.items() if odds >= SURE and most >= 2 and pair[1]}
        for row, pair in enumerate(zip(left.codes, right.codes, strict=True) if sure else ()):
            if pair in sure:
                accused[right.index].add(row)
    if not accused:
        return kept
    every = set().union(*accused.values())
    return {
        column.index: set(kept.get(column.index, ())) | (every - accused.get(column.index, set())) for column in table
    }


def _ask_groups(
    table: Sequence[TableColumn],
    cells: dict[tuple[int, int], list[Reason]],
    bound: Set[tuple[int, int]],
    decided: Set[int],
) -> None:
    """Judge numbers among those of their group: what is usual there is not far off, and the other way round."""
    found = grouped(table, bound)
    for (row, index), reasons in cells.items():
        if row in found.usual.get(index, ()) and any(one.sign is Sign.OUTLIER for one in reasons):
            reasons[:] = [one for one in reasons if one.sign is not Sign.OUTLIER]
    for cell, reason in found.signs.items():
        if cell[1] not in decided:  # what two columns decide together lies far off by one of them
            cells[cell].append(reason)


def _ask_formulas(
    formulas: Formulas, cells: dict[tuple[int, int], list[Reason]], votes: Sequence[Votes], steps: Steps
) -> None:
    """Add what formulas say of cells; what they confirm is no longer held for far off or out of order."""
    if not formulas.found:
        return
    own = {cell: min(MOST_HEARD, _weigh(reasons)) for cell, reasons in cells.items()}
    for cell, said in carried(formulas.table).items():
        own[cell] = own.get(cell, 0.0) + said
    for column, rows in steps.kept.items():
        if column in formulas.of:
            for row in rows:
                own[row, column] = own.get((row, column), 0.0) + SPEAKS
    judged = formula_signs(formulas, votes, own, PRIOR)
    for (row, index), reasons in cells.items():
        if any(map(_is_cleared, reasons)):
            probability = judged.probable.get((row, index), 1.0)
            if probability < 0.2 or (row not in judged.broken and formulas.confirms(row, index)):
                reasons[:] = [one for one in reasons if not _is_cleared(one)]
            elif probability < 1.0:  # which of two that are out of order is wrong, the formula tells better
                reasons[:] = [one for one in reasons if one.sign is not Sign.ORDER]
    for cell, reason in judged.signs.items():
        cells[cell].append(reason)


def _is_cleared(reason: Reason) -> bool:
    return reason.sign in CLEARED and not reason.by_sign


def _value_signs(table: Sequence[TableColumn]) -> list[dict[int, list[Reason]]]:
    """For each column its odd codes with their signs."""
    budget = Budget()
    usual = _usual_stand_ins(table)
    signs: list[dict[int, list[Reason]]] = []
    for column in table:
        own: dict[int, list[Reason]] = defaultdict(list)
        if column.is_scalar and column.codes:
            found = variant_signs(column, budget)
            for code, reasons in found.items():
                own[code] += reasons
            written = written_east(column)
            for one in _LOOKS:
                for code, reason in one(written).items():
                    _add(own[code], reason)
            _missing(column, own, usual)
            if own.get(MISSING) and known_less(table, column):
                del own[MISSING]
        signs.append(own)
    for index, code, reason in (*domain_signs(table), *merged_signs(table)):
        signs[index][code].append(reason)
    return signs


def _add(reasons: list[Reason], reason: Reason) -> None:
    """Add a reason; of two on the form of one value, which say the same, the heavier."""
    same = next((one for one in reasons if one.sign is reason.sign is Sign.PATTERN), None)
    if same is None:
        reasons.append(reason)
    elif same.weight < reason.weight:
        reasons[reasons.index(same)] = reason


def _usual_stand_ins(table: Sequence[TableColumn]) -> frozenset[str]:
    """Return what the table as such writes for null: stand-ins that are frequent in a column, or occur in several."""
    found: set[str] = set()
    once: set[str] = set()
    for column in table:
        for code in range(1, len(column.texts)):
            if is_stand_in(text := column.texts[code]):
                if text in once or column.counts[code] > 0.03 * len(column.codes):
                    found.add(text)
                once.add(text)
    return frozenset(found)


def _missing(column: TableColumn, signs: dict[int, list[Reason]], usual: Set[str]) -> None:
    """Nulls and what stands for them, where nearly all rows have a value."""
    size = len(column.codes)
    by_column = nothing_signs(column)
    for code in range(len(column.texts)):
        is_missing = code == MISSING
        if not column.counts[code]:
            continue
        if code in by_column:
            signs[code].append(by_column[code])
            continue
        if not (is_missing or is_stand_in(column.texts[code])):
            continue
        share = column.counts[code] / size
        if share > 0.3 or size < 12 or (not is_missing and _is_like_others(column, code)):
            continue
        weight = 3.7 if is_missing or column.texts[code] in usual else 4.2
        told = f"{1 - share:.1%} of the rows have a value here."
        sign = Sign.MISSING if is_missing else Sign.STAND_IN
        signs[code].append(Reason(sign, max(0.3, weight - 12 * share), told))


def _is_like_others(column: TableColumn, code: int) -> bool:
    """Return whether what could stand for a missing value is written as many values are: NA among codes, / among
    paths.
    """
    text = column.texts[code]
    if not text.isalpha():
        begun = sum(
            count
            for other, count in zip(column.texts, column.counts, strict=True)
            if other != text and other.startswith(text)
        )
        return begun > 0.5 * column.present
    alike = sum(
        count
        for other, count in zip(column.texts, column.counts, strict=True)
        if len(other) == len(text) and other.isalpha() and case(other) == case(text) and not is_stand_in(other)
    )
    return alike > 0.1 * column.present


def _clear(table: Sequence[TableColumn], signs: Sequence[dict[int, list[Reason]]]) -> None:
    """Take back what was held against a value that fills whole groups of rows: errors are strewn, such a one is meant.

    The signs of its form stay; those of its being rare or near another are what a good value shows as well.
    """
    for column, own in zip(table, signs, strict=True):
        asked = {code for code in own if code != MISSING and 3 <= column.counts[code] <= 0.05 * column.present}
        if not asked:
            continue
        rows: dict[int, list[int]] = defaultdict(list)
        for row, code in enumerate(column.codes):
            if code in asked:
                rows[code].append(row)
        for left in table:
            if left is column or not 2 <= left.distinct <= 0.5 * left.present:
                continue
            for code, some in rows.items():
                within = Counter(left.codes[row] for row in some)
                filled = sum(
                    count
                    for other, count in within.items()
                    if other != MISSING and count >= 3 and count > 0.6 * left.counts[other]
                )
                if filled >= 0.6 * len(some):
                    own[code] = [one for one in own[code] if one.sign not in STREWN]
        for code in asked:
            if not own[code]:
                del own[code]


def _cells(
    table: Sequence[TableColumn], by_value: Sequence[dict[int, list[Reason]]], asked: Refined
) -> dict[tuple[int, int], list[Reason]]:
    cells: dict[tuple[int, int], list[Reason]] = defaultdict(list)
    for column, signs in zip(table, by_value, strict=True):
        if signs:
            for row, code in enumerate(column.codes):
                if code in signs:
                    cells[(row, column.index)] += signs[code]
    for one in asked.votes:
        left, right = asked.table[one.dependency.determinant], table[one.dependency.dependent]
        for row, pair in enumerate(zip(left.codes, right.codes, strict=True)):
            if pair in one.against:
                cells[(row, right.index)] += ()
    return cells


def _clear_empty_groups(
    table: Sequence[TableColumn], votes: Sequence[Votes], cells: dict[tuple[int, int], list[Reason]]
) -> None:
    """Leave out empty cells of things of which no row has a value: what nobody tells is not known, or is none."""
    strongest = {one.dependency.dependent: one for one in reversed(votes)}
    for one in strongest.values():
        left, right = table[one.dependency.determinant], table[one.dependency.dependent]
        share = right.counts[MISSING] / len(right.codes)
        if not 0 < share <= 0.3:
            continue
        empty = [row for row, code in enumerate(right.codes) if code == MISSING]
        within = Counter(left.codes[row] for row in empty)
        # Not so few rows that some group were empty by chance.
        whole = {
            code
            for code, count in within.items()
            if code != MISSING and count == left.counts[code] and left.distinct * share**count < 0.01
        }
        for row in empty if whole else ():
            if left.codes[row] in whole:
                cells.pop((row, right.index), None)


def _clear_kinds_without(
    table: Sequence[TableColumn], votes: Sequence[Votes], cells: dict[tuple[int, int], list[Reason]]
) -> None:
    """Leave out the empty cells of a kind of rows that has no such value, where that explains nearly all that are
    empty: a complaint gets no grade. What others tell of the same thing is missing though a source never tells it.
    """
    for column in table:
        share = column.counts[MISSING] / max(1, len(column.codes))
        if not KINDS_EMPTY <= share <= 0.5:
            continue
        rows = [row for row, code in enumerate(column.codes) if code == MISSING]
        things = [
            one for one in votes
            if one.dependency.dependent == column.index and table[one.dependency.determinant].number_share < 0.9
        ]  # fmt: skip
        for left in table:
            if left is column or not 2 <= left.distinct <= MOST_KINDS:
                continue
            within = Counter(left.codes[row] for row in rows)
            whole = {code for code, count in within.items() if code and count >= max(8, 0.85 * left.counts[code])}
            if sum(within[code] for code in whole) >= 0.7 * len(rows):
                for row in rows:
                    if left.codes[row] in whole and not _is_told(table, things, row, column.index):
                        cells.pop((row, column.index), None)
                break


def _clear_negative_groups(table: Sequence[TableColumn], cells: Mapping[tuple[int, int], list[Reason]]) -> None:
    """Take back what only a sign says of numbers that are negative in whole groups of rows: what is given back is."""
    negative: dict[int, list[int]] = defaultdict(list)
    for (row, index), reasons in cells.items():
        if any(one.by_sign for one in reasons):
            negative[index].append(row)
    for index, rows in negative.items():
        for row in set(rows) - set(strewn(rows, table[index], table)):
            reasons = cells[row, index]
            reasons[:] = [one for one in reasons if not one.by_sign]


def _weigh(reasons: Sequence[Reason]) -> float:
    weights = sorted((reason.weight for reason in reasons), reverse=True)
    return weights[0] + ALSO * sum(weights[1:]) if weights else 0.0


def _judge(
    table: Sequence[TableColumn],
    cells: dict[tuple[int, int], list[Reason]],
    refined: Refined,
    single: Sequence[Votes],
    named: Mapping[tuple[int, int], Set[int]],
    slid: Set[tuple[int, int]],
) -> dict[tuple[int, int], tuple[float, list[Reason]]]:
    asked: dict[int, list[Votes]] = defaultdict(list)
    for one in refined.votes:
        asked[one.dependency.dependent].append(one)
    own = {cell: _weigh(reasons) for cell, reasons in cells.items()}
    alike = {cell: _weigh([one for one in reasons if one.sign is Sign.DEPENDENCY]) for cell, reasons in cells.items()}
    before, _ = _heard(Witnesses(refined, own, named, PRIOR), own, own, alike)
    # What slid makes groups of its own of all that slid beside it.
    _clear_together(table, {cell: one for cell, one in before.items() if cell not in slid}, own, refined.table, asked)
    witnesses = Witnesses(refined, own, named, PRIOR)
    scores, told = _heard(witnesses, {**own, **dict.fromkeys(witnesses.accused(), 0.0)}, own, alike)
    for cell, reason in blamed_signs(table, single, scores).items():
        score = probability(PRIOR + own.get(cell, 0.0) + reason.weight)
        if score > scores.get(cell, 0.0):
            scores[cell], told[cell] = score, reason
    return {cell: (score, cells[cell] + ([told[cell]] if cell in told else [])) for cell, score in scores.items()}


def _heard(
    witnesses: Witnesses,
    cells: Iterable[tuple[int, int]],
    own: Mapping[tuple[int, int], float],
    alike: Mapping[tuple[int, int], float],
) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], Reason]]:
    """The scores of cells, and what others say of them; `alike` is what their own signs say in the same way."""
    scores, told = {}, {}
    for cell in cells:
        heard, reason = witnesses.hear(cell)
        if reason is not None:
            told[cell] = reason
            heard -= (1 - ALSO) * min(heard, alike.get(cell, 0.0))
        scores[cell] = probability(PRIOR + own.get(cell, 0.0) + heard)
    return scores, told


def _clear_together(
    table: Sequence[TableColumn],
    scores: dict[tuple[int, int], float],
    own: dict[tuple[int, int], float],
    wide: Sequence[TableColumn],
    asked: Mapping[int, Sequence[Votes]],
) -> None:
    """Leave out exceptions that are what nearly all rows of some group have: they follow a rule of their own."""
    exceptions: dict[int, list[int]] = defaultdict(list)
    for (row, index), score in scores.items():
        if score >= 0.3 and asked.get(index) and not _is_told(wide, asked[index], row, index):
            exceptions[index].append(row)
    for index, rows in exceptions.items():
        # Beside an empty cell that is an exception, others of its group are empty that are none.
        codes = table[index].codes
        empty = (
            [row for row, code in enumerate(codes) if code == MISSING] if any(not codes[row] for row in rows) else []
        )
        for left in table:
            if left.index == index or not 2 <= left.distinct <= 0.5 * left.present:
                continue
            within = Counter(left.codes[row] for row in {*rows, *empty})
            whole = {code for code, count in within.items() if code and count >= max(8, 0.85 * left.counts[code])}
            if whole:
                for row in rows:
                    if left.codes[row] in whole:
                        own.pop((row, index), None)


def _is_told(table: Sequence[TableColumn], asked: Sequence[Votes], row: int, index: int) -> bool:
    """Return whether a cell is empty though others tell of the same thing what belongs there.

    Where these contradict one another in places anyway, they are reports; what one does not tell is missing.
    """
    if table[index].codes[row] != MISSING:
        return False
    for one in asked:
        pair = (table[one.dependency.determinant].codes[row], MISSING)
        if pair in one.against and one.against[pair][2] >= 3 and one.dependency.purity < 0.98:
            return True
    return False


def _suspect(table: Sequence[TableColumn], row: int, index: int, score: float, reasons: list[Reason]) -> Suspect:
    column = table[index]
    code = column.codes[row]
    heaviest = tuple(sorted(reasons, key=lambda reason: -reason.weight))
    context = (one.repair for one in heaviest if one.sign is Sign.DEPENDENCY)
    repair = next(context, next((one.repair for one in heaviest if one.repair is not None), None))
    value = None if code == MISSING else column.texts[code]
    return Suspect(row, column.name, value, round(score, 4), heaviest, None if repair == value else repair)

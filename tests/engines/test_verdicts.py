"""What people say of suspect cells: which cells it holds for, and how it moves the probability of others."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from resolvers.engines.error_detection.evidence import Sign
from resolvers.engines.error_detection.verdicts import TRIALS, Verdicts, marks_of
from resolvers.engines.masking import masked_cell
from schema.data_readiness.suspect import CellMarks, GivenVerdict, SuspectCell, SuspectVerdict

COLUMN = "crm.shop.public.orders.code"
START = datetime(2026, 1, 1, tzinfo=UTC)


def marks(value: str | None, row: str = "1", kind: Sign = Sign.RARE) -> CellMarks:
    """The marks of a cell of the column."""
    return marks_of(COLUMN, kind, value, [row])


def said(
    verdict: SuspectVerdict, of: CellMarks, *, after: int = 0, kind: Sign = Sign.RARE, column: str = COLUMN
) -> GivenVerdict:
    """A verdict."""
    return GivenVerdict(column, kind, of, verdict, "olga", START + timedelta(seconds=after))


def test_a_verdict_on_a_cell_holds_for_its_value_and_row_alone() -> None:
    heard = Verdicts([said(SuspectVerdict.FINE, marks("a"))])
    assert heard.judge(COLUMN, Sign.RARE, marks("a"), 0.9).verdict is SuspectVerdict.FINE
    assert heard.judge(COLUMN, Sign.OUTLIER, marks("a"), 0.9).verdict is SuspectVerdict.FINE  # of whatever kind
    for column, cell in (
        (COLUMN, marks("b")),
        (COLUMN, marks("a", "2")),
        (COLUMN, marks(None)),
        ("o.t.h.e.r", marks("a")),
    ):
        assert heard.judge(column, Sign.RARE, cell, 0.9).verdict is SuspectVerdict.UNDECIDED


def test_what_is_always_fine_holds_for_the_value_or_its_form_and_for_its_kind() -> None:
    heard = Verdicts(
        [
            said(SuspectVerdict.ALWAYS_FINE, marks("a")),
            said(SuspectVerdict.ALWAYS_FINE, marks("x1/2", kind=Sign.PATTERN), kind=Sign.PATTERN),
        ]
    )
    assert heard.judge(COLUMN, Sign.RARE, marks("a", "2"), 0.9).verdict is SuspectVerdict.ALWAYS_FINE
    assert heard.judge(COLUMN, Sign.OUTLIER, marks("a", "2"), 0.9).verdict is SuspectVerdict.UNDECIDED
    of_form = marks("yy98/7", "3", Sign.PATTERN)
    assert heard.judge(COLUMN, Sign.PATTERN, of_form, 0.9).verdict is SuspectVerdict.ALWAYS_FINE
    other_form = marks("yy98-7", "3", Sign.PATTERN)
    assert heard.judge(COLUMN, Sign.PATTERN, other_form, 0.9).verdict is SuspectVerdict.UNDECIDED


def test_the_last_word_holds() -> None:
    words = [said(SuspectVerdict.ALWAYS_FINE, marks("a")), said(SuspectVerdict.WRONG, marks("a"), after=1)]
    for order in (words, words[::-1]):
        found = Verdicts(order).judge(COLUMN, Sign.RARE, marks("a"), 0.6)
        assert (found.verdict, found.probability, found.decided_by) == (SuspectVerdict.WRONG, 1.0, "olga")


@given(wrong=st.integers(0, 50), fine=st.integers(0, 50), score=st.floats(0, 1))
def test_each_verdict_is_a_trial_of_its_kind_in_its_column(wrong: int, fine: int, score: float) -> None:
    words = [said(SuspectVerdict.WRONG, marks(f"w{at}")) for at in range(wrong)]
    words += [said(SuspectVerdict.FINE, marks(f"f{at}")) for at in range(fine)]
    heard = Verdicts(words)
    found = heard.judge(COLUMN, Sign.RARE, marks("new"), score).probability
    share = wrong / (wrong + fine) if words else score
    assert min(score, share) - 1e-4 <= found <= max(score, share) + 1e-4
    assert abs(found - (TRIALS * score + wrong) / (TRIALS + wrong + fine)) <= 1e-4
    assert heard.judge(COLUMN, Sign.OUTLIER, marks("new"), score).probability == round(score, 4)


def test_a_reason_that_names_a_personal_column_quotes_nothing() -> None:
    cell = SuspectCell(
        id="0" * 36, asset_fqn="crm.shop.public.orders.city", table_fqn="crm.shop.public.orders", column="city",
        row_key={"id": "7"}, kind=Sign.DEPENDENCY, reason="4 other rows with surname 'Jones' have 'Rome'.",
        further_reasons=["It is nearly 'Rome', which 38 rows have."], value="Romme", repair="Rome", probability=0.9,
        detected_probability=0.9, verdict=SuspectVerdict.UNDECIDED, decided_by=None, decided_at=None,
        workflow_run_id="0" * 36, measured_at=START, suspects_in_table=1,
    )  # fmt: skip
    shown = masked_cell(cell, {"surname"})
    assert shown.reason == "Rows that agree elsewhere have another value here."
    assert (shown.value, shown.further_reasons) == ("Romme", cell.further_reasons)
    assert masked_cell(cell, set()) == cell
    hidden = masked_cell(cell, None)
    assert not any(word in str(hidden) for word in ("Jones", "Rom", "'7'"))
    assert hidden.further_reasons == [], "what would be full of holes tells nothing"

"""Questions over tables and columns that are named short, and values that begin with a small word."""

import pytest

from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

VET = table("dr", "id*:INTEGER nm dept:INTEGER grd st_dt:DATE")
WARD = table("dept", "id*:INTEGER nm flr:INTEGER")
BEAST = table("pt", "id*:INTEGER nm dob:DATE alg sx town")
MEETING = table("appt", "id*:INTEGER pt:INTEGER dr:INTEGER dt:DATE fee:DOUBLE st")
HERB = table("drug", "id*:INTEGER nm prc:DOUBLE")
SCRIPT = table("rx", "id*:INTEGER appt:INTEGER drug:INTEGER qty:INTEGER")
CLINIC = knowledge(
    keyed(VET, dept="dept.id"),
    WARD,
    BEAST,
    keyed(MEETING, pt="pt.id", dr="dr.id"),
    HERB,
    keyed(SCRIPT, appt="appt.id", drug="drug.id"),
    profiles={
        WARD.fqn: profiled(WARD, {"nm": ["Reptiles", "Birds", "Auctioneer"]}),
        BEAST.fqn: profiled(BEAST, {"alg": ["pollen", "nuts"], "sx": ["F", "M"], "town": ["Oxley", "Marl"]}),
    },
)

BARGE = table("TBL_TRIPS_HDR", "TRIP_NO*:INTEGER LOCK_CD TRIP_TYP_CD STAT_CD STRT_DT:DATE")
KIND = table("LKP_TRIP_TYP", "TRIP_TYP_CD* TRIP_TYP_DESC")
LOCK = table("TBL_LOCK_REF", "LOCK_CD* LOCK_NM KEEPR_NM LEVEL_M:INTEGER")
CHECK = table("TBL_INSP_LOG", "INSP_SEQ*:INTEGER TRIP_NO:INTEGER INSPCTR_NM FAULT_CNT:INTEGER")
CANAL = knowledge(
    keyed(BARGE, LOCK_CD="TBL_LOCK_REF.LOCK_CD", TRIP_TYP_CD="LKP_TRIP_TYP.TRIP_TYP_CD"),
    KIND,
    LOCK,
    keyed(CHECK, TRIP_NO="TBL_TRIPS_HDR.TRIP_NO"),
    profiles={
        BARGE.fqn: profiled(BARGE, {"STAT_CD": ["ON HOLD", "DONE", "IN PORT"]}),
        CHECK.fqn: profiled(CHECK, {"INSPCTR_NM": ["A. Reed", "B. Sedge"]}),
    },
)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Which doctors work in Birds?", "SELECT dr.nm FROM dr JOIN dept"),
        ("How many doctors does the auctioneering department have?", "WHERE dept.nm = 'Auctioneer'"),
        ("How many appointments does each doctor have?", "COUNT(*) AS count_appt, dr.nm"),
        ("Which doctors have no appointments?", "FROM dr WHERE NOT EXISTS(SELECT 1 FROM appt"),
        ("Which patients are allergic to nuts?", "WHERE alg = 'nuts'"),
        ("How many female patients live in Marl?", "WHERE sx = 'F' AND town = 'Marl'"),
        ("Which departments are on the second floor?", "FROM dept WHERE flr = 2"),
        ("Whose allergy is pollen?", "FROM pt WHERE alg = 'pollen'"),
        ("How many prescriptions are there?", "COUNT(*) AS count_rx FROM rx"),
    ],
)
def test_short_names_are_written_out_by_what_stands_beside(question: str, part: str) -> None:
    assert part in drafted(question, CLINIC).sql.replace('"', "")


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("How many trips are on hold?", "WHERE STAT_CD = 'ON HOLD'"),
        ("How many trips are in port?", "COUNT(*) AS count_TBL_TRIPS_HDR FROM TBL_TRIPS_HDR WHERE STAT_CD = 'IN PORT'"),
        ("How many trips are done (DONE)?", "WHERE STAT_CD = 'DONE'"),
        ("Which lock has had the most trips?", "ORDER BY COUNT(*) DESC NULLS LAST LIMIT 1"),
        ("Which locks have 3 trips?", "FROM TBL_TRIPS_HDR WHERE NOT TBL_TRIPS_HDR.LOCK_CD IS NULL GROUP BY"),
        (
            "Which inspector found the most faults?",
            "GROUP BY INSPCTR_NM ORDER BY SUM(FAULT_CNT) DESC NULLS LAST LIMIT 1",
        ),
    ],
)
def test_the_header_of_a_table_and_small_words_of_a_value_are_known(question: str, part: str) -> None:
    assert part in drafted(question, CANAL).sql.replace('"', "")


def test_short_names_are_written_out_in_what_an_answer_says() -> None:
    assert (
        "names of doctors that have no appointments" in drafted("Which doctors have no appointments?", CLINIC).reading
    )
    assert "start date" in drafted("Who is the longest serving doctor?", CLINIC).reading


def test_a_word_at_the_end_that_stands_for_nothing_breaks_nothing() -> None:
    known = knowledge(
        table("hospital", "hc hn cty beds:INTEGER"), table("unit", "uno comp st"), table("iss", "iid uno hc prc:REAL")
    )
    for question in ("which hospital never got any unit", "which hospitals never had any unit"):
        assert asked(question, known) is not None

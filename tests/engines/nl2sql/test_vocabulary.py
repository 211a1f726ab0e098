"""What tables and columns are called by, over several ways of naming."""

from decimal import Decimal

import pytest

from resolvers.engines.describing.known import Term
from resolvers.engines.nl2sql.language.degrees import Degree, degree_of_phrase
from resolvers.engines.nl2sql.language.tokens import tokenize
from resolvers.engines.nl2sql.model import ColumnKey, Knowledge
from resolvers.engines.nl2sql.plan import Literal
from resolvers.engines.nl2sql.schema_linking.kinds import ColumnKind
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary
from schema.utils.memory import MemoryType
from tests.engines.nl2sql.catalogs import column, fqn, knowledge, memory, profiled, table

LATE = Degree("late", True, True, False, ("date", "time", "year"))


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary(knowledge())


def lemmas(text: str) -> list[str]:
    return [token.lemma for token in tokenize(text)]


def best_column(vocabulary: Vocabulary, text: str, *within: str) -> str:
    key, _ = vocabulary.found_columns(lemmas(text), [fqn(one) for one in within] or None)[0]
    return f"{key.table.rpartition('.')[2]}.{key.column}"


def best_table(vocabulary: Vocabulary, text: str) -> str:
    return vocabulary.tables(lemmas(text))[0][0].rpartition(".")[2]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("students", "Student"), ("pupils", "Student"), ("pets", "Pets"), ("animals", "Pets"), ("employees", "tbl_emp"),
        ("staff", "tbl_emp"), ("cars", "cars_data"), ("car makers", "car_makers"), ("manufacturers", "car_makers"),
        ("stadiums", "stadium"), ("singer", "singer"), ("drivers", "drivers"), ("studnets", "Student"),
    ],
)  # fmt: skip
def test_tables_are_found_by_their_names_and_synonyms(vocabulary: Vocabulary, said: str, name: str) -> None:
    assert best_table(vocabulary, said) == name


def test_a_table_that_is_called_so_comes_before_one_that_has_it_in_its_name(vocabulary: Vocabulary) -> None:
    found = dict(vocabulary.tables(["pet"]))
    assert found[fqn("Pets")] == 1.0
    assert found[fqn("Has_Pet")] < 0.85


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("first name", "Student.Fname"), ("last names", "Student.LName"), ("surname", "Student.LName"),
        ("gender", "Student.Sex"), ("sex", "Student.Sex"), ("pet type", "Pets.PetType"),
        ("kind of pet", "Pets.PetType"),
        ("petage", "Pets.pet_age"), ("age of the pet", "Pets.pet_age"), ("horse power", "cars_data.Horsepower"),
        ("horsepower", "cars_data.Horsepower"), ("acceleration", "cars_data.Accelerate"),
        ("miles per gallon", "cars_data.MPG"), ("salary", "tbl_emp.emp_sal"), ("wage", "tbl_emp.emp_sal"),
        ("birthday", "tbl_emp.birthdate"), ("hire date", "tbl_emp.hiredate"),
        ("name of the employee", "tbl_emp.emp_name"),
        ("capacity", "stadium.Capacity"), ("capicity", "stadium.Capacity"),
        ("release year", "singer.Song_release_year"),
        ("stuid", "Student.StuID"), ("emp_id", "tbl_emp.emp_id"), ("StuID", "Student.StuID"),
        ("telephone number", "drivers.phone"), ("licence number", "drivers.license_no"), ("singer name", "singer.Name"),
        ("full name", "car_makers.FullName"), ("job title", "tbl_emp.job_title"), ("city code", "Student.city_code"),
    ],
)  # fmt: skip
def test_columns_are_found_however_they_are_written(vocabulary: Vocabulary, said: str, name: str) -> None:
    assert best_column(vocabulary, said) == name


def test_a_name_is_the_one_of_the_table_it_is_asked_in(vocabulary: Vocabulary) -> None:
    assert best_column(vocabulary, "name", "singer") == "singer.Name"
    assert best_column(vocabulary, "name", "drivers") == "drivers.drv_nm"
    assert best_column(vocabulary, "name", "tbl_emp") == "tbl_emp.emp_name"
    assert best_column(vocabulary, "location", "car_makers") == "car_makers.Country"
    assert vocabulary.found_columns(["capacity"], [fqn("singer")]) == []
    assert vocabulary.found_columns(["name"], []) == []


def test_scores_say_how_sure_a_name_is(vocabulary: Vocabulary) -> None:
    exact = dict(vocabulary.found_columns(["salary"]))[column("tbl_emp.emp_sal")].score
    synonym = dict(vocabulary.found_columns(["wage"]))[column("tbl_emp.emp_sal")].score
    misspelled = vocabulary.found_columns(["capicity"])[0][1]
    assert exact == 1.0
    assert 0.6 < synonym < 0.9
    assert misspelled.how == "fuzzy"
    assert misspelled.score < 0.8
    assert vocabulary.found_columns(["xylophone"]) == []
    assert vocabulary.found_columns([]) == []
    assert vocabulary.tables([]) == []


def test_display_names_and_descriptions_count_and_say_so() -> None:
    facts = table("t1", "a1 b2", display_name="Shipments", description="Consignments that left a depot")
    one = facts.columns[0]
    told = type(one)(fqn=one.fqn, name="a1", ordinal_position=1, data_type="VARCHAR", display_name="Carrier name")
    made = type(facts)(**{**_fields(facts), "columns": (told, facts.columns[1])})
    vocabulary = Vocabulary(Knowledge((made,)))
    assert vocabulary.found_tables(["shipment"])[0][1].how == "display_name"
    assert vocabulary.found_tables(["consignment"])[0][1].how == "description"
    assert vocabulary.found_columns(["carrier", "name"])[0][1].score == 1.0
    assert vocabulary.phrase(ColumnKey(made.fqn, "a1")) == "carrier name"


def _fields(facts: object) -> dict[str, object]:
    return {name: getattr(facts, name) for name in facts.__dataclass_fields__}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("Student", ["Fname", "LName"]), ("singer", ["Name"]), ("tbl_emp", ["emp_name"]), ("drivers", ["drv_nm"]),
        ("stadium", ["Name"]), ("Has_Pet", []), ("Pets", []), ("car_makers", ["FullName"]),
    ],
)  # fmt: skip
def test_the_columns_that_name_a_row(vocabulary: Vocabulary, name: str, columns: list[str]) -> None:
    assert [key.column for key in vocabulary.name_columns(fqn(name))] == columns
    last = vocabulary.name_column(fqn(name))
    assert (last.column if last else None) == (columns[-1] if columns else None)


@pytest.mark.parametrize(
    ("name", "columns", "naming"),
    [
        ("Ref_Test_Types", "test_type_code* test_type_description", "test_type_description"),
        ("vessel_type", "v_type_cd* v_type_desc", "v_type_desc"),
        ("schools", "schoolID* name_full city", "name_full"),
    ],
)
def test_a_lookup_table_is_named_by_what_describes_its_codes(name: str, columns: str, naming: str) -> None:
    assert Vocabulary(knowledge(table(name, columns))).name_columns(fqn(name)) == (column(f"{name}.{naming}"),)


def test_a_table_is_called_by_its_key_where_no_other_is_called_so() -> None:
    people, batting = table("people", "playerID* nameLast"), table("batting", "playerID year:INTEGER hits:INTEGER")
    assert Vocabulary(knowledge(people, batting)).tables(["player"])[0] == (fqn("people"), 0.85)
    known = Vocabulary(knowledge(people, batting, table("player", "id* name")))
    assert [name for name, score in known.tables(["player"]) if score > 0.7] == [fqn("player")]


def test_the_rows_of_a_table_are_what_stands_before_of() -> None:
    known = Vocabulary(knowledge(table("Member_of_club", "StuID ClubID")))
    assert known.tables(["member"])[0][1] > known.tables(["club"])[0][1]


def test_names_in_one_piece_are_split_along_plurals() -> None:
    assert best_table(Vocabulary(knowledge(table("teamsfranchises", "id"), table("teams", "id"))), "franchises") == (
        "teamsfranchises"
    )


def test_a_table_whose_column_is_called_like_it_is_named_by_it() -> None:
    vocabulary = Vocabulary(Knowledge((table("country", "country_id*:INTEGER country population:INTEGER"),)))
    assert [key.column for key in vocabulary.name_columns(fqn("country"))] == ["country"]


def test_keys_and_identifiers(vocabulary: Vocabulary) -> None:
    assert vocabulary.is_identifier(column("Has_Pet.StuID"))
    assert vocabulary.is_identifier(column("drivers.drv_cd"))
    assert not vocabulary.is_identifier(column("Student.Age"))
    assert vocabulary.neighbours(fqn("Has_Pet")) == {fqn("Student"), fqn("Pets")}


def test_what_columns_hold() -> None:
    facts = table("t", "n:INTEGER y_year:INTEGER d:DATE m:TIMESTAMP c:TIME b:BOOLEAN s x day founded num geo:BLOB")
    values = {
        "day": ["2020-01-02", "2021-03-04"], "founded": ["1999", "2004"], "num": ["1", "20", "3.5"], "s": ["a", "b"],
    }  # fmt: skip
    vocabulary = Vocabulary(Knowledge((facts,), {facts.fqn: profiled(facts, values)}))
    kinds = [vocabulary.column_kind(key) for key in vocabulary.keys_of(facts.fqn)]
    assert kinds == [
        ColumnKind.NUMBER, ColumnKind.YEAR, ColumnKind.DATE, ColumnKind.MOMENT, ColumnKind.TIME, ColumnKind.BOOLEAN,
        ColumnKind.TEXT, ColumnKind.TEXT, ColumnKind.DATE, ColumnKind.YEAR, ColumnKind.TEXT, ColumnKind.OTHER,
    ]  # fmt: skip
    assert vocabulary.is_numeric_text(ColumnKey(facts.fqn, "num"))
    assert not vocabulary.is_numeric_text(ColumnKey(facts.fqn, "s"))


@pytest.mark.parametrize(
    ("values", "yes", "no"),
    [
        (["Y", "N"], "Y", "N"),
        (["f", "t"], "t", "f"),
        (["Yes", "No"], "Yes", "No"),
        (["T"], "T", "F"),
        (["0", "1"], "1", "0"),
    ],
)
def test_columns_of_yes_and_no_tell_how_they_spell_it(values: list[str], yes: str, no: str) -> None:
    facts = table("t", "is_open")
    vocabulary = Vocabulary(Knowledge((facts,), {facts.fqn: profiled(facts, {"is_open": values})}))
    assert vocabulary.flag(ColumnKey(facts.fqn, "is_open")) == (Literal("text", yes), Literal("text", no))


def test_flags_as_booleans_and_numbers_and_what_is_no_flag() -> None:
    facts = table("t", "paid:BOOLEAN sent:INTEGER grade size")
    values = {"sent": ["1", "0"], "grade": ["A", "B"], "size": ["T"]}
    vocabulary = Vocabulary(Knowledge((facts,), {facts.fqn: profiled(facts, values)}))
    keys = vocabulary.keys_of(facts.fqn)
    assert vocabulary.flag(keys[0]) == (Literal("boolean", True), Literal("boolean", False))
    assert vocabulary.flag(keys[1]) == (Literal("number", Decimal(1)), Literal("number", Decimal(0)))
    assert vocabulary.flag(keys[2]) is None
    assert vocabulary.flag(keys[3]) is None


def _degree(text: str) -> Degree:
    degree = degree_of_phrase(text.split())
    assert degree is not None
    return degree


def test_adjectives_measure_columns_and_some_point_the_other_way(vocabulary: Vocabulary) -> None:
    student, driver, staff = fqn("Student"), fqn("drivers"), fqn("tbl_emp")
    assert vocabulary.measured(_degree("oldest"), [student])[0][0] == column("Student.Age")
    assert vocabulary.measured(_degree("oldest"), [driver])[0][0] == column("drivers.dob")
    assert vocabulary.measured(_degree("heaviest"), [fqn("Pets")])[0][0] == column("Pets.weight")
    assert vocabulary.measured(_degree("heaviest"), [student]) == []
    assert vocabulary.measured(_degree("newest"), [fqn("stadium")])[0][0] == column("stadium.opened_on")
    assert vocabulary.is_reversed(_degree("oldest"), column("drivers.dob"))
    assert not vocabulary.is_reversed(_degree("oldest"), column("Student.Age"))
    assert vocabulary.is_reversed(_degree("youngest"), column("tbl_emp.birthdate"))
    assert {key for key, _ in vocabulary.measured(_degree("oldest"), [staff])} == {column("tbl_emp.birthdate")}


def test_only_what_tells_when_is_late_or_old() -> None:
    """A level is a year in schools, and no time; a year of birth points the other way however it is called."""
    known = Vocabulary(
        knowledge(table("motion", "no* level:INTEGER held_on:DATE"), table("writer", "id* born:INTEGER"))
    )
    assert [key for key, _ in known.measured(degree_of_phrase(["latest"]) or LATE, [fqn("motion")])] == [
        column("motion.held_on")
    ]
    oldest = degree_of_phrase(["oldest"]) or LATE
    assert known.is_reversed(oldest, column("writer.born"))


def test_minutes_are_no_minimum_of_what_lasts() -> None:
    known = Vocabulary(knowledge(table("run", "run_no* delay_min:INTEGER price_min:INTEGER waiting_secs:INTEGER")))
    assert best_column(known, "delay in minutes") == "run.delay_min"
    assert best_column(known, "minimum price") == "run.price_min"
    assert best_column(known, "seconds waiting") == "run.waiting_secs"


def test_a_term_of_the_glossary_is_another_name() -> None:
    terms = [
        Term("1", "Artiste", ("Artiste",), None, True, asset_fqn=fqn("singer")),
        Term("2", "Venue size", ("Venue size", "seats"), None, False, asset_fqn=f"{fqn('stadium')}.Capacity"),
        Term("3", "Compensation package", ("Compensation package", "salary", "TCO"), None, True),
    ]
    vocabulary = Vocabulary(knowledge(terms=terms))
    table_found, column_found = vocabulary.found_tables(["artiste"])[0], vocabulary.found_columns(["venue", "size"])[0]
    assert (table_found[0], table_found[1].how, table_found[1].memory) == (fqn("singer"), "glossary", "1")
    assert (column_found[0], column_found[1].score) == (column("stadium.Capacity"), 0.85)
    assert vocabulary.found_columns(["tco"])[0][0] == column("tbl_emp.emp_sal")


@pytest.mark.parametrize(
    "content",
    [
        {"term": "flobber", "synonyms": ["singer"]},
        {"name": "singer", "aliases": ["flobber"]},
        {"term": "flobber", "asset_fqn": "svc.db.app.singer"},
        {"term": "flobber", "table": "singer"},
        {"synonyms": {"singer": ["flobber"]}},
        {"synonyms": [["singer", "flobber"]]},
        {"type": "text", "text": 'Hello. "Flobber" means singer.'},
        {"type": "text", "text": "A flobber is the same as a singer"},
        {"type": "text", "text": "flobbers = singers"},
    ],
)
def test_a_memory_of_words_may_have_several_shapes(content: dict[str, object]) -> None:
    vocabulary = Vocabulary(knowledge(memories=[memory(MemoryType.GLOSSARY, content, "m1")]))
    found, how = vocabulary.found_tables(["flobber"])[0]
    assert (found, how.how, how.memory) == (fqn("singer"), "memory", "m1")
    assert how.score == 1.0


@pytest.mark.parametrize(
    "content",
    [
        {"term": "car maker", "broader": "industrial firm"},
        {"hierarchy": {"industrial firm": ["car maker"]}},
        {"term": "industrial firm", "narrower": ["car maker"]},
        {"type": "text", "text": "A car maker is an industrial firm."},
    ],
)
def test_a_hierarchy_leads_from_the_wider_word_to_the_narrower_one(content: dict[str, object]) -> None:
    vocabulary = Vocabulary(knowledge(memories=[memory(MemoryType.ONTOLOGY, content)]))
    found, how = vocabulary.found_tables(["industrial", "firm"])[0]
    assert found == fqn("car_makers")
    assert 0.6 < how.score < 0.9


@pytest.mark.parametrize(
    "content",
    [{}, {"term": 5}, {"synonyms": "x"}, {"synonyms": [1, {"a": 2}]}, {"hierarchy": []}, {"text": "=" * 5000},
     {"term": "x", "asset_fqn": "no.such.table"}, {"term": "y" * 5000}, {"hierarchy": {"a": 1}}],
)  # fmt: skip
def test_a_memory_of_another_shape_changes_nothing(content: dict[str, object]) -> None:
    made = Vocabulary(knowledge(memories=[memory(MemoryType.GLOSSARY, content)]))
    plain = Vocabulary(knowledge())
    for text in ("student", "name", "salary"):
        assert made.tables([text]) == plain.tables([text])
        assert made.found_columns([text]) == plain.found_columns([text])


def test_a_vocabulary_is_made_once_for_one_knowledge_and_anew_for_another() -> None:
    known = knowledge()
    assert Vocabulary.of(known) is Vocabulary.of(known)
    assert Vocabulary.of(knowledge()) is not Vocabulary.of(known)


def test_paths_that_people_write_are_resolved(vocabulary: Vocabulary) -> None:
    assert vocabulary.resolved(fqn("singer")) == fqn("singer")
    assert vocabulary.resolved("SINGER") == fqn("singer")
    assert vocabulary.resolved("app.singer") == fqn("singer")
    assert vocabulary.resolved("singer.country") == column("singer.Country")
    assert vocabulary.resolved(f"{fqn('singer')}.Country") == column("singer.Country")
    assert vocabulary.resolved("singer.nothing") is None
    assert vocabulary.resolved("nothing") is None


@pytest.mark.parametrize(
    ("name", "columns", "own"),
    [
        ("customer", "c_id c_name c_phone", ["id", "name", "phone"]),
        ("patient", "pName p_age", ["name", "age"]),
        ("telescopes", "tel_name tel_height", ["name", "height"]),
        ("exoplanets", "planet_nm planet_mass", ["name", "mass"]),
        ("app_store", "store_id store_name", ["id", "name"]),
        ("t_order", "order_date order_total", ["date", "total"]),
    ],
)
def test_what_columns_share_with_their_table_need_not_be_said(name: str, columns: str, own: list[str]) -> None:
    vocabulary = Vocabulary(Knowledge((table(name, columns),)))
    assert [" ".join(vocabulary.words(key)) for key in vocabulary.keys_of(fqn(name))] == own


def test_references_keep_what_they_refer_to() -> None:
    vocabulary = Vocabulary(Knowledge((table("singer_in_concert", "concert_ID:INTEGER Singer_ID:INTEGER"),)))
    first, second = vocabulary.keys_of(fqn("singer_in_concert"))
    assert vocabulary.words(first) == ("concert", "id")
    assert vocabulary.words(second) == ("singer", "id")


@pytest.mark.parametrize(("said", "name"), [("routes", "rte"), ("drivers", "drv"), ("passengers", "psgr")])
def test_words_are_known_by_their_consonants(said: str, name: str) -> None:
    names = Vocabulary(knowledge(*(table(one, f"{one}_id*:INTEGER") for one in ("rte", "drv", "psgr", "veh"))))
    assert best_table(names, said) == name


def test_a_short_word_of_the_language_is_no_short_form() -> None:
    names = Vocabulary(knowledge(table("cat", "cat_id*:INTEGER"), table("dog", "dog_id*:INTEGER")))
    assert not names.tables(["carrot"])


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("judge name", "judgename"),
        ("fine amount", "fineamount"),
        ("hours billed", "hoursbilled"),
        ("candidate", "candidate"),
    ],
)
def test_names_in_one_piece_are_read_along_tables_and_common_words(said: str, name: str) -> None:
    judges = table("judges", "judgeid*:INTEGER judgename fineamount:REAL hoursbilled:INTEGER candidate")
    names = Vocabulary(knowledge(judges, table("lawyers", "lawyerid*:INTEGER lawyername")))
    assert best_column(names, said, "judges") == f"judges.{name}"
    assert names.found_columns(lemmas(said))[0][1].score > 0.9

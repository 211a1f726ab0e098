"""What the words of a question are linked to, and what is looked up in the source."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from resolvers.engines.describing.known import Term
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind
from resolvers.engines.nl2sql.model import ColumnKey, FoundValue, Knowledge
from resolvers.engines.nl2sql.schema_linking.likely import MOST_TABLES
from resolvers.engines.nl2sql.schema_linking.link import link
from resolvers.engines.nl2sql.schema_linking.lookups import (
    LONGEST,
    MOST_COLUMNS,
    MOST_FOUND,
    MOST_PARTS,
    MOST_TEXTS,
    found_in,
    query_of,
)
from resolvers.engines.nl2sql.schema_linking.shared_heads import written_out
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary
from schema.utils.memory import MemoryType
from tests.engines.nl2sql.catalogs import ALL, NOW, column, fqn, knowledge, memory, profiled, table


@dataclass
class Source:
    """A lookup that knows some values, and remembers what it was asked."""

    values: dict[ColumnKey, list[str]] = field(default_factory=dict)
    calls: list[tuple[list[ColumnKey], list[str]]] = field(default_factory=list)

    def __call__(self, columns: Sequence[ColumnKey], texts: Sequence[str]) -> list[FoundValue]:
        self.calls.append((list(columns), list(texts)))
        wanted = {text.lower() for text in texts}
        return [
            FoundValue(key, value) for key in columns for value in self.values.get(key, ()) if value.lower() in wanted
        ]


def linked(text: str, known: Knowledge | None = None, source: Source | None = None) -> Linked:
    return link(text, Vocabulary.of(known or KNOWN), NOW, source or Source())


KNOWN = knowledge()


def over(
    text: str, said: str, kind: MentionKind, known: Knowledge | None = None, source: Source | None = None
) -> list[Mention]:
    """The mentions of a kind that lie over just these words, best first."""
    found = linked(text, known, source)
    result = []
    for one in found.mentions:
        start, end = found.tokens[one.first].start, found.tokens[one.last - 1].end
        if text[start:end] == said and one.kind is kind:
            result.append(one)
    return sorted(result, key=lambda one: -one.score)


def values(mentions: Sequence[Mention]) -> set[tuple[str, str, str]]:
    """Where and what, with how it is known."""
    return {
        (f"{one.column.table.rpartition('.')[2]}.{one.column.column}", str(one.values[0].value), one.how)
        for one in mentions
        if one.column is not None
    }


def test_tables_and_columns_are_linked_with_scores() -> None:
    text = "What are the first name and age of students who own pets?"
    assert over(text, "students", MentionKind.TABLE)[0].table == fqn("Student")
    assert over(text, "pets", MentionKind.TABLE)[0].table == fqn("Pets")
    assert over(text, "first name", MentionKind.COLUMN)[0].column == column("Student.Fname")
    assert {one.column for one in over(text, "age", MentionKind.COLUMN) if one.score == 1.0} >= {
        column("Student.Age"),
        column("Pets.pet_age"),
    }
    assert over(text, "age of students", MentionKind.COLUMN)[0].column == column("Student.Age")


def test_words_of_the_question_itself_name_nothing() -> None:
    known = knowledge(*ALL, table("list", "show what"))
    for said in ("List", "names", "of", "all"):
        assert not [one for one in over("List names of all singers", said, MentionKind.TABLE, known)]
    assert over("Show every list", "list", MentionKind.TABLE, known)[0].table == fqn("list")


def test_first_words_go_with_the_last_word_they_share() -> None:
    vocabulary = Vocabulary.of(knowledge(*ALL))
    assert written_out("Show the first and last names of students", vocabulary) == (
        "Show the first names and last names of students"
    )
    for text in ("Show the age and last names of students", "first and foremost", "and", "last name and and"):
        assert written_out(text, vocabulary) == text


def test_what_stands_before_of_is_asked_for() -> None:
    """The name of the active employees is no flag, and the units of the tracks are no tracks."""
    text = "names of the active employees"
    for kind in (MentionKind.COLUMN, MentionKind.VALUE):
        assert column("tbl_emp.is_active") not in {one.column for one in over(text, text, kind)}
        assert column("tbl_emp.is_active") not in {one.column for one in over(text, "active employees", kind)}
    assert over(text, "active", MentionKind.VALUE)[0].column == column("tbl_emp.is_active")
    assert not over("How many units of the stadiums are there?", "units of the stadiums", MentionKind.TABLE)
    known = knowledge(table("vessel", "v_id v_name"), table("vessel_type", "v_type_cd v_type_desc"))
    assert over("the type of the vessel", "type of the vessel", MentionKind.TABLE, known)[0].table == fqn("vessel_type")


def test_a_plural_that_a_table_is_called_by_is_its_rows_rather_than_a_value() -> None:
    club = table("Member_of_club", "StuID ClubID Position")
    known = knowledge(club, profiles={club.fqn: profiled(club, {"Position": ["Member", "President"]})})
    rows, value = (
        over("clubs with members", "members", kind, known)[0] for kind in (MentionKind.TABLE, MentionKind.VALUE)
    )
    assert (rows.table, value.column) == (club.fqn, column("Member_of_club.Position"))
    assert rows.score > value.score
    assert over("a member", "member", MentionKind.VALUE, known)[0].score > rows.score
    assert over("a member of a club", "member", MentionKind.VALUE, known)[0].score < rows.score


def test_a_column_is_not_called_by_what_is_measured_in_it() -> None:
    known = knowledge(table("crossing", "cross_no mins:INTEGER"))
    assert not over("the longest crossing in minutes", "crossing in minutes", MentionKind.COLUMN, known)
    assert over("the longest crossing in minutes", "minutes", MentionKind.COLUMN, known)[0].score == 1.0


def test_an_adjective_of_rows_is_rather_a_value_than_a_column() -> None:
    flag, value = (over("active employees", "active", kind)[0] for kind in (MentionKind.COLUMN, MentionKind.VALUE))
    assert flag.column == value.column == column("tbl_emp.is_active")
    assert flag.score < value.score - 0.1


def test_a_full_name_is_a_name_where_nothing_is_called_so() -> None:
    said = linked("full name of singers", knowledge(table("singer", "id name"))).tokens
    assert [token.text for token in said] == ["name", "of", "singers"]
    known = knowledge(table("maker", "id name full_name"))
    found = over("full name of makers", "full name", MentionKind.COLUMN, known)
    assert [one.column for one in found if one.score > 0.9] == [column("maker.full_name")]


def test_a_verb_that_says_little_names_no_table() -> None:
    known = knowledge(table("company", "id name"), table("vessel", "id name"))
    assert not over("vessels that made it", "made", MentionKind.TABLE, known)


def test_no_command_is_a_part_of_a_value() -> None:
    note = table("note", "id text")
    known = knowledge(note, profiles={note.fqn: profiled(note, {"text": ["On the List"]})})
    assert not over("Which are new? List names.", "List", MentionKind.VALUE, known)
    assert over("Which are on the List?", "List", MentionKind.VALUE, known)


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        ("students who have a dog", "dog", ("Pets.PetType", "dog", "value")),
        ("students who have Dogs", "Dogs", ("Pets.PetType", "dog", "lemma")),
        ('pets of type "CAT"', '"CAT"', ("Pets.PetType", "cat", "value")),
        ("makers in the USA", "USA", ("car_makers.Country", "usa", "value")),
        ("American makers", "American", ("car_makers.Country", "usa", "demonym")),
        ("German makers", "German", ("car_makers.Country", "germany", "demonym")),
        ("Dutch singers", "Dutch", ("singer.Country", "Netherlands", "demonym")),
        ("singers from the United States", "United States", ("singer.Country", "United States", "value")),
        ("employees who are sales managers", "sales managers", ("tbl_emp.job_title", "Sales Manager", "lemma")),
        ("female students", "female", ("Student.Sex", "F", "gender")),
        ("boys among the students", "boys", ("Student.Sex", "M", "gender")),
        ("active employees", "active", ("tbl_emp.is_active", "Y", "flag")),
        ("students in NYC", "NYC", ("Student.city_code", "NYC", "value")),
        ("employees with title Manager", "Manager", ("tbl_emp.job_title", "Sales Manager", "part")),
    ],
)
def test_values_that_profiles_know(text: str, said: str, expected: tuple[str, str, str]) -> None:
    assert expected in values(over(text, said, MentionKind.VALUE))


def test_the_more_a_value_is_written_alike_the_surer_it_is() -> None:
    exact = over("pets of type dog", "dog", MentionKind.VALUE)[0]
    other = over("pets of type DOG", "DOG", MentionKind.VALUE)[0]
    plural = over("pets of type dogs", "dogs", MentionKind.VALUE)[0]
    part = over("employees with title Manager", "Manager", MentionKind.VALUE)[0]
    assert exact.score >= other.score > plural.score > part.score


def test_a_misspelled_value_is_a_guess_and_says_so() -> None:
    found = over("makers such as volkswagon", "volkswagon", MentionKind.VALUE)
    assert values(found) == {("car_makers.Maker", "volkswagen", "fuzzy")}
    assert found[0].score < 0.8


def test_numbers_are_no_values_of_texts_but_surely_of_nothing_else() -> None:
    known = knowledge(table("plane", "model seats:INTEGER"), profiles={})
    assert not over("planes with 747 seats", "747", MentionKind.VALUE, known)


def test_nothing_of_private_columns_is_taken_from_profiles() -> None:
    known = knowledge(private=frozenset((column("Student.LName"),)))
    assert not over("students called Kim", "Kim", MentionKind.VALUE, known)
    assert over("students called Kim", "Kim", MentionKind.VALUE)[0].column == column("Student.LName")


def test_a_private_column_may_be_searched_for_what_was_asked() -> None:
    known = knowledge(private=frozenset((column("Student.LName"),)))
    source = Source({column("Student.LName"): ["Kim"]})
    assert values(over("students called kim", "kim", MentionKind.VALUE, known, source)) == {
        ("Student.LName", "Kim", "lookup")
    }


def test_forbidden_columns_are_named_but_neither_quoted_nor_searched() -> None:
    known = knowledge(forbidden=frozenset((column("Student.LName"), column("Pets.PetType"))))
    source = Source({column("Student.LName"): ["Zadie"], column("Pets.PetType"): ["Zadie"]})
    text = "last name of students called Zadie with a dog"
    assert not over(text, "Zadie", MentionKind.VALUE, known, source)
    assert not over(text, "dog", MentionKind.VALUE, known, source)
    assert not {column("Student.LName"), column("Pets.PetType")} & set(source.calls[0][0])
    assert over(text, "last name", MentionKind.COLUMN, known)[0].column == column("Student.LName")


def test_what_a_lookup_says_of_columns_that_were_not_asked_for_is_not_believed() -> None:
    known = knowledge(forbidden=frozenset((column("Student.LName"),)))

    def lookup(columns: Sequence[ColumnKey], texts: Sequence[str]) -> list[FoundValue]:
        return [FoundValue(column("Student.LName"), texts[0]), FoundValue(column("Student.Age"), texts[0])]

    found = link("students called Zadie", Vocabulary.of(known), NOW, lookup)
    assert not [one for one in found.mentions if one.kind is MentionKind.VALUE]


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("students called Ana Maria Lopez", {"Ana Maria Lopez", "Ana Maria", "Lopez"}),
        ('the song "Hey Jude"', {"Hey Jude"}),
        ("singers from Aberdeen to New York", {"Aberdeen", "New York", "NYC"}),
        ("stadiums in los angeles", {"los angeles"}),
        ("the song Lord of the Rings", {"Lord of the Rings"}),
        ("students with grade A", {"A"}),
        ("Spanish singers", {"Spanish", "Spain"}),
        ("singers who sing sunsets", {"sunsets", "sunset"}),
    ],
)
def test_what_nobody_knows_is_looked_up(text: str, texts: set[str]) -> None:
    source = Source()
    linked(text, None, source)
    assert len(source.calls) == 1
    assert texts <= set(source.calls[0][1])


def test_a_number_before_a_name_may_be_a_part_of_it() -> None:
    asked: list[str] = []

    def source(_columns: Sequence[ColumnKey], texts: Sequence[str]) -> Sequence[FoundValue]:
        asked.extend(texts)
        return []

    linked("How many singers did 20th Century Fox have?", source=source)
    assert "20th Century Fox" in asked


def test_what_ends_in_an_apostrophe_may_be_a_name_as_well_as_its_owner() -> None:
    asked: list[str] = []

    def source(_columns: Sequence[ColumnKey], texts: Sequence[str]) -> Sequence[FoundValue]:
        asked.extend(texts)
        return []

    linked("How many singers did McDonald's have?", source=source)
    assert {"McDonald's", "McDonald"} <= set(asked)


def test_words_that_are_a_whole_value_are_less_likely_a_part_of_longer_ones() -> None:
    def source(columns: Sequence[ColumnKey], _texts: Sequence[str]) -> Sequence[FoundValue]:
        first, second = columns[:2]
        return [FoundValue(first, "San Mateo"), FoundValue(second, "San Mateo-Foster City")]

    found = {one.values[0].value: one.score for one in linked("all singers in San Mateo", source=source).mentions
             if one.values and one.how in ("lookup", "part") and (one.last - one.first) == 2}  # fmt: skip
    assert found["San Mateo"] - found["San Mateo-Foster City"] > 0.2


def test_what_is_known_is_not_looked_up() -> None:
    source = Source()
    for text in (
        "How many students are there?",
        "average age of the pets",
        "students who have a dog",
        "List all singers",
    ):
        linked(text, None, source)
    assert source.calls == []


def test_columns_whose_values_are_all_known_are_not_searched() -> None:
    source = Source()
    linked("singers named Zadie", None, source)
    columns = set(source.calls[0][0])
    assert column("singer.Country") in columns
    assert column("Pets.PetType") not in columns
    assert column("singer.Age") not in columns


def test_what_is_found_is_a_value_as_it_stands_there() -> None:
    source = Source({column("stadium.Location"): ["LOS ANGELES"], column("singer.Country"): ["Spain"]})
    assert values(over("stadiums in los angeles", "los angeles", MentionKind.VALUE, None, source)) == {
        ("stadium.Location", "LOS ANGELES", "lookup")
    }
    spanish = over("Spanish singers", "Spanish", MentionKind.VALUE, None, source)
    assert values(spanish) == {("singer.Country", "Spain", "lookup")}
    assert spanish[0].score < over('from "Spain"', '"Spain"', MentionKind.VALUE, None, source)[0].score


def test_a_state_by_its_code_fits_a_name_better_than_a_key_that_happens_to_be_written_so() -> None:
    schools = table("schools", "school_id* school_name state")
    source = Source({column("schools.school_id"): ["texas"], column("schools.state"): ["TX"]})
    found = linked("Which schools are in Texas?", Knowledge((schools,)), source).mentions
    scores = {one.column.column: one.score for one in found if one.kind is MentionKind.VALUE and one.column is not None}
    assert scores["state"] > scores["school_id"]
    spelled = linked('schools with the id "texas"', Knowledge((schools,)), source).mentions
    best = max((one for one in spelled if one.kind is MentionKind.VALUE), key=lambda one: one.score)
    assert best.column == column("schools.school_id")


def test_a_question_cannot_ask_for_more_than_a_bound() -> None:
    source = Source()
    wide = tuple(table(f"t{at}", " ".join(f"c{number}" for number in range(30))) for at in range(10))
    linked(" ".join(f"Name{at}x" for at in range(200)), Knowledge(wide), source)
    columns, texts = source.calls[0]
    assert len(columns) == MOST_COLUMNS
    assert len(texts) == MOST_TEXTS


def test_literals_are_mentions_too() -> None:
    found = linked("singers older than 30 with a song released in 2014 called 'Sun'")
    assert {(one.how, str(one.values[0].value)) for one in found.mentions if one.kind is MentionKind.LITERAL} == {
        ("number", "30"),
        ("number", "2014"),
        ("date", "2014-01-01"),
        ("quote", "Sun"),
    }


def test_a_memory_names_values() -> None:
    note = memory(
        MemoryType.GLOSSARY, {"term": "EMEA", "column": "car_makers.Country", "values": ["germany", "france"]}, "m7"
    )
    found = over("makers in EMEA", "EMEA", MentionKind.VALUE, knowledge(memories=[note]))
    assert [(one.how, one.memory, [value.value for value in one.values]) for one in found] == [
        ("memory", "m7", ["germany", "france"])
    ]
    for hidden in ("forbidden", "private"):
        known = knowledge(memories=[note], **{hidden: frozenset((column("car_makers.Country"),))})
        assert not over("makers in EMEA", "EMEA", MentionKind.VALUE, known)


def test_a_memory_and_a_term_are_knowledge_when_they_are_named() -> None:
    kpi = memory(MemoryType.KPI, {"sql": "sum(emp_sal)", "synonyms": ["wage bill"]}, "Payroll cost", fqn("tbl_emp"))
    known = knowledge(memories=[kpi], terms=[Term("t1", "Artiste", ("Artiste",), None, True, fqn("singer"))])
    named = over("show the payroll cost", "payroll cost", MentionKind.KNOWLEDGE, known)
    assert [(one.how, one.memory, one.table) for one in named] == [("kpi", "Payroll cost", fqn("tbl_emp"))]
    assert over("the wage bill by month", "wage bill", MentionKind.KNOWLEDGE, known)[0].memory == "Payroll cost"
    artist = over("how many artistes are there", "artistes", MentionKind.TABLE, known)
    assert [(one.how, one.memory, one.table) for one in artist] == [("glossary", "t1", fqn("singer"))]


def test_each_thing_is_linked_once_over_the_same_words() -> None:
    found = linked("names of singers and names of students and names")
    seen = [(one.first, one.last, one.kind, one.table, one.column, one.values) for one in found.mentions]
    assert len(seen) == len(set(seen))
    assert list(found.mentions) == sorted(found.mentions, key=lambda one: (one.first, -one.last, -one.score, one.kind))


def test_linking_is_the_same_every_time() -> None:
    text = "Which French singers of age 30 sing 'Sun' in a stadium?"
    assert linked(text, knowledge()) == linked(text, knowledge())


@pytest.mark.parametrize(
    "text", ["", "?", "   ", "'" * 300, "a" * 10_000, "1 2 3", "\u0000\ufffd", "SELECT * FROM singer; --"]
)
def test_odd_questions_are_linked_without_harm(text: str) -> None:
    assert linked(text).text == text


def test_a_catalog_of_500_tables_is_searched_in_the_likely_ones_only() -> None:
    many = tuple(
        table(f"{word}_{at}", "id*:INTEGER name amount:DECIMAL city status")
        for at in range(50)
        for word in ("orders", "visits", "claims", "trips", "loans", "tickets", "events", "posts", "parts", "grants")
    )
    source = Source({column("singer.Country"): ["Peru"]})
    known = knowledge(*many, *ALL)
    text = "How many singers from Peru are there, by country?"
    assert over(text, "singers", MentionKind.TABLE, known)[0].table == fqn("singer")
    countries = {one.column for one in over(text, "country", MentionKind.COLUMN, known, source) if one.score == 1.0}
    assert countries == {column("singer.Country"), column("car_makers.Country")}
    assert values(over(text, "Peru", MentionKind.VALUE, known, source)) == {("singer.Country", "Peru", "lookup")}
    found = linked("the name of the visits in claims_7", known, source)
    assert len({one.column.table for one in found.mentions if one.column}) <= MOST_TABLES
    assert fqn("claims_7") in {one.table for one in found.mentions if one.score == 1.0}


def _relation(database: str, schema: str, name: str) -> exp.Table:
    return exp.table_(name, db=schema, quoted=True)


@pytest.fixture
def session() -> duckdb.DuckDBPyConnection:
    session = duckdb.connect()
    session.execute("create schema app")
    session.execute('create table app.people ("Name" varchar, "Full Name" varchar, age integer)')
    session.executemany(
        "insert into app.people values (?, ?, ?)",
        [("Ana", "Ana O'Neil", 3), ("ANA", "x", 4), ("ana", "y", 5), ("É", "z", 6), ("Bo", None, 7)],
    )
    return session


PEOPLE = Knowledge(
    (
        table("people", "Name age:INTEGER"),
        table("empty", ""),
    )
)


def test_a_lookup_is_one_query_that_finds_texts_as_they_stand(session: duckdb.DuckDBPyConnection) -> None:
    columns = [column("people.Name"), column("people.age"), column("nothing.Name"), column("people.nothing")]
    query = query_of(columns, ["aNa", "é", "zzz"], PEOPLE, _relation)
    assert query is not None
    rows = session.execute(query.sql(dialect="duckdb")).fetchall()
    assert set(found_in(rows, columns)) == {
        FoundValue(column("people.Name"), value) for value in ("Ana", "ANA", "ana", "É")
    }


def test_texts_stand_in_a_lookup_as_literals_in_every_dialect(session: duckdb.DuckDBPyConnection) -> None:
    evil = "x') UNION SELECT password FROM users -- \\"
    query = query_of([column("people.Name")], [evil, "O'Neil"], PEOPLE, _relation)
    assert query is not None
    assert session.execute(query.sql(dialect="duckdb")).fetchall() == []
    for dialect in ("duckdb", "postgres", "mysql", "snowflake", "bigquery", "sqlite", "tsql"):
        parsed = sqlglot.parse(query.sql(dialect=dialect), dialect=dialect)
        assert len(parsed) == 1
        assert parsed[0] is not None
        assert {one.name for one in parsed[0].find_all(exp.Table)} == {"people"}
        assert {one.this for one in parsed[0].find_all(exp.Literal) if one.is_string} == {
            *(evil, "O'Neil"),
            *("o'neil %", "% o'neil", "% o'neil %"),
        }


def test_a_lookup_is_bounded_and_leaves_forbidden_columns_out(session: duckdb.DuckDBPyConnection) -> None:
    wide = table("wide", " ".join(f"c{at}" for at in range(2 * MOST_COLUMNS)))
    keys = [ColumnKey(wide.fqn, one.name) for one in wide.columns]
    query = query_of(keys, [f"t{at}" for at in range(3 * MOST_TEXTS)], Knowledge((wide,)), _relation)
    assert query is not None
    assert len(list(query.find_all(exp.In))) == MOST_COLUMNS
    assert all(len(one.expressions) == MOST_TEXTS for one in query.find_all(exp.In))
    hidden = Knowledge(PEOPLE.tables, forbidden=frozenset((column("people.Name"),)))
    assert query_of([column("people.Name")], ["ana"], hidden, _relation) is None
    assert query_of([column("people.Name")], [], PEOPLE, _relation) is None
    assert query_of([column("people.Name")], ["x" * (LONGEST + 1), " "], PEOPLE, _relation) is None
    session.execute("insert into app.people select upper(substr('abcdefghij', 1, 3)), null, 1 from range(3)")
    session.executemany(
        "insert into app.people values (?, null, 1)", [[one] for one in ("abc", "aBc", "abC", "Abc", "aBC")]
    )
    bounded = query_of([column("people.Name")], ["abc"], PEOPLE, _relation)
    assert bounded is not None
    assert len(session.execute(bounded.sql(dialect="duckdb")).fetchall()) == MOST_FOUND
    session.execute("insert into app.people select 'Abc ' || i, null, 1 from range(100) t(i)")
    bounded = query_of([column("people.Name")], ["Abc"], PEOPLE, _relation)
    assert bounded is not None
    assert len(session.execute(bounded.sql(dialect="duckdb")).fetchall()) == MOST_FOUND + MOST_PARTS


def test_a_whole_value_is_found_however_many_longer_ones_there_are(session: duckdb.DuckDBPyConnection) -> None:
    session.execute("insert into app.people select 'A' || i || ' Ward', null, 1 from range(100) t(i)")
    session.execute("insert into app.people values ('West Ward', null, 1)")
    query = query_of([column("people.Name")], ["West Ward", "Ward"], PEOPLE, _relation)
    assert query is not None
    assert (0, "West Ward") in session.execute(query.sql(dialect="duckdb")).fetchall()


def test_a_lookup_finds_longer_values_by_whole_words_that_name(session: duckdb.DuckDBPyConnection) -> None:
    session.execute(
        "insert into app.people values ('Ana Lu', null, 1), ('Lu Ana', null, 1), ('Banana', null, 1), "
        "('x Ana y', null, 1), ('Ana ' || repeat('x', 100), null, 1)"
    )
    some = query_of([column("people.Name")], ["Ana"], PEOPLE, _relation)
    assert some is not None
    found = {value for _, value in session.execute(some.sql(dialect="duckdb")).fetchall()}
    assert {"Ana Lu", "Lu Ana", "x Ana y"} == {value for value in found if " " in value}
    assert "Banana" not in found
    small = query_of([column("people.Name")], ["ana", "100%", "X" * (LONGEST + 1)], PEOPLE, _relation)
    assert small is not None
    assert not list(small.find_all(exp.Like)), "none is a name: without a capital, with a mark, too long"


def test_an_exact_lookup_compares_columns_as_they_are(session: duckdb.DuckDBPyConnection) -> None:
    columns = [column("people.Name")]
    session.execute("insert into app.people values ('Ana-Lu O''Neil', null, 1), ('aNa', null, 1)")
    query = query_of(columns, ["ana", "ana-lu o'neil", "é"], PEOPLE, _relation, exact=True)
    assert query is not None
    assert not list(query.find_all(exp.Lower, exp.Upper, exp.Cast)), "an index may serve it"
    rows = session.execute(query.sql(dialect="duckdb")).fetchall()
    assert set(found_in(rows, columns)) == {
        FoundValue(columns[0], value) for value in ("Ana", "ANA", "ana", "É", "Ana-Lu O'Neil")
    }


def test_rows_of_a_lookup_that_make_no_sense_are_left_out() -> None:
    columns = [column("people.Name")]
    assert found_in([(0, "a"), (0, None), (7, "b"), (-1, "c")], columns) == [FoundValue(columns[0], "a")]


def test_values_of_a_profile_that_is_masked_or_cut_off_are_not_linked() -> None:
    facts = table("note", "text")
    long = profiled(facts, {"text": ["Something that goes on and on\u2026"]})
    masked = long.model_copy(update={"columns": [long.columns[0].model_copy(update={"masked": True})]})
    for profile in (long, masked):
        found = linked(
            "notes that say 'something that goes on and on'", knowledge(facts, profiles={facts.fqn: profile})
        )
        assert not [one for one in found.mentions if one.kind is MentionKind.VALUE]
